package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Measures the bytes of a message in the active set and of a recipient in memory. Not a test.
///
/// Method: the heap in use after a collection, before and after the queue manager admitted the
/// mail, divided by the number of messages. Queue id, recipients and their addresses are created on
/// request and referenced by no other object, as in the server, so all of that is counted. All mail
/// waits: windows and connections are full. A recipient costs what a message of a thousand takes,
/// divided by a thousand; a message costs what one with one recipient takes, less that.
///
/// ```
/// mvn -q -Pbytes -pl mta-core,mta-qmgr test -DskipTests
/// ```
public final class BytesInCore {
    private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

    private final QueueManager manager;
    private final List<QmgrEvent> answers = new ArrayList<>();
    private final Route[] routes;
    private final int each;

    private BytesInCore(int messages, int each, int domains) {
        QmgrConfig config = Settings.of(s -> s.active(messages + 1).recipients(50, 1_000_000).also(
                c -> c.withMemory(new QueueSettings.Memory(10_000_000, 10))));
        this.manager = new QueueManager(config, config.plainSeating(new Random(1)), new Random(1));
        this.each = each;
        this.routes = new Route[domains];
        for (int i = 0; i < domains; i++) {
            routes[i] = new Route.Smtp(domain(i), List.of(new Route.Host("mx." + domain(i), 25, 10)));
        }
        for (int i = 0; i < messages; i++) {
            tell(new QmgrEvent.MessageQueued(new MessageSummary(new QueueId(i + 1),
                    Optional.of(Address.of("sender@here.example")), 0, 1_000, each, each, 0, 0, false, false)));
        }
        if (manager.queries().snapshot(0).messages().size() != messages) {
            throw new IllegalStateException("not all of them are active");
        }
    }

    private static double bytesOfOne(int messages, int each, int domains) {
        long before = used();
        BytesInCore core = new BytesInCore(messages, each, domains);
        double bytes = (used() - before) / (double) messages;
        core.tell(new QmgrEvent.Alarm()); // it was there until here
        return bytes;
    }

    private List<Recipient> recipients(long message) {
        List<Recipient> recipients = new ArrayList<>(each);
        for (int i = 0; i < each; i++) {
            recipients.add(new Recipient(i + 1,
                    new Address("recipient" + (message + i), domain((int) (message + i / 50) % routes.length))));
        }
        return recipients;
    }

    private static String domain(int i) {
        return "domain" + i + ".example";
    }

    private void tell(QmgrEvent event) {
        answers.add(event);
        while (!answers.isEmpty()) {
            manager.step(answers.removeFirst(), 0, this::order);
        }
    }

    private void order(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.ReadRecipients read -> answers.add(new QmgrEvent.RecipientsRead(read.id(),
                    recipients(read.id().value()), true));
            case QmgrOrder.FindRoute find -> answers.add(new QmgrEvent.RouteKnown(find.domain(),
                    routes[Integer.parseInt(find.domain().replaceAll("[^0-9]", ""))]));
            default -> {
                // Connections never come up, so everything waits.
            }
        }
    }

    private static long used() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            used = Math.min(used, MEMORY.getHeapMemoryUsage().getUsed());
        }
        return used;
    }

    public static void main(String[] arguments) {
        bytesOfOne(1_000, 10, 10); // loads classes
        double recipient = bytesOfOne(1_000, 1_000, 20) / 1_000;
        double single = bytesOfOne(100_000, 1, 1_000);
        System.out.printf("%.0f bytes a recipient, %.0f bytes a message (one with one recipient: %.0f)%n", recipient,
                single - recipient, single);
    }
}
