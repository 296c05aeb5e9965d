package org.slipstream.spool.index;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueueName;
import org.slipstream.spool.log.EnvelopeCodec;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;
import org.slipstream.spool.log.StoredMessage;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// 50,000 deferred messages are due, and ten new ones wait in the incoming queue.
@Tag("PF-28")
class ClaimTest {
    private static final int DEFERRED = 50_000;
    private static final int FRESH = 10;
    private static final int GROUP = 1_000;
    private static final long NOW_MILLIS = 10_000;

    @TempDir
    Path directory;

    private static void enter(QueueIndex index, long first, int count) throws IndexException {
        index.apply(LongStream.range(first, first + count).mapToObj(ClaimTest::enter).toList(), Position.START, 0);
    }

    private static LogRecord enter(long n) {
        Envelope envelope = Envelope.of(Optional.of(Address.of("ann@example.org")),
                List.of(Address.of("bob@example.net")));
        return new LogRecord.Stored(new StoredMessage(new QueueId(n), n / GROUP, 10, envelope),
                new RecordPlace(1, n, false), EnvelopeCodec.encode(envelope), false);
    }

    @Test
    void theFirstScanForNewMailFindsItBehindEveryDueDeferredMessage() throws Exception {
        QueueIndex index = IndexDatabase.open(directory, 2);
        for (long first = 1; first <= DEFERRED; first += GROUP) {
            enter(index, first, GROUP);
        }
        try (var connection = connect(); var statement = connection.createStatement()) {
            statement.execute(
                    "update message set state = " + MessageStatus.QUEUED + ", attempts = 1, next_millis = 500");
        }
        enter(index, DEFERRED + 1, FRESH);

        assertThat(rowsRead(MessageStatus.INCOMING)).as("rows of the index").isLessThanOrEqualTo(FRESH + 1);
        assertThat(rowsRead(MessageStatus.QUEUED)).as("rows of the index").isLessThanOrEqualTo(GROUP + 1);
        QueueIndex.Due fresh = claim(index, QueueName.INCOMING);
        QueueIndex.Due old = claim(index, QueueName.DEFERRED);
        index.close();

        assertThat(fresh.messages()).extracting(message -> message.id().value())
                .containsExactlyElementsOf(LongStream.rangeClosed(DEFERRED + 1, DEFERRED + FRESH).boxed().toList());
        assertThat(fresh.more()).isFalse();
        assertThat(old.messages()).hasSize(GROUP).extracting(MessageSummary::id)
                .allMatch(id -> id.value() <= DEFERRED);
        assertThat(old.more()).isTrue();
    }

    /// The clock went back, or an operator shortened the longest pause. It happens in portions, so that the writer of
    /// the index does not wait for all of it.
    @Test
    void aWholeQueueThatIsDeferredTooFarIsBroughtForward() throws Exception {
        QueueIndex index = IndexDatabase.open(directory, 2);
        for (long first = 1; first <= 2_500; first += 500) {
            enter(index, first, 500);
        }
        try (var connection = connect(); var statement = connection.createStatement()) {
            statement.execute("update message set next_millis = 9000000, state = " + MessageStatus.QUEUED);
            statement.execute("update message set not_before_millis = 9000000 where id <= 3");
            QueueIndex.Due due = index.due(new DueQuery(QueueName.DEFERRED, NOW_MILLIS, GROUP, 0, 20_000));
            assertThat(due.messages()).isEmpty();
            assertThat(due.nextDueMillis()).hasValue(20_000);
            try (var rows = statement.executeQuery("select count(*) from message where next_millis > 20000")) {
                rows.next();
                assertThat(rows.getInt(1)).as("their senders asked for that").isEqualTo(3);
            }
        }
        index.close();
    }

    private static QueueIndex.Due claim(QueueIndex index, QueueName queue) throws IndexException {
        return index.due(new DueQuery(queue, NOW_MILLIS, GROUP, 0, Long.MAX_VALUE));
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:h2:file:" + directory.toAbsolutePath().resolve("index")
                + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1", "sa", "");
    }

    /// H2 names the index in its plan and counts the rows that it read.
    private long rowsRead(int state) throws SQLException {
        try (var connection = connect();
                var explain = connection.prepareStatement("explain analyze " + DueReader.DUE)) {
            explain.setInt(1, state);
            explain.setLong(2, NOW_MILLIS);
            explain.setInt(3, GROUP);
            try (var rows = explain.executeQuery()) {
                rows.next();
                String plan = rows.getString(1);
                assertThat(plan).containsIgnoringCase("message_due");
                Matcher count = Pattern.compile("message_due.*?scanCount: (\\d+)", Pattern.DOTALL).matcher(plan);
                assertThat(count.find()).as(plan).isTrue();
                return Long.parseLong(count.group(1));
            }
        }
    }
}
