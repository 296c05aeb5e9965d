package org.slipstream.server.dispatch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.spool.history.History;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

class DeliveryLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(DeliveryLog.class);
    private final Level before = logger.getLevel();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void quietAgain() {
        logger.detachAppender(lines);
        logger.setLevel(before);
    }

    @Test
    void neitherRecipientNorPeerWritesFieldsOfItsOwn() {
        QueueId id = new QueueId(1L << 10);
        Recipient recipient = new Recipient(1, Address.of("\"b> status=sent <\"@y.example"),
                Optional.of("rfc822;b status=sent reply=\"250"), Set.of());
        Outcome outcome = new Outcome.Failed(Reply.of(550, "5.1.1", "no\" status=sent x=\"\u2028"),
                "mx.y.example[192.0.2.1]:25");
        new DeliveryLog(() -> 1, History.OFF).outcomes(new QmgrOrder.RecordOutcome(id, 1, List.of(recipient),
                List.of(new RecipientOutcome(1, outcome)), false));
        assertThat(lines.list).singleElement().extracting(ILoggingEvent::getFormattedMessage).asString().endsWith(
                "recipient=<b\\u003e\\u0020status=sent\\u0020\\u003c@y.example>"
                        + " original=rfc822;b\\u0020status=sent\\u0020reply=\\u0022250 host=mx.y.example[192.0.2.1]:25 delay=0.00"
                        + " result=failed reply=\"550 5.1.1 no' status=sent x='?\"");
    }

    @Test
    void aDeferralCarriesTheCodeOfItsReasonAndASuccessNone() {
        QueueId id = new QueueId(1L << 10);
        Recipient recipient = new Recipient(1, Address.of("b@y.example"));
        Outcome later = new Outcome.Deferred(Reply.of(450, "4.3.2", "queue-only"), "local");
        Outcome sent = new Outcome.Delivered(Reply.of(250, "2.0.0", "Ok"), "mx");
        new DeliveryLog(() -> 1, History.OFF)
                .outcomes(new QmgrOrder.RecordOutcome(id, 1, List.of(recipient, recipient, recipient),
                        List.of(RecipientOutcome.untried(1, later, QueuePhase.Code.QUEUE_ONLY),
                                new RecipientOutcome(1, later,
                                        new RecipientOutcome.Reached(Optional.of(QueuePhase.Code.FINAL_REPLY), 40)),
                                new RecipientOutcome(1, sent,
                                        new RecipientOutcome.Reached(Optional.of(QueuePhase.Code.FINAL_REPLY), 40))),
                        false));
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(first -> assertThat(first).contains(" result=deferred reason=queue-only reply="),
                        second -> assertThat(second).contains(" result=deferred reason=final-reply reply="),
                        third -> assertThat(third).contains(" result=sent reply="));
    }
}
