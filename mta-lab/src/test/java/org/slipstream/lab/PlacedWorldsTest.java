package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.Seating;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.lane.LaneSeating;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSeating;
import org.slipstream.qmgr.place.Workers;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// The random worlds once more, with placement instead of lanes: outages, hang-ups, refusals, crashes and operators, and every
/// message comes to an end. One letter at a time on a connection, because that is what the referee of these worlds knows.
/// To look at one: `-Dslipstream.seed=N`.
class PlacedWorldsTest {
    private static final int WORLDS = 1_000;

    @Test
    void everyMessageComesToItsEndInEveryWorld() {
        Long only = Long.getLong("slipstream.seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? WORLDS : only); seed++) {
            try {
                RandomWorldsTest.play(RandomScenario.of(seed), world(seed), only != null);
            } catch (RuntimeException | AssertionError trouble) {
                throw new AssertionError("world of seed " + seed + ": " + trouble.getMessage(), trouble);
            }
        }
    }

    @Test
    void theSameSeedGivesTheSameTranscript() {
        for (long seed : new long[]{1, 7, 42}) {
            assertThat(transcript(seed)).isNotEmpty().isEqualTo(transcript(seed));
        }
    }

    private static String transcript(long seed) {
        StringBuilder lines = new StringBuilder();
        world(seed).transcribe(line -> lines.append(line).append('\n')).run();
        return lines.toString();
    }

    private static World world(long seed) {
        return new World(RandomScenario.of(seed), Witness.NOBODY, config -> seating(config, seed));
    }

    private static Seating seating(QmgrConfig config, long seed) {
        TransportSettings smtp = config.transport("smtp");
        int perHost = smtp.concurrencyLimit() == 0 ? smtp.processLimit() : smtp.concurrencyLimit();
        PlaceRules rules = PlaceRules.defaults().withBacklog(1, 1).withWorkers(smtp.processLimit(), perHost)
                .withAges(2, config.idleLaneMillis(), 300_000)
                .withMemory(config.minimalBackoffMillis(), 60_000, 3_600_000);
        Workers workers = new Workers(rules, new DestDb(rules), new Random(seed));
        return new PlacementSeating(new LaneSeating(config), workers, HostKeys.BY_NAME, HostMemory.NONE);
    }
}
