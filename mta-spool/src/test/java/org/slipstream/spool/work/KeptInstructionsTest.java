package org.slipstream.spool.work;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// Instructions of operators are kept: in the log, in the index, and when the index is made again.
class KeptInstructionsTest {
    private static final Instruction.Return BOUNCE = new Instruction.Return(Instruction.Cause.CANCELLED,
            "no such domain: \u00e4\u6f22");
    private static final Route RELAY = new Route.Smtp("[relay.example]:2525",
            List.of(new Route.Host("relay.example", 2525, 0)));
    private static final Instruction.HoldNote NOTE = new Instruction.HoldNote("ann", 1_700_000_000_000L,
            "until they have answered");
    private static final long HOUR = 3_600_000;

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private final long now = world.clock.millis();
    private Spool spool;

    @BeforeEach
    void open() throws Exception {
        spool = world.open(directory);
    }

    @AfterEach
    void close() {
        spool.close();
    }

    private void restart(boolean withoutIndex) throws Exception {
        spool.close();
        if (withoutIndex) {
            Files.deleteIfExists(directory.resolve("index.mv.db"));
        }
        spool = world.open(directory);
    }

    private void instruct(QueueId id, Instruction instruction) {
        TestMessages.done(then -> spool.instruct(id, instruction, then));
    }

    private MessageSummary summary(QueueId id) throws Exception {
        return spool.details(id).orElseThrow().summary();
    }

    @Test
    void instructionsSurviveARestartAnAttemptAndTheLossOfTheIndex() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
        instruct(id, BOUNCE);
        instruct(id, new Instruction.Reroute(Optional.of(RELAY)));
        instruct(id, new Instruction.Priority(0));
        instruct(id, new Instruction.Hold(Optional.of(NOTE)));
        Instructions all = new Instructions(Optional.of(BOUNCE), Optional.of(RELAY), OptionalInt.of(0),
                Optional.of(NOTE));
        assertThat(summary(id).instructions()).isEqualTo(all);

        TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(1,
                Outcome.of(Reply.of(450, "4.2.0", "later"), "mx.example.net"))), then));
        for (boolean withoutIndex : new boolean[]{false, true}) {
            restart(withoutIndex);
            assertThat(summary(id).instructions()).as("without index: %s", withoutIndex).isEqualTo(all);
            assertThat(summary(id).held()).isTrue();
            assertThat(spool.list(Optional.empty(), 10)).singleElement()
                    .satisfies(each -> assertThat(each.summary().instructions()).isEqualTo(all));
        }
    }

    @Test
    void aLaterInstructionReplacesTheEarlierOneOfItsKindOnly() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
        instruct(id, new Instruction.Reroute(Optional.of(RELAY)));
        instruct(id, BOUNCE);
        instruct(id, new Instruction.Reroute(Optional.empty()));
        instruct(id, new Instruction.Return(Instruction.Cause.EXPIRED, ""));
        assertThat(summary(id).instructions()).isEqualTo(new Instructions(
                Optional.of(new Instruction.Return(Instruction.Cause.EXPIRED, "")), Optional.empty(),
                OptionalInt.empty(), Optional.empty()));
    }

    @Test
    void theNoteOfAHoldEndsWithTheHold() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
        instruct(id, new Instruction.Hold(Optional.of(NOTE)));
        TestMessages.done(then -> spool.hold(id, true, then));
        assertThat(summary(id).instructions().hold()).as("the queue manager files it later").contains(NOTE);
        TestMessages.done(then -> spool.hold(id, false, then));
        assertThat(summary(id).held()).isFalse();
        assertThat(summary(id).instructions()).isEqualTo(Instructions.NONE);

        instruct(id, new Instruction.Hold(Optional.of(NOTE)));
        instruct(id, new Instruction.Hold(Optional.empty()));
        restart(true);
        assertThat(summary(id).held()).isFalse();
        assertThat(summary(id).instructions()).isEqualTo(Instructions.NONE);
    }

    @Test
    void theQueueManagerGetsTheInstructionsWithTheMessage() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
        instruct(id, BOUNCE);
        assertThat(TestMessages.claim(spool, QueueName.INCOMING, now, 10, now + HOUR).messages()).singleElement()
                .satisfies(found -> assertThat(found.instructions().ending()).contains(BOUNCE));
    }

    @Test
    void aPriorityReplacesTheSendersForTheSchedulerAndTheNextHost() throws Exception {
        DeliveryOptions sender = new DeliveryOptions(OptionalLong.empty(), Optional.empty(), 5, SenderTls.USUAL);
        QueueId id = TestMessages.commit(spool, TestMessages.envelope("bob@example.net").withOptions(sender),
                TestMessages.body(100, 1)).id();
        instruct(id, new Instruction.Priority(-7));
        assertThat(summary(id).options().priority()).isEqualTo(-7);
        assertThat(spool.envelope(id).orElseThrow().options().priority()).as("in memory").isEqualTo(-7);
        restart(false);
        assertThat(spool.envelope(id).orElseThrow().options().priority()).as("on disk").isEqualTo(-7);
    }

    @Test
    void takenUpAMessageIsDueAlthoughItIsOnHoldAndItsSenderWantsItLater() throws Exception {
        DeliveryOptions later = new DeliveryOptions(OptionalLong.of(now + HOUR), Optional.empty(), 0, SenderTls.USUAL);
        QueueId id = TestMessages.commit(spool, TestMessages.envelope("bob@example.net").withOptions(later),
                TestMessages.body(100, 1)).id();
        TestMessages.done(then -> spool.hold(id, true, then));
        TestMessages.done(then -> spool.takeUp(id, now, then));
        assertThat(summary(id).held()).isFalse();
        assertThat(TestMessages.claim(spool, now, 10, now + HOUR)).containsExactly(id);
    }

    @Test
    void anInstructionForAMessageThatIsGoneChangesNothing() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
        TestMessages.done(then -> spool.remove(id, then));
        instruct(id, BOUNCE);
        assertThat(spool.details(id)).isEmpty();
        restart(true);
        assertThat(spool.counts().messages()).isZero();
    }

    @Test
    void releasedFromHoldAMessageIsDueAtOnce() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
        TestMessages.done(then -> spool.defer(id, now + HOUR, then));
        TestMessages.done(then -> spool.hold(id, true, then));
        TestMessages.done(then -> spool.hold(id, false, then));
        assertThat(TestMessages.claim(spool, now, 10, now + HOUR)).containsExactly(id);
    }
}
