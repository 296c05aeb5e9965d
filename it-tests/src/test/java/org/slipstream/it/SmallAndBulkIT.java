package org.slipstream.it;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A mailing to 2,000 recipients of one domain is under way, and a single message to the same
/// domain arrives: the case for which the order of service exists, with real sockets. The other
/// server takes 100 ms for each delivery on each of 20 connections.
///
/// Everything is a ratio of times of the same run, since the machine may be busy: the wait of a
/// single message, divided by the time that the mailing still took when it arrived.
class SmallAndBulkIT {
    private static final int RECIPIENTS = 2_000;
    private static final int PER_DELIVERY = 2;
    private static final int SINGLES = 3;
    private static final long SERVICE_MILLIS = 100;

    @RegisterExtension
    final Workbench bench = new Workbench();

    /// @param waited until the other server had the single message
    /// @param rest until it had the last of the mailing, both counted from our 250 for the single
    ///     message
    private record Wait(long waited, long rest) {
        double share() {
            return (double) waited / rest;
        }
    }

    /// The old manager reads a thousand recipients and serves later messages after them; the
    /// preemptive one gives the single message one of the next slots. The assertion leaves a margin
    /// for a busy machine; the measured values are printed.
    @Test
    @Tag("PF-43")
    @Tag("PF-73")
    void aMessagePassesTheMailingAndInTheOldManagerWaitsBehindIt() {
        List<Wait> preemptive = run("preemptive");
        List<Wait> roundRobin = run("round-robin");
        assertThat(median(preemptive)).isLessThan(0.3);
        assertThat(median(roundRobin)).isGreaterThan(3 * median(preemptive));
    }

    private static double median(List<Wait> waits) {
        return waits.stream().mapToDouble(Wait::share).sorted().toArray()[SINGLES / 2];
    }

    private List<Wait> run(String order) {
        SmtpSink far = bench.smtpSink();
        far.change(
                script -> script.on(SinkPhase.FINAL_DOT, SinkAction.usual().waits(Duration.ofMillis(SERVICE_MILLIS))));
        PackagedServer server = bench.server(Settings.quick().route(Settings.FAR_DOMAIN, far)
                .set("scheduler.order", order).set("queue.lanes-per-destination", "20").set("queue.lanes", "20")
                .set("queue.recipients-per-delivery", Integer.toString(PER_DELIVERY))
                .set("limits.recipients", Integer.toString(RECIPIENTS))
                // Otherwise the share of one message lets others pass in either order.
                .set("placement.max-message-concurrency", "20"));
        send(server, OutgoingMessage.of("mailing@x", "news@client.example",
                IntStream.range(0, RECIPIENTS).mapToObj(i -> "reader" + i + "@far.example").toList(),
                Bytes.ascii("News.\r\n")));
        List<Long> accepted = new ArrayList<>();
        for (int i = 0; i < SINGLES; i++) {
            int some = 100 + 100 * i;
            eventually().until(() -> far.messages().size() >= some);
            send(server, OutgoingMessage.of("single" + i + "@x", "someone@client.example", "friend@far.example"));
            accepted.add(System.nanoTime());
        }
        eventually().until(() -> far.messages().size() == RECIPIENTS / PER_DELIVERY + SINGLES);
        return told(order, far.messages(), accepted);
    }

    private static List<Wait> told(String order, List<ReceivedMessage> deliveries, List<Long> accepted) {
        long lastOfMailing = deliveries.stream().filter(each -> each.id().equals("mailing@x"))
                .mapToLong(ReceivedMessage::atNanos).max().orElseThrow();
        List<Wait> waits = new ArrayList<>();
        System.out.println("order        single  waited s  in slots of 100 ms  mailing's rest s  ratio");
        for (int i = 0; i < SINGLES; i++) {
            String id = "single" + i + "@x";
            long delivered = deliveries.stream().filter(each -> each.id().equals(id))
                    .mapToLong(ReceivedMessage::atNanos)
                    .findFirst().orElseThrow();
            Wait wait = new Wait(delivered - accepted.get(i), lastOfMailing - accepted.get(i));
            waits.add(wait);
            System.out.printf(Locale.ROOT, "%-12s %6d  %8.3f  %18.1f  %16.3f  %5.3f%n", order, i + 1,
                    wait.waited() / 1e9, wait.waited() / 1e6 / SERVICE_MILLIS, wait.rest() / 1e9, wait.share());
        }
        return waits;
    }

    private static void send(PackagedServer server, OutgoingMessage outgoing) {
        try (SmtpTalker talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
    }
}
