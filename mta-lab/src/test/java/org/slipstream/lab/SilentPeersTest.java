package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.Fault;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Destinations that accept connections and send no greeting, eight messages each, beside mail for
/// healthy destinations. The rules are those of the server, with one delivery at a time on a
/// connection.
class SilentPeersTest {
    private static final int HEALTHY = 20;
    private static final int CHECKED = 60;
    private static final long SILENCE_MILLIS = 8 * 60_000;
    private static final PlaceRules RULES = PlaceRules.defaults().with(PlaceRules.Depth.ONE);

    @Test
    void besideSixtySilentDestinationsHealthyMailIsDeliveredAtOnce() {
        assertThat(slowestHealthyMillis(60, HEALTHY)).isLessThan(2_000);
    }

    /// The message is behind all others, and every host gets its turn. There are four rounds of 75
    /// connections. Without the yield of unproven hosts each round takes a greeting timeout of five
    /// minutes.
    @Test
    void besideThreeHundredTheFirstMailForAHostThatIsUnknownWaitsForItsTurn() {
        assertThat(slowestHealthyMillis(300, 1))
                .isLessThan(300 / RULES.mostUnproven() * RULES.unproven().yieldMillis() + 2_000);
    }

    /// The hosts become known in the first minute. Four minutes later all silent hosts are tried
    /// again.
    @Test
    void hostsThatFailedTakeLessThanHostsOfWhichNothingIsKnown() {
        Map<QueueId, Long> done = delivered(200, HEALTHY, 6 * 60_000);
        assertThat(done).hasSize(HEALTHY);
        assertThat(done.values()).allSatisfy(
                millis -> assertThat(millis).isLessThan(6 * 60_000 + RULES.unproven().yieldMillis() + 2_000));
    }

    private static long slowestHealthyMillis(int silent, int healthy) {
        Map<QueueId, Long> done = delivered(silent, healthy, 1_000);
        assertThat(done).hasSize(healthy);
        return done.values().stream().mapToLong(millis -> millis - 1_000).max().orElseThrow();
    }

    /// The times at which the healthy messages were removed from the queue.
    ///
    /// @param arriveMillis of the healthy messages, after all others
    private static Map<QueueId, Long> delivered(int silent, int healthy, long arriveMillis) {
        List<SimulatedDomain> domains = new ArrayList<>();
        List<SimulatedMail> mails = new ArrayList<>();
        List<Outage> mute = List.of(new Outage(0, SILENCE_MILLIS, Fault.NO_GREETING));
        for (int d = 0; d < silent; d++) {
            domains.add(target("silent" + d + ".example", mute));
            for (int i = 0; i < 8; i++) {
                mails.add(mail(mails.size() + 1, 0, "silent" + d + ".example"));
            }
        }
        long firstHealthy = mails.size() + 1L;
        for (int d = 0; d < healthy; d++) {
            domains.add(target("healthy" + d + ".example", List.of()));
            mails.add(mail(mails.size() + 1, arriveMillis, "healthy" + d + ".example"));
        }
        Scenario scenario = new Scenario(1, QmgrConfig.defaults(), true, mails, domains,
                new OwnServer(1, 1, 1, 0, 0), List.of(), List.of(), RULES);
        Map<QueueId, Long> done = new LinkedHashMap<>();
        World world = new World(scenario, new WorldObserver() {
            @Override
            public void ordered(long nowMillis, QmgrOrder order) {
                if (order instanceof QmgrOrder.Remove remove && remove.id().value() >= firstHealthy) {
                    done.put(remove.id(), nowMillis);
                }
            }
        });
        if (silent > CHECKED) {
            // The state has an explanation of each of 2,000 messages.
            world.withoutStateChecks();
        }
        world.run();
        return done;
    }

    private static SimulatedDomain target(String domain, List<Outage> outages) {
        Route route = new Route.Smtp(domain, List.of(new Route.Host("mx." + domain, 25, 0)));
        return new SimulatedDomain(domain, route, 0, false, 20, 50, outages, Integer.MAX_VALUE, 0, Long.MAX_VALUE);
    }

    private static SimulatedMail mail(long id, long arrivalMillis, String domain) {
        return new SimulatedMail(new QueueId(id), arrivalMillis, Optional.of(Address.of("s@here.example")),
                List.of(new SimulatedRecipient(Address.of("a@" + domain), new ReplyScript.Welcome())));
    }
}
