package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.Place;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.Seating;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.lane.LaneSeating;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSeating;
import org.slipstream.qmgr.place.WorkerBudget.Shares;
import org.slipstream.qmgr.place.Workers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;

/// The lanes and the placement give the same order of deliveries, at the same times, in random worlds where every destination has one host and
/// every connection carries one delivery at a time.
class SeatingsAgreeTest {
    private static final int WORLDS = 3_000;

    @Test
    void lanesAndPlacementGiveTheSameOrder() {
        List<String> differences = new ArrayList<>();
        int deliveries = 0;
        Long only = Long.getLong("slipstream.seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? WORLDS : only); seed++) {
            Scenario calm = calm(RandomScenario.of(seed), true);
            long each = seed;
            List<String> lanes = deliveries(calm, LaneSeating::new);
            List<String> placement = deliveries(calm, config -> placement(config, each));
            deliveries += lanes.size();
            if (!lanes.equals(placement)) {
                int at = 0;
                while (at < Math.min(lanes.size(), placement.size()) && lanes.get(at).equals(placement.get(at))) {
                    at++;
                }
                differences.add("seed " + seed + " at " + at + ": lanes "
                        + (at < lanes.size() ? lanes.get(at) : "end") + " placement "
                        + (at < placement.size() ? placement.get(at) : "end"));
            }
        }
        assertThat(deliveries).isGreaterThan(50_000);
        assertThat(differences).isEmpty();
    }

    /// The order that the lanes gave, written down while they existed: what comes after them has to give the same one, also for mailboxes.
    @Test
    void theLanesGiveTheRecordedOrder() throws IOException {
        List<String> lines = new ArrayList<>();
        for (long seed = 1; seed <= WORLDS; seed++) {
            List<String> order = deliveries(calm(RandomScenario.of(seed), false), LaneSeating::new);
            lines.add(seed + " " + order.size() + " " + Integer.toHexString(order.hashCode()));
        }
        if ("write".equals(System.getProperty("slipstream.golden"))) {
            Files.write(Path.of("src/test/resources/order-of-lanes.txt"), lines);
        }
        assertThat(lines).isEqualTo(Files.readAllLines(Path.of("src/test/resources/order-of-lanes.txt")));
    }

    private static List<String> deliveries(Scenario scenario, Function<QmgrConfig, Seating> seating) {
        List<String> lines = new ArrayList<>();
        new World(scenario, new Witness() {
            @Override
            public void ordered(long nowMillis, QmgrOrder order) {
                if (order instanceof QmgrOrder.Deliver d) {
                    lines.add(nowMillis + " " + d.id() + " " + d.route().transport() + "/" + d.route().nextHop() + " "
                            + d.recipients().stream().map(r -> r.number()).toList());
                }
            }

            @Override
            public void happened(long nowMillis, QmgrEvent event) {
                // Only orders are compared.
            }
        }, seating).run();
        return lines;
    }

    /// The same world without connections that fail: what becomes of those is where the two differ on purpose.
    ///
    /// @param bySmtp all of it, also what goes into mailboxes
    private static Scenario calm(Scenario wild, boolean bySmtp) {
        List<Place> places = wild.places().stream().map(place -> calm(place, bySmtp)).toList();
        return new Scenario(wild.seed(), wild.config(), wild.batching(), wild.mails(), places, wild.house(),
                wild.deeds(), wild.crashesMillis());
    }

    private static Place calm(Place place, boolean bySmtp) {
        Server s = place.server();
        Route route = bySmtp && place.route() instanceof Route.Local
                ? new Route.Smtp(place.domain(), List.of(new Route.Host("mx." + place.domain(), 25, 10)))
                : place.route();
        return new Place(place.domain(), route, place.dnsFailures(), place.nowhere(),
                new Server(s.connect(), s.greeting(), s.delivery(), s.perRecipient(), Integer.MAX_VALUE, 0,
                        Integer.MAX_VALUE, 0, s.deferrals(), s.refusals(), Long.MAX_VALUE, List.of()));
    }

    private static Seating placement(QmgrConfig config, long seed) {
        TransportSettings smtp = config.transport("smtp");
        int perHost = smtp.concurrencyLimit() == 0 ? smtp.processLimit() : smtp.concurrencyLimit();
        PlaceRules rules = PlaceRules.defaults().withDepth(1, 1, 1).withWorkers(smtp.processLimit(), perHost)
                .withShares(new Shares(Integer.MAX_VALUE, 0), new Shares(1, 0))
                .withAges(Integer.MAX_VALUE, config.idleLaneMillis(), 300_000)
                .withMemory(config.minimalBackoffMillis(), 60_000, 3_600_000)
                .withUnproven(PlaceRules.Unproven.UNLIMITED);
        Workers workers = new Workers(rules, new DestDb(rules), new Random(seed));
        return new PlacementSeating(new LaneSeating(config), workers, HostKeys.BY_NAME, HostMemory.NONE);
    }
}
