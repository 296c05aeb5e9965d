package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.Seating;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// The random worlds once more, with the rules of SMTP: shares, hosts that are not known to work, few idle connections. Every message comes to
/// an end, whatever outages, hang-ups, refusals, crashes and operators do. One delivery at a time on a connection, which is what the referee
/// of these worlds knows.
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
        PlaceRules rules = PlaceRules.defaults().with(PlaceRules.Depth.ONE).withWorkers(smtp.processLimit(), perHost)
                .with(new PlaceRules.Idle(2, config.idleLaneMillis(), 300_000))
                .with(PlaceRules.defaults().memory().withRetry(config.minimalBackoffMillis(), 60_000, 3_600_000));
        return new Seating(transport -> transport.equals("smtp") ? rules : config.plainRules(transport),
                new DestDb(rules.memory()), HostKeys.BY_NAME, HostMemory.NONE, new Random(seed));
    }
}
