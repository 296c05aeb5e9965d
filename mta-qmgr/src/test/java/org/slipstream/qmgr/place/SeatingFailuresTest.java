package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// The whole queue manager beside hosts that refuse or stay silent.
class SeatingFailuresTest {
    private final SeatingStory story = new SeatingStory();

    @Test
    void oneDeadHostOfTwoGivesTheDestinationNoFeedback() {
        story.route("far.example", "mx1.far.example", "mx2.far.example");
        for (int i = 0; i < 20; i++) {
            story.queue("a@far.example");
        }
        story.refuse(story.lastOpen());
        story.happens(new QmgrEvent.ConnectionReady(story.lastOpen().connection()));
        List<QmgrOrder.Open> toSecond = story.ordered(QmgrOrder.Open.class).stream()
                .filter(open -> ((Route.Smtp) open.route()).hosts().getFirst().name().equals("mx2.far.example"))
                .toList();
        assertThat(toSecond).as("the same concurrency, elsewhere").hasSize(5);
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class)).isEmpty();
        assertThat(story.remembered).hasSize(1).allSatisfy(change -> assertThat(change)
                .isInstanceOfSatisfying(HostRow.Change.Put.class,
                        put -> assertThat(put.row().name()).isEqualTo("mx1.far.example")));
    }

    @Test
    void aWorkingHostThatTurnsAwayASecondConnectionShrinksTheWindowOnceAndLosesNoMessage() {
        story.start(PlaceRules.defaults().with(new PlaceRules.Depth(2, 50, 2)));
        story.route("far.example", "mx.far.example");
        story.queue("a@far.example");
        story.happens(new QmgrEvent.ConnectionReady(story.lastOpen().connection()));
        for (int i = 0; i < 3; i++) {
            story.queue("a@far.example");
        }
        List<QmgrOrder.Open> opens = story.ordered(QmgrOrder.Open.class);
        assertThat(opens).hasSize(2);
        story.refuse(opens.getLast());
        assertThat(story.windows).containsExactly("NEW 5", "FAIL 4");
        assertThat(story.ordered(QmgrOrder.Deliver.class)).as("all ride on the one that works").hasSize(4)
                .allSatisfy(d -> assertThat(d.connection()).isEqualTo(opens.getFirst().connection()));
        story.work(story.ordered(QmgrOrder.Deliver.class));
        assertThat(story.ordered(QmgrOrder.Remove.class)).hasSize(4);
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(2);
    }

    @Test
    @Tag("PF-04")
    @Tag("PF-10")
    void eachAttemptIsOneFeedbackAndWhatIsLeftIsSuspendedWhenTheCohortsSayDead() {
        story.route("far.example", "mx.far.example");
        story.dies("far.example");
        int attempts = story.ordered(QmgrOrder.Open.class).size();
        assertThat(attempts).isBetween(2, 9);
        assertThat(story.windows).filteredOn(line -> line.startsWith("FAIL")).hasSize(attempts).last().asString()
                .startsWith("FAIL_DEAD");
        assertThat(story.ordered(QmgrOrder.Defer.class)).hasSize(10);
        List<String> replies = story.ordered(QmgrOrder.RecordOutcome.class).stream()
                .map(record -> record.outcomes().getFirst().outcome().reply().text()).toList();
        assertThat(replies).filteredOn("connection refused"::equals).hasSize(attempts);
        assertThat(replies).filteredOn("delivery temporarily suspended: connection refused"::equals)
                .hasSize(10 - attempts);
        assertThat(story.remembered).as("the host is marked once, with the end of the destination").hasSize(1);
    }

    @Test
    void aFailureThatDoesNotKillTheDestinationLeavesItsHostUnmarked() {
        story.route("far.example", "mx.far.example");
        story.queue("a@far.example");
        story.refuse(story.lastOpen());
        assertThat(story.remembered).isEmpty();
        story.queue("b@far.example");
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(2);
    }

    @Test
    @Tag("FI-21")
    void fi21WhenNoHostIsLeftTheMessageIsDeferredAndTheNextOneIsNotEvenTried() {
        story.route("far.example", "mx.far.example");
        story.route("other.example", "mx.far.example");
        story.dies("far.example");
        int opened = story.ordered(QmgrOrder.Open.class).size();
        for (String recipient : List.of("b@far.example", "b@other.example")) {
            QueueId next = story.queue(recipient);
            story.alarm(story.now);
            assertThat(story.ordered(QmgrOrder.Open.class)).as(recipient).hasSize(opened);
            assertThat(story.ordered(QmgrOrder.Defer.class).getLast().id()).isEqualTo(next);
            assertThat(story.ordered(QmgrOrder.RecordOutcome.class).getLast()).satisfies(record -> {
                assertThat(record.attempt()).isFalse();
                assertThat(record.outcomes().getFirst().outcome().reply().text())
                        .isEqualTo("delivery temporarily suspended: connection refused");
            });
        }
    }

    @Test
    @Tag("PF-16")
    void aFailureOfOurOwnPausesTheTransportAndTeachesNothingAboutTheDestination() {
        story.route("far.example", "mx.far.example");
        story.route("other.example", "mx.other.example");
        for (int i = 0; i < 10; i++) {
            story.queue("a@far.example");
        }
        story.happens(new QmgrEvent.ConnectionFailed(story.lastOpen().connection(),
                Reply.of(451, "4.3.0", "no sockets"), "local",
                true, OptionalLong.empty()));
        int opened = story.ordered(QmgrOrder.Open.class).size();
        assertThat(opened).isEqualTo(1);
        assertThat(story.ordered(QmgrOrder.Defer.class)).hasSize(10);
        assertThat(story.windows).noneMatch(line -> line.startsWith("FAIL") || line.startsWith("OK"));
        assertThat(story.remembered).isEmpty();
        story.queue("a@other.example");
        assertThat(story.ordered(QmgrOrder.Open.class)).as("nor to another destination").hasSize(opened);
        story.alarm(story.now + QmgrConfig.defaults().transportRetryMillis());
        story.queue("b@other.example");
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(opened + 1);
    }

    /// Two domains that have just died, each with its own host.
    @Test
    void aFlushOfADomainRevivesItsOwnHostsAndNoOthers() {
        story.route("one.example", "mx.one.example");
        story.route("two.example", "mx.two.example");
        story.dies("one.example");
        story.dies("two.example");
        int opened = story.ordered(QmgrOrder.Open.class).size();
        story.alarm(story.now + 1_000);
        story.happens(new QmgrEvent.Operator(
                new QmgrEvent.OperatorCommand.FlushAll(Optional.of("one.example"))));
        story.queue("b@two.example");
        story.alarm(story.now);
        assertThat(story.ordered(QmgrOrder.Open.class)).as("the other host rests").hasSize(opened);
        story.queue("b@one.example");
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(opened + 1);
        assertThat(story.lastOpen().route().nextHop()).isEqualTo("one.example");
    }

    @Test
    void aTryThatIsForbiddenByASuspensionIsNoAttemptAndTheNextOneComesWhenItEnds() {
        story.route("far.example", "mx.far.example");
        HostKey host = HostKey.of("mx.far.example", 25);
        story.seating.suspend(host, "maintenance", "ann", story.now + 60_000, story.now);
        story.queue("a@far.example");
        story.alarm(story.now);
        QmgrOrder.RecordOutcome record = story.ordered(QmgrOrder.RecordOutcome.class).getLast();
        assertThat(record.attempt()).isFalse();
        assertThat(record.outcomes().getFirst().outcome().remote()).isEqualTo(host.toString());
        assertThat(story.ordered(QmgrOrder.Defer.class).getLast().nextAttemptMillis()).isEqualTo(story.now + 60_000);

        story.seating.suspend(host, "maintenance", "ann", Long.MAX_VALUE, story.now);
        story.queue("b@far.example");
        story.alarm(story.now);
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class).getLast().attempt()).isFalse();
        assertThat(story.ordered(QmgrOrder.Defer.class).getLast().nextAttemptMillis()).as("nobody knows until when")
                .isEqualTo(story.now + 300_000);
    }

    @Test
    void whatFailsAtTheFirstAttemptIsTriedAgainSoonHoweverLongItWasPutOff() {
        story.route("far.example", "mx.far.example");
        story.queue("a@far.example");
        story.refuse(story.lastOpen());
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class).getLast().attempt()).isTrue();
        long hours = 7_200_000;
        story.now += hours;
        QueueId putOff = new QueueId(77);
        story.mail.put(putOff, List.of(new Recipient(1, Address.of("a@far.example"))));
        story.happens(new QmgrEvent.MessageQueued(new MessageSummary(putOff, Optional.of(Address.of("s@here.example")),
                story.now - hours, 1_000, 1, 1, 0, 0, false, false)));
        story.refuse(story.lastOpen());
        assertThat(story.ordered(QmgrOrder.Defer.class).getLast())
                .isEqualTo(new QmgrOrder.Defer(putOff, story.now + 300_000));
    }

    @Test
    void sixtySilentDestinationsLeaveRoomForHealthyMail() {
        for (int d = 0; d < 60; d++) {
            story.route("silent" + d + ".example", "mx.silent" + d + ".example");
            for (int i = 0; i < 8; i++) {
                story.queue("a@silent" + d + ".example");
            }
        }
        assertThat(story.ordered(QmgrOrder.Open.class)).as("one connection each").hasSize(60);
        story.route("new.example", "mx.new.example");
        QueueId first = story.queue("a@new.example");
        QmgrOrder.Open open = story.lastOpen();
        assertThat(open.route().nextHop()).isEqualTo("new.example");
        story.happens(new QmgrEvent.ConnectionReady(open.connection()));
        story.done(story.ordered(QmgrOrder.Deliver.class).getLast());
        assertThat(story.ordered(QmgrOrder.Remove.class)).singleElement()
                .satisfies(remove -> assertThat(remove.id()).isEqualTo(first));
    }

    @Test
    void whereMoreAreSilentThanMayBeAHostThatIsKnownToWorkStillFindsAPlace() {
        story.route("known.example", "mx.known.example");
        story.queue("a@known.example");
        story.work();
        for (int d = 0; d < 200; d++) {
            story.route("silent" + d + ".example", "mx.silent" + d + ".example");
            story.queue("a@silent" + d + ".example");
        }
        assertThat(story.seating.figures().unproven()).isEqualTo(75);
        assertThat(story.seating.figures().isShort()).isTrue();
        int before = story.ordered(QmgrOrder.Deliver.class).size();
        for (int i = 0; i < 20; i++) {
            story.queue("a@known.example");
        }
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSizeGreaterThan(before);

        story.route("new.example", "mx.new.example");
        story.queue("a@new.example");
        assertThat(story.ordered(QmgrOrder.Open.class)).noneMatch(open -> open.route().nextHop().equals("new.example"));
    }

    @Test
    void aConnectionWithoutAGreetingIsEvictedWhenConnectionsAreShort() {
        for (int d = 0; d < 75; d++) {
            story.route("silent" + d + ".example", "mx.silent" + d + ".example");
            story.queue("a@silent" + d + ".example");
        }
        long first = story.ordered(QmgrOrder.Open.class).getFirst().connection();
        assertThat(story.manager.nextAlarmMillis()).as("nothing is short yet").isGreaterThan(story.now + 30_000);
        story.route("new.example", "mx.new.example");
        story.queue("a@new.example");
        assertThat(story.manager.nextAlarmMillis()).isEqualTo(story.now + 30_000);
        story.alarm(story.now + 30_000);
        assertThat(story.ordered(QmgrOrder.Close.class)).singleElement()
                .satisfies(close -> assertThat(close.connection()).isEqualTo(first));
        assertThat(story.lastOpen().route().nextHop()).isEqualTo("new.example");
        story.alarm(story.now);
        assertThat(story.ordered(QmgrOrder.Defer.class)).singleElement()
                .satisfies(defer -> assertThat(defer.id()).isEqualTo(new QueueId(1)));
        assertThat(
                story.ordered(QmgrOrder.RecordOutcome.class).getLast().outcomes().getFirst().outcome().reply().text())
                .contains("mx.silent0.example has sent no greeting for 30 s");
        assertThat(story.seating.figures().unproven()).isEqualTo(75);
    }
}
