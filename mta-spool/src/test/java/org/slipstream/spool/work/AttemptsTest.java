package org.slipstream.spool.work;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientOutcome.Reached;
import org.slipstream.spool.Spool;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The history of attempts of a message in the queue.
class AttemptsTest {
    private static final Reply BUSY = Reply.of(421, "4.7.0", "too busy");
    private static final Reply UNKNOWN_USER = Reply.of(450, "4.1.1", "user\0unknown");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private Spool spool;

    @BeforeEach
    void open() throws Exception {
        spool = world.open(directory);
    }

    @AfterEach
    void close() {
        spool.close();
    }

    private void attempt(QueueId id, RecipientOutcome... outcomes) {
        TestMessages.done(then -> spool.record(id, List.of(outcomes), true, then));
    }

    private static RecipientOutcome deferred(int number, Reply reply, Code phase, long tookMillis) {
        return new RecipientOutcome(number, new Outcome.Deferred(reply, "mx.example.net[192.0.2.1]:25"),
                new Reached(Optional.of(phase), tookMillis));
    }

    @Test
    void recipientsOfOneAttemptWithTheSameReplyAreOneEntryAndTheLatestAttemptIsTheFirst() throws Exception {
        QueueId id = TestMessages.commit(spool,
                TestMessages.envelope("a@example.net", "b@example.net", "c@example.net"), new byte[10]).id();
        assertThat(spool.attempts(id)).isEmpty();
        attempt(id, deferred(1, BUSY, Code.GREETING, 40), deferred(2, BUSY, Code.GREETING, 40),
                deferred(3, UNKNOWN_USER, Code.RCPT, 40));
        world.clock.advanceMillis(300_000);
        attempt(id, deferred(1, BUSY, Code.GREETING, 55));
        for (int start = 0; start < 2; start++) {
            long now = world.clock.millis();
            assertThat(spool.attempts(id)).containsExactly(
                    new PastAttempt(now, "mx.example.net[192.0.2.1]:25", Optional.of(Code.GREETING), BUSY, 55, 1),
                    new PastAttempt(now - 300_000, "mx.example.net[192.0.2.1]:25", Optional.of(Code.GREETING), BUSY, 40,
                            2),
                    new PastAttempt(now - 300_000, "mx.example.net[192.0.2.1]:25", Optional.of(Code.RCPT),
                            Reply.of(450, "4.1.1", "user unknown"), 40, 1));
            spool.close();
            spool = world.open(directory);
        }
    }

    @Test
    void theLatestTwentyAttemptsAreKeptAndOtherMessagesAreNotAffected() throws Exception {
        QueueId id = TestMessages.commit(spool, "a@example.net", new byte[10]);
        QueueId other = TestMessages.commit(spool, "b@example.net", new byte[10]);
        attempt(other, deferred(1, BUSY, Code.GREETING, 1));
        long first = world.clock.millis();
        for (int i = 0; i < 25; i++) {
            world.clock.advanceMillis(1_000);
            attempt(id, deferred(1, BUSY, Code.GREETING, i));
        }
        assertThat(spool.attempts(id)).extracting(PastAttempt::tookMillis)
                .isEqualTo(IntStream.range(0, 20).mapToObj(i -> 24L - i).toList());
        assertThat(spool.attempts(other)).extracting(PastAttempt::atMillis).containsExactly(first);
        TestMessages.done(then -> spool.remove(id, then));
        assertThat(spool.attempts(id)).as("the history goes with its message").isEmpty();
    }

    @Test
    void aDeferralWithoutAnAttemptLeavesItsReasonAndNoAttempt() throws Exception {
        QueueId id = TestMessages.commit(spool, "a@example.net", new byte[10]);
        Outcome later = new Outcome.Deferred(Reply.of(450, "4.3.2", "queue-only"), "local");
        TestMessages.done(then -> spool.record(id, List.of(RecipientOutcome.untried(1, later, Code.QUEUE_ONLY)), false,
                then));
        for (int start = 0; start < 2; start++) {
            assertThat(spool.attempts(id)).isEmpty();
            assertThat(reason(id)).contains(Code.QUEUE_ONLY);
            spool.close();
            spool = world.open(directory);
        }
        attempt(id, deferred(1, BUSY, Code.GREETING, 1));
        assertThat(reason(id)).as("an attempt has a reply, and no other reason").isEmpty();
    }

    private Optional<Code> reason(QueueId id) throws Exception {
        return spool.details(id).orElseThrow().recipients().getFirst().reason();
    }
}
