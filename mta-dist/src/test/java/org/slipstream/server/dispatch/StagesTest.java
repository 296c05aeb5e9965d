package org.slipstream.server.dispatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.smtpout.Carriers;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// The stages of a message: its recipients are read, their routes are looked up, it is delivered, and
/// its report is made. Each stage has threads of its own, so a stage that hangs does not stop the
/// others. indimail has a process for its first stage (`todo-proc`) for the same reason.
@Timeout(120)
@Tag("IM-18")
class StagesTest {
    private static final Route LOCAL = new Route.Local("here.example");
    private static final List<Recipient> TO_ANN = List.of(new Recipient(1, Address.of("ann@here.example")));

    /// More tasks than a stage has threads.
    private static final int MANY = 50;

    @TempDir
    Path folder;

    private final BlockingQueue<QmgrEvent> answers = new LinkedBlockingQueue<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Set<String> hanging = ConcurrentHashMap.newKeySet();
    private Spool spool;
    private Carriers carriers;
    private OrderDispatcher dispatcher;
    private QueueId message;

    @BeforeEach
    void open() throws Exception {
        spool = Spools.open(SpoolConfig.at(folder), System::currentTimeMillis);
        carriers = new Carriers(ClientConfig.of("mta.example"), new QmgrCarrierEvents(answers::add));
        dispatcher = new OrderDispatcher(slowToRead(spool), new Lookup(), carriers, _ -> false,
                (_, _, recipients, _) -> {
                    hangs("mailbox");
                    Outcome sent = new Outcome.Delivered(Reply.of(250, "2.0.0", "filed"), "local");
                    return new LocalDelivery.LocalResult.Decided(recipients.stream()
                            .map(each -> new RecipientOutcome(each.number(), sent)).toList());
                }, (_, _) -> {
                    hangs("report");
                    return true;
                }, answers::add, System::currentTimeMillis);
        message = committed();
    }

    @AfterEach
    void close() {
        goOn.countDown();
        dispatcher.close();
        carriers.close();
        spool.close();
    }

    private void hangs(String stage) {
        if (hanging.contains(stage)) {
            try {
                goOn.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException stop) {
                throw new IllegalStateException(stop);
            }
        }
    }

    private final class Lookup implements OrderDispatcher.Routes {
        @Override
        public boolean isQuick(String domain) {
            return false;
        }

        @Override
        public QmgrEvent find(String domain) {
            hangs("lookup");
            return new QmgrEvent.RouteKnown(domain, LOCAL);
        }
    }

    /// The real spool. Nothing is in memory, so that recipients are read on the threads for that.
    private Spool slowToRead(Spool real) {
        return (Spool) Proxy.newProxyInstance(Spool.class.getClassLoader(), new Class<?>[]{Spool.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("inMemory")) {
                        return Optional.empty();
                    }
                    if (method.getName().equals("readRecipients")) {
                        hangs("read");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private QueueId committed() throws IOException {
        try (Draft draft = spool.draft()) {
            byte[] text = "Subject: hello\r\n\r\nhello\r\n".getBytes(StandardCharsets.US_ASCII);
            draft.write(text, 0, text.length);
            return draft.commit(new Envelope(Address.parse("bob@there.example"), BodyType.SEVEN_BIT, false,
                    Optional.empty(), DsnReturn.UNSPECIFIED, TO_ANN)).id();
        }
    }

    private void order(String stage, int number) {
        dispatcher.order(switch (stage) {
            case "read" -> new QmgrOrder.ReadRecipients(message, 0, 10);
            case "lookup" -> new QmgrOrder.FindRoute("d" + number + ".example", message);
            case "mailbox" -> new QmgrOrder.Deliver(7, new Delivery(number, message, LOCAL, TO_ANN));
            case "report" -> new QmgrOrder.Notify(message, ReportKind.DELAYED);
            default -> throw new IllegalArgumentException(stage);
        });
    }

    private static Class<? extends QmgrEvent> answerOf(String stage) {
        return switch (stage) {
            case "read" -> QmgrEvent.RecipientsRead.class;
            case "lookup" -> QmgrEvent.RouteKnown.class;
            case "mailbox" -> QmgrEvent.DeliveryDone.class;
            default -> QmgrEvent.Notified.class;
        };
    }

    private void oneHangsAndTheOthersWork(String stage) throws InterruptedException {
        hanging.add(stage);
        for (int i = 0; i < MANY; i++) {
            order(stage, i);
        }
        for (String other : List.of("read", "lookup", "mailbox", "report")) {
            if (!other.equals(stage)) {
                order(other, MANY);
                assertThat(answers.poll(90, TimeUnit.SECONDS)).as("while " + stage + " hangs")
                        .isInstanceOf(answerOf(other));
            }
        }
        dispatcher.order(new QmgrOrder.Defer(message, System.currentTimeMillis()));
        assertThat(answers.poll(90, TimeUnit.SECONDS)).isInstanceOf(QmgrEvent.Filed.class);
        assertThat(answers).as("the stage still hangs").isEmpty();

        hanging.clear();
        goOn.countDown();
        for (int i = 0; i < MANY; i++) {
            assertThat(answers.poll(90, TimeUnit.SECONDS)).isInstanceOf(answerOf(stage));
        }
    }

    @Test
    void readsThatHangStopNoLookupAndNoDelivery() throws Exception {
        oneHangsAndTheOthersWork("read");
    }

    @Test
    void lookupsThatHangStopNoReadAndNoDelivery() throws Exception {
        oneHangsAndTheOthersWork("lookup");
    }

    @Test
    void mailboxesThatHangStopNoReadAndNoLookup() throws Exception {
        oneHangsAndTheOthersWork("mailbox");
    }

    @Test
    void reportsThatHangStopNoReadAndNoDelivery() throws Exception {
        oneHangsAndTheOthersWork("report");
    }
}
