package org.slipstream.spool.index;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.log.LogRecord;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The rows of table `attempt`: the latest [#KEPT] attempts of each message in the index.
///
/// A row is identified by its message, its time and its first recipient, so a record that is applied
/// twice adds nothing. The table has no row for a message that the index does not have.
final class AttemptRows {
    static final int KEPT = 20;

    static final String ADD = """
            insert into attempt (message_id, at_millis, number, remote, phase, reply_code, reply_status, reply_text,
             took_millis, recipients)
             select id, cast(? as bigint), cast(? as integer), cast(? as varchar), cast(? as varchar),
              cast(? as integer), cast(? as varchar), cast(? as varchar), cast(? as bigint), cast(? as integer)
              from message where id = ? on conflict do nothing""";

    static final String FORGET = "delete from attempt where message_id = ? and at_millis <= ?";

    // The first of the rows to go is the one after the latest.
    static final String BOUND = """
            delete from attempt where message_id = ? and at_millis <=
             (select at_millis from attempt where message_id = ? order by at_millis desc limit 1 offset %d)"""
            .formatted(KEPT);

    static final String OF_MESSAGE = "select at_millis, number, remote, phase, reply_code, reply_status, reply_text,"
            + " took_millis, recipients from attempt where message_id = ? order by at_millis desc, number limit "
            + KEPT;

    private AttemptRows() {}

    /// An attempt with the number of its first recipient.
    record HistoryRow(int number, PastAttempt attempt) {}

    private record Same(String remote, Reply reply, RecipientOutcome.Reached reached) {}

    /// Recipients of one record with the same reply form one row.
    static List<HistoryRow> of(LogRecord.Outcomes record) {
        Map<Same, List<RecipientOutcome>> groups = new LinkedHashMap<>(2);
        record.outcomes().stream().filter(each -> each.reached().isAttempt())
                .forEach(each -> groups
                        .computeIfAbsent(new Same(each.outcome().remote(), each.outcome().reply(), each.reached()),
                                _ -> new ArrayList<>(1))
                        .add(each));
        List<HistoryRow> rows = new ArrayList<>(groups.size());
        groups.forEach((same,
                group) -> rows.add(new HistoryRow(group.getFirst().number(), new PastAttempt(record.atMillis(),
                        same.remote(), same.reached().phase(), same.reply(), same.reached().tookMillis(),
                        group.size()))));
        return rows;
    }

    /// All attempts up to the first of the list, in their order: rows of one time are numbered by it.
    static List<HistoryRow> of(LogRecord.PastAttempts record) {
        List<HistoryRow> rows = new ArrayList<>(record.attempts().size());
        record.attempts().forEach(each -> rows.add(new HistoryRow(rows.size() + 1, each)));
        return rows;
    }

    static void fill(PreparedStatement add, QueueId id, HistoryRow row) throws SQLException {
        PastAttempt attempt = row.attempt();
        add.setLong(1, attempt.atMillis());
        add.setInt(2, row.number());
        // PostgreSQL takes no NUL in a text.
        add.setString(3, attempt.remote().replace('\0', ' '));
        add.setString(4, attempt.phase().map(QueuePhase.Code::word).orElse(""));
        add.setInt(5, attempt.reply().code());
        add.setString(6, attempt.reply().status().map(Object::toString).orElse(null));
        add.setString(7, String.join("\n", attempt.reply().lines()).replace('\0', ' '));
        add.setLong(8, attempt.tookMillis());
        add.setInt(9, attempt.recipients());
        add.setLong(10, id.value());
    }

    static void fillBound(PreparedStatement bound, QueueId id) throws SQLException {
        bound.setLong(1, id.value());
        bound.setLong(2, id.value());
    }

    /// The attempts, the latest first.
    static List<PastAttempt> read(ResultSet rows) throws SQLException {
        List<PastAttempt> attempts = new ArrayList<>();
        while (rows.next()) {
            Optional<EnhancedStatus> status = Optional.ofNullable(rows.getString("reply_status"))
                    .map(EnhancedStatus::of);
            Reply reply = new Reply(rows.getInt("reply_code"), status,
                    List.of(Optional.ofNullable(rows.getString("reply_text")).orElse("").split("\n", -1)));
            attempts.add(new PastAttempt(rows.getLong("at_millis"),
                    Optional.ofNullable(rows.getString("remote")).orElse(""),
                    QueuePhase.Code.of(Optional.ofNullable(rows.getString("phase")).orElse("")), reply,
                    rows.getLong("took_millis"), rows.getInt("recipients")));
        }
        return attempts;
    }
}
