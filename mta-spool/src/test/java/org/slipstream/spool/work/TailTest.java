package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;
import org.slipstream.spool.log.StoredMessage;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class TailTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");

    private final Tail tail = new Tail(4, 1 << 20, at(0), 0);

    private static Position at(long offset) {
        return new Position(1, offset);
    }

    private static QueueId id(long number) {
        return new QueueId(number);
    }

    private static LogRecord.Stored stored(long number, boolean ownFile, boolean copied) {
        Envelope envelope = Envelope.of(Optional.empty(),
                List.of(Address.of("a@example.net"), Address.of("b@example.net")));
        return new LogRecord.Stored(new StoredMessage(id(number), 1, 10, envelope),
                new RecordPlace(1, number, ownFile), new byte[10], copied);
    }

    private static LogRecord hold(long number) {
        return new LogRecord.Hold(id(number), true);
    }

    @Test
    void aMessageThatHasLeftLeavesNoTraceAndMovesThePosition() {
        tail.add(List.of(stored(1, false, false), stored(2, true, false)), at(10), 0);
        tail.add(List.of(hold(1)), at(20), 0);
        assertThat(tail.position()).isEqualTo(at(0));
        assertThat(tail.add(List.of(new LogRecord.Remove(id(1))), at(30), 0)).isEmpty();
        assertThat(tail.add(List.of(new LogRecord.Remove(id(2))), at(40), 0)).containsExactly(id(2));
        assertThat(tail.size()).isZero();
        assertThat(tail.position()).isEqualTo(at(40));
        assertThat(tail.take(SECOND, 100).lastId()).as("ids are not used twice").isEqualTo(2);
    }

    @Test
    void aRemovalIsKeptWhereTheIndexMayKnowTheMessage() {
        LogRecord removed = new LogRecord.Remove(id(1));
        tail.add(List.of(hold(1)), at(10), 0);
        tail.add(List.of(removed), at(20), 0);
        tail.add(List.of(stored(3, true, true)), at(30), 0);
        assertThat(tail.add(List.of(new LogRecord.Remove(id(3))), at(40), 0))
                .as("a copy says that the index knows the message").isEmpty();
        tail.add(List.of(stored(5, false, false)), at(50), 0);
        assertThat(tail.take(SECOND, 100).records()).contains(removed, new LogRecord.Remove(id(3)));
        tail.add(List.of(new LogRecord.Remove(id(5))), at(60), 0);
        tail.applied();
        assertThat(tail.take(SECOND, 100).records()).as("it was being entered")
                .containsExactly(new LogRecord.Remove(id(5)));
    }

    @Test
    void onlyWhatIsOldEnoughIsTakenAndThePositionStaysBeforeTheRest() {
        tail.add(List.of(stored(1, false, false)), at(10), SECOND);
        tail.add(List.of(stored(2, false, false)), at(20), 3 * SECOND);
        tail.add(List.of(hold(1)), at(30), 4 * SECOND);
        Tail.Batch batch = tail.take(2 * SECOND, 100);
        assertThat(batch.records()).hasSize(2).last().isEqualTo(hold(1));
        assertThat(batch.position()).isEqualTo(at(10));
        assertThat(tail.take(9 * SECOND, 100)).as("until it is applied, it is the same").isEqualTo(batch);
        assertThat(tail.position()).as("and a start begins before it").isEqualTo(at(0));
        tail.applied();
        assertThat(tail.position()).isEqualTo(at(10));
        assertThat(tail.take(9 * SECOND, 100).position()).isEqualTo(at(30));
    }

    @Test
    void aBatchHasABound() {
        for (int i = 1; i <= 5; i++) {
            tail.add(List.of(stored(i, false, false)), at(10 * i), 0);
        }
        Tail.Batch batch = tail.take(SECOND, 2);
        assertThat(batch.records()).hasSize(2);
        assertThat(batch.position()).isEqualTo(at(20));
    }

    @Test
    void recipientsOfAMessageThatTheIndexDoesNotKnowAreThoseWithoutAFinalOutcome() {
        tail.add(List.of(stored(1, false, false)), at(10), 0);
        assertThat(tail.openRecipients(id(1)).orElseThrow()).hasSize(2);
        tail.take(SECOND, 100);
        tail.add(List.of(new LogRecord.Outcomes(id(1), List.of(new RecipientOutcome(1, TAKEN)), 1, true)), at(20), 0);
        assertThat(tail.openRecipients(id(1)).orElseThrow()).extracting(each -> each.number()).containsExactly(2);
        tail.applied();
        assertThat(tail.openRecipients(id(1))).as("the index knows better").isEmpty();
        assertThat(tail.mentions(id(1))).isTrue();
    }

    @Test
    void hostsAndMessagesCountAndTheBoundIsTold() {
        assertThat(tail.isFull()).isFalse();
        tail.add(List.of(stored(1, false, false), hold(2), hold(3), new LogRecord.KeepHost(
                new HostRecord("192.0.2.1", "host", "mx", 1, 2, 3, "busy", "")),
                new LogRecord.ForgetHost("192.0.2.1", "host")), at(10), 0);
        assertThat(tail.size()).isEqualTo(4);
        assertThat(tail.isFull()).isTrue();
        tail.take(SECOND, 100);
        assertThat(tail.isFull()).as("what is being applied is still in memory").isTrue();
        tail.applied();
        assertThat(tail.isFull()).isFalse();
    }

    @Test
    void octetsAreBoundedToo() {
        Tail narrow = new Tail(1_000, 1_000, at(0), 0);
        narrow.add(List.of(stored(1, false, false)), at(10), 0);
        assertThat(narrow.isFull()).isFalse();
        narrow.add(List.of(stored(2, false, false)), at(20), 0);
        assertThat(narrow.isFull()).isTrue();
        narrow.add(List.of(new LogRecord.Remove(id(1)), new LogRecord.Remove(id(2))), at(30), 0);
        assertThat(narrow.isFull()).isFalse();
    }

    @Test
    void aRecordBehindThePositionThatTheIndexHadIsNotAmongThoseThatItLacks() {
        tail.add(List.of(stored(1, false, false)), at(10), SECOND);
        tail.add(List.of(stored(2, false, false)), at(20), 3 * SECOND);
        tail.add(List.of(hold(1)), at(30), 4 * SECOND);
        tail.add(List.of(stored(3, false, false)), at(40), 4 * SECOND);
        tail.add(List.of(new LogRecord.Remove(id(3))), at(50), 4 * SECOND);
        assertThat(tail.unapplied().contains(hold(1), at(20))).isTrue();
        tail.take(2 * SECOND, 100);
        tail.applied();
        Tail.Unapplied unapplied = tail.unapplied();
        assertThat(unapplied.position()).isEqualTo(at(10));
        assertThat(unapplied.end()).isEqualTo(at(50));
        assertThat(unapplied.contains(hold(1), at(20))).as("the index had it").isFalse();
        assertThat(unapplied.contains(stored(2, false, false), at(10))).isTrue();
        assertThat(unapplied.contains(new LogRecord.Remove(id(3)), at(40))).as("of a finished message").isFalse();
        tail.add(List.of(hold(1)), at(60), 5 * SECOND);
        assertThat(tail.unapplied().contains(hold(1), at(20))).as("only the later one waits").isFalse();
        assertThat(tail.unapplied().contains(hold(1), at(50))).isTrue();
    }
}
