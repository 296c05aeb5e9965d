package org.slipstream.lab;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.World.FinalState;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// A day of a mail server: 10,000 messages to 300 destinations, outages, greylisting, a full
/// mailbox, a dead MX, and a server that is killed three times. After every event each acknowledged
/// recipient is in exactly one state ([AcceptedMail]). `docs/day.md` and its picture are made from
/// this run; to accept an intended change, run `mvn -pl mta-lab -am test -Dtest=DayTest
/// -Dslipstream.golden=write`.
class DayTest {
    private static final int MESSAGES = 10_000;
    private static final long MOST_EVENTS = 1_000_000;
    private static final Path DOCS = Path.of("../docs");

    private static Scenario scenario;
    private static World world;
    private static DayRecorder recorder;
    private static int held;

    @BeforeAll
    static void theDay() {
        DayScenario day = DayScenario.of(MESSAGES);
        scenario = day.scenario();
        recorder = new DayRecorder(day.troubles());
        world = new World(scenario, recorder).atMost(MOST_EVENTS);
        List<Long> kills = DayScenario.kills();
        for (long minute = 1; minute <= 24 * 60; minute++) {
            long until = minute * DayScenario.MINUTE;
            kills.stream().filter(kill -> kill > until - DayScenario.MINUTE && kill <= until).forEach(kill -> {
                world.run(kill - 1);
                recorder.beforeKill(world, kill);
            });
            world.run(until);
            recorder.minute(world, until);
            if (minute % 60 == 0) {
                recorder.hour(world, until);
            }
        }
        held = world.totals().held();
        world.run();
    }

    @Test
    void theDayHasWhatADayHas() {
        assertThat(scenario.mails()).hasSize(MESSAGES);
        assertThat(scenario.domains()).hasSize(300);
        assertThat(recorder.kills).hasSize(3).allSatisfy(kill -> assertThat(kill.running()).isPositive());
        assertThat(recorder.troubles).allSatisfy((name, trouble) -> assertThat(trouble.deferred + trouble.untried)
                .as(name.toString()).isGreaterThanOrEqualTo(name.defers() ? 1 : 0));
        assertThat(held).as("held at midnight").isPositive();
    }

    @Test
    void everyRecipientWasInExactlyOneStateAfterEveryEventAndNothingIsLost() {
        AcceptedMail.MailAccount totals = world.totals();
        assertThat(world.checks()).as("checks of invariants").isGreaterThan(world.events() * 10);
        assertThat(totals.queued() + totals.held() + totals.deleted()).isZero();
        assertThat(totals.delivered() + totals.bounced()).isEqualTo(totals.accepted());
        for (SimulatedMail mail : scenario.mails()) {
            assertThat(world.states(mail.id())).as(mail.toString())
                    .allMatch(state -> state == FinalState.DELIVERED || state == FinalState.REPORTED);
        }
    }

    @Test
    void onlyKillsAndLostRepliesDeliverTwice() {
        assertThat(copiesBeyondOne()).isLessThanOrEqualTo(
                recorder.kills.stream().mapToLong(kill -> kill.running()).sum() + lostReplies());
    }

    @Test
    void onlyMailForTheDeadAndTheRefusedIsReturned() {
        for (SimulatedMail mail : scenario.mails()) {
            for (int i = 0; i < mail.recipients().size(); i++) {
                String domain = mail.recipients().get(i).address().domainKey();
                boolean hopeless = domain.equals(DayScenario.DEAD) || domain.equals(DayScenario.UNKNOWN)
                        || mail.recipients().get(i).script() instanceof Scenario.ReplyScript.Refused;
                assertThat(world.states(mail.id()).get(i) == FinalState.REPORTED).as(mail.toString())
                        .isEqualTo(hopeless);
            }
        }
    }

    @Test
    void thePageAndThePictureAreCurrent() throws IOException {
        DayPage page = new DayPage(scenario, world, recorder, copiesBeyondOne());
        golden("day.md", page.text());
        golden("pictures/day.svg", page.picture());
    }

    private static void golden(String name, String current) throws IOException {
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(DOCS.resolve(name), current);
        }
        assertThat(DOCS.resolve(name)).content().isEqualTo(current);
    }

    private static long copiesBeyondOne() {
        return numbers().map(id -> copies(new QueueId(id))).sum();
    }

    private static long copies(QueueId id) {
        long more = 0;
        for (int number = 1; number <= world.states(id).size(); number++) {
            more += Math.max(0, world.copies(id, number) - 1);
        }
        return more;
    }

    private static long lostReplies() {
        return numbers().mapToObj(QueueId::new)
                .mapToLong(id -> LongStream.rangeClosed(1, world.states(id).size())
                        .map(number -> world.unconfirmed(id, (int) number)).sum())
                .sum();
    }

    private static LongStream numbers() {
        return scenario.mails().stream().mapToLong(mail -> mail.id().value());
    }
}
