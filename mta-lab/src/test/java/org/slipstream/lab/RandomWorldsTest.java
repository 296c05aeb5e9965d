package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario.Fortune;
import org.slipstream.lab.Scenario.Mail;
import org.slipstream.lab.Scenario.Place;
import org.slipstream.lab.World.Fate;
import org.slipstream.qmgr.QmgrEvent.Command;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/// Thousands of small worlds, in each of which every message must come to the end that its script has for it.
/// To look at one: `-Dslipstream.seed=N` runs that seed alone and prints its transcript.
class RandomWorldsTest {
    private static final int WORLDS = 2_000;

    @Test
    void everyMessageComesToItsEndInEveryWorld() {
        Long only = Long.getLong("slipstream.seed");
        if (only != null) {
            play(only, true);
            return;
        }
        for (long seed = 1; seed <= WORLDS; seed++) {
            try {
                play(seed, false);
            } catch (RuntimeException | AssertionError trouble) {
                throw new AssertionError("world of seed " + seed + ": " + trouble.getMessage()
                        + " (run it with -Dslipstream.seed=" + seed + ")", trouble);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 42, 1_001, 31_337})
    void theSameSeedGivesTheSameTranscriptByteForByte(long seed) {
        assertThat(transcript(seed)).isNotEmpty().isEqualTo(transcript(seed));
    }

    private static String transcript(long seed) {
        StringBuilder lines = new StringBuilder();
        new World(RandomScenario.of(seed)).transcribe(line -> lines.append(line).append('\n')).run();
        return lines.toString();
    }

    private static void play(long seed, boolean aloud) {
        Scenario scenario = RandomScenario.of(seed);
        play(scenario, new World(scenario), aloud);
    }

    static void play(Scenario scenario, World world, boolean aloud) {
        if (aloud) {
            world.transcribe(System.out::println);
        }
        world.run();
        Set<QueueId> touched = new TreeSet<>();
        Set<QueueId> deleted = new TreeSet<>();
        scenario.deeds().forEach(deed -> {
            switch (deed.command()) {
                case Command.Hold(QueueId id) -> touched.add(id);
                case Command.Delete(QueueId id) -> deleted.add(id);
                case Command.Release _,Command.Flush _ -> {
                    // Makes nothing worse.
                }
            }
        });
        for (Mail mail : scenario.mails()) {
            check(scenario, world, mail, touched.contains(mail.id()), deleted.contains(mail.id()));
        }
    }

    private static void check(Scenario scenario, World world, Mail mail, boolean touched, boolean deleted) {
        List<Fate> fates = world.fates(mail.id());
        for (int i = 0; i < fates.size(); i++) {
            int number = i + 1;
            Fate fate = fates.get(i);
            int copies = world.copies(mail.id(), number);
            String who = "recipient " + number + " of " + mail.id() + ", " + mail.recipients().get(i);
            assertThat(copies).as("copies for " + who).isLessThanOrEqualTo(1 + scenario.crashesMillis().size());
            if (fate == Fate.DELIVERED) {
                assertThat(copies).as(who).isPositive();
            } else if (scenario.crashesMillis().isEmpty()) {
                assertThat(copies).as(who).isZero();
            }
            if (fate == Fate.OPEN) {
                assertThat(world.isHeld(mail.id())).as(who + " is open and not held").isTrue();
            }
            if (!touched && !deleted) {
                assertThat(fate).as(who).isIn(expected(scenario, mail, i));
            }
        }
    }

    private static List<Fate> expected(Scenario scenario, Mail mail, int i) {
        Place place = scenario.places().stream()
                .filter(p -> p.domain().equals(mail.recipients().get(i).address().domainKey())).findFirst()
                .orElseThrow();
        Fate failed = mail.sender().isPresent() ? Fate.REPORTED : Fate.FAILED;
        if (!place.isReliable()) {
            return List.of(Fate.DELIVERED, failed);
        }
        return switch (mail.recipients().get(i).fortune()) {
            case Fortune.Welcome _,Fortune.Late _ -> List.of(Fate.DELIVERED);
            case Fortune.Refused _,Fortune.Never _ -> List.of(failed);
        };
    }
}
