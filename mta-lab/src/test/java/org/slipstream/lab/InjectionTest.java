package org.slipstream.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueueName;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail is injected ten times as fast as it is delivered. If each new message causes a scan of the
/// incoming queue, the rate of deliveries collapses ("silly qmail"). Here mail arrives by event, and
/// the rate stays as it is.
class InjectionTest {
    private static final int WAITING = 10_000;
    private static final int INJECTED = 50_000;
    private static final int DOMAINS = 50;
    private static final int DELIVER_MILLIS = 500;

    /// Each change of the spool, and each scan, takes this long, one after the other.
    private static final int WRITE_MILLIS = 1;

    /// Injection from second 10 on, with [#INJECTION_SECONDS] seconds of it.
    private static final int FROM_SECOND = 10;
    private static final int INJECTION_SECONDS = 25;

    private static final class Counts implements WorldObserver {
        private final int[] perSecond = new int[10_000];
        private int incomingScans;

        @Override
        public void happened(long nowMillis, QmgrEvent event) {
            if (event instanceof QmgrEvent.DeliveryDone) {
                perSecond[(int) (nowMillis / 1_000)]++;
            }
        }

        @Override
        public void ordered(long nowMillis, QmgrOrder order) {
            if (order instanceof QmgrOrder.Scan scan && scan.queue() == QueueName.INCOMING
                    && nowMillis < (FROM_SECOND + INJECTION_SECONDS) * 1_000L) {
                incomingScans++;
            }
        }

        /// Deliveries while mail is injected.
        int duringInjection() {
            return IntStream.range(FROM_SECOND, FROM_SECOND + INJECTION_SECONDS).map(i -> perSecond[i]).sum();
        }

        int slowestSecond() {
            return IntStream.range(FROM_SECOND, FROM_SECOND + INJECTION_SECONDS).map(i -> perSecond[i]).min().orElse(0);
        }
    }

    private static SimulatedMail mail(int number, long arrivalMillis) {
        return new SimulatedMail(new QueueId(number), arrivalMillis, Optional.of(Address.of("s@here.example")),
                List.of(new SimulatedRecipient(Address.of("u@d" + number % DOMAINS + ".example"),
                        new ReplyScript.Welcome())));
    }

    private static Scenario scenario(boolean injecting) {
        List<SimulatedMail> mails = new ArrayList<>();
        IntStream.rangeClosed(1, WAITING).forEach(i -> mails.add(mail(i, 0)));
        if (injecting) {
            IntStream.rangeClosed(1, INJECTED).forEach(i -> mails.add(mail(WAITING + i,
                    FROM_SECOND * 1_000L + (long) i * INJECTION_SECONDS * 1_000 / INJECTED)));
        }
        List<SimulatedDomain> domains = IntStream.range(0, DOMAINS).mapToObj(i -> "d" + i + ".example")
                .map(name -> new SimulatedDomain(name,
                        new Route.Smtp(name, List.of(new Route.Host("mx." + name, 25, 10))), 0, false, 20,
                        DELIVER_MILLIS, List.of(), 100, 0, 60_000))
                .toList();
        QmgrConfig config = QmgrConfig.defaults();
        return new Scenario(1, config, true, mails, domains, new OwnServer(WRITE_MILLIS, 1, 1, 0, 0), List.of(),
                List.of(),
                QueueManagers.production(config));
    }

    private static Counts run(boolean injecting, int messages) {
        Counts counts = new Counts();
        World world = new World(scenario(injecting), counts).atMost(5_000_000).withoutStateChecks();
        world.run();
        assertThat(world.reasons()).hasSize(messages);
        assertThat(world.snapshot().unannounced()).as("new mail that only a scan found").isZero();
        return counts;
    }

    @Test
    @Tag("IM-16")
    void fiftyThousandInjectedMessagesLeaveTheRateOfDeliveriesAsItIs() {
        Counts without = run(false, WAITING);
        Counts with = run(true, WAITING + INJECTED);

        assertThat(with.duringInjection()).as("deliveries in the seconds of the injection")
                .isGreaterThanOrEqualTo(without.duringInjection() * 99 / 100);
        assertThat(with.slowestSecond()).isGreaterThanOrEqualTo(without.slowestSecond() * 9 / 10);
        assertThat(with.incomingScans).as("scans do not grow with the mail")
                .isLessThanOrEqualTo(without.incomingScans + INJECTION_SECONDS);
    }
}
