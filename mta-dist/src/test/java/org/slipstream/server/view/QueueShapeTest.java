package org.slipstream.server.view;

import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The shape of a queue whose mail waits for very many hosts.
class QueueShapeTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final int HOSTS = 80_000;

    @Test
    void eachHostIsLookedAtOnceHoweverManyDomainsWaitForHosts() {
        AtomicInteger looks = new AtomicInteger();
        List<HostRecord> hosts = new AbstractList<>() {
            @Override
            public HostRecord get(int index) {
                looks.incrementAndGet();
                return new HostRecord("[" + address(index) + "]:25/may", "RETRY", "mx" + index + ".example", NOW - 1,
                        NOW + 300_000, 1, "450 4.4.1 refused", "");
            }

            @Override
            public int size() {
                return HOSTS;
            }
        };
        QueueShape shape = new QueueShape(ShapeBy.DESTINATION, new Spool.CommonRecords(hosts, List.of()), Map.of(),
                NOW);
        shape.add(message(Reply.of(450, "4.4.1", "refused")));
        assertThat(shape.rows()).hasSize(QueueShape.PAGE)
                .allSatisfy(row -> assertThat(row.state()).startsWith("host left alone until "));
        assertThat(looks.get()).isEqualTo(HOSTS);
    }

    @Test
    void aDeadNextHopIsFoundByTheFailureOfItsMail() {
        Map<String, DestinationState.Dead> dead = new LinkedHashMap<>();
        for (int i = 0; i < HOSTS; i++) {
            dead.put("[relay" + i + ".example]:25",
                    new DestinationState.Dead(NOW + i, Reply.of(450, "4.4.1", "no route to relay" + i)));
        }
        QueueShape shape = new QueueShape(ShapeBy.DESTINATION, Spool.CommonRecords.NONE, dead, NOW);
        shape.add(message(Reply.of(450, "4.4.1", "delivery temporarily suspended: no route to relay777")));
        assertThat(shape.rows()).allSatisfy(row -> assertThat(row.state())
                .isEqualTo("dead until 2027-01-15T08:00:00.777Z: 450 4.4.1 no route to relay777"));
    }

    /// Deferred at as many hosts as a page has messages.
    private static MessageDetails message(Reply reply) {
        List<Address> addresses = IntStream.range(0, QueueShape.PAGE).mapToObj(i -> Address.of("r@d" + i + ".example"))
                .toList();
        Envelope envelope = Envelope.of(Optional.empty(), addresses);
        List<RecipientState> states = new ArrayList<>();
        envelope.recipients().forEach(each -> states.add(new RecipientState(each, RecipientStatus.OPEN,
                Optional.of(new Outcome.Deferred(reply,
                        "mx.example[" + address(HOSTS - each.number()) + "]:25")),
                NOW - 1)));
        return new MessageDetails(new MessageSummary(new QueueId(1), Optional.empty(), NOW - 1, 1, addresses.size(),
                addresses.size(), 0, 1, false, false), envelope, NOW, states);
    }

    private static String address(int number) {
        return "192." + (number >> 16) + "." + (number >> 8 & 255) + "." + (number & 255);
    }
}
