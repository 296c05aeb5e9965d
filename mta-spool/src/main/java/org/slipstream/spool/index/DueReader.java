package org.slipstream.spool.index;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueueName;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// Finds due messages.
///
/// **Two queues, one index.** New mail has a state of its own, so index `message_due` begins with
/// the queue. A scan of the incoming queue reads only incoming rows, however many deferred messages
/// are due. A lease or a deferral moves a message to the deferred queue.
final class DueReader {
    /// Due mail of one queue.
    static final String DUE = "select " + Rows.SUMMARY_COLUMNS
            + " from message m where m.state = ? and m.next_millis <= ? order by m.state, m.next_millis limit ?";

    /// The writer of the index waits for a portion at most.
    private static final int PORTION = 1_000;

    private static final Logger log = LoggerFactory.getLogger(DueReader.class);

    private static final Comparator<Due> OLDEST_FIRST = Comparator.comparingLong(Due::nextMillis)
            .thenComparing(each -> each.message().id());

    private record Due(MessageSummary message, long nextMillis) {}

    private final PreparedStatement queued;
    private final PreparedStatement held;
    private final PreparedStatement next;
    private final PreparedStatement setAside;
    private final PreparedStatement bringForward;

    DueReader(Connection connection) throws SQLException {
        queued = connection.prepareStatement(DUE);
        held = connection.prepareStatement("select " + Rows.SUMMARY_COLUMNS + " from message m where m.state = 1"
                + " and m.next_millis <= ? and m.created_millis < ? order by m.state, m.next_millis limit ?");
        next = connection.prepareStatement("select next_millis from message where state = ? and next_millis > ?"
                + " order by state, next_millis limit 1");
        setAside = connection.prepareStatement("update message set state = 2 where id = ?");
        bringForward = connection.prepareStatement("update message set next_millis = ? where id in (select id from"
                + " message where state = ? and next_millis > ? and not_before_millis <= ? limit " + PORTION + ")");
    }

    QueueIndex.Due read(DueQuery query) throws SQLException {
        bringForward(query);
        List<Due> dueQueued = queued(query);
        List<Due> due = new ArrayList<>(dueQueued);
        if (query.queue() == QueueName.DEFERRED) {
            due.addAll(held(query));
            due.sort(OLDEST_FIRST);
        }
        boolean more = due.size() > query.limit();
        List<Due> found = more ? due.subList(0, query.limit()) : due;
        OptionalLong nextDue = nextDue(query, dueQueued, found);
        return new QueueIndex.Due(found.stream().map(Due::message).toList(), more, nextDue);
    }

    // Needed when the clock went back after the messages were deferred.
    private void bringForward(DueQuery query) throws SQLException {
        if (query.furthestMillis() < Long.MAX_VALUE) {
            bringForward.setLong(1, query.furthestMillis());
            bringForward.setInt(2, state(query));
            bringForward.setLong(3, query.furthestMillis());
            bringForward.setLong(4, query.furthestMillis());
            int messages = 0;
            for (int portion = PORTION; portion == PORTION; messages += portion) {
                portion = bringForward.executeUpdate();
            }
            if (messages > 0) {
                log.warn("event=next-attempts-brought-forward count={} reason=\"the clock went back\"", messages);
            }
        }
    }

    private static int state(DueQuery query) {
        return switch (query.queue()) {
            case INCOMING -> MessageStatus.INCOMING;
            case DEFERRED -> MessageStatus.QUEUED;
        };
    }

    private List<Due> queued(DueQuery query) throws SQLException {
        queued.setInt(1, state(query));
        queued.setLong(2, query.nowMillis());
        queued.setInt(3, query.limit() + 1);
        return read(queued);
    }

    private List<Due> held(DueQuery query) throws SQLException {
        held.setLong(1, query.nowMillis());
        held.setLong(2, query.heldCreatedBeforeMillis());
        held.setInt(3, query.limit() + 1);
        return read(held);
    }

    private List<Due> read(PreparedStatement query) throws SQLException {
        List<Due> due = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                try {
                    due.add(new Due(Rows.summary(rows), rows.getLong("next_millis")));
                } catch (IllegalArgumentException e) {
                    setAside(rows.getLong("id"), e);
                }
            }
        }
        return due;
    }

    private void setAside(long id, IllegalArgumentException why) throws SQLException {
        log.warn("event=message-set-aside queue={} reason=\"{}\" next=\"mta spool corrupt list\"",
                id > 0 ? new QueueId(id) : id, LogText.text(FailureWords.of(why)));
        setAside.setLong(1, id);
        setAside.executeUpdate();
    }

    private OptionalLong nextDue(DueQuery query, List<Due> dueQueued, List<Due> found) throws SQLException {
        Set<Due> gone = Set.copyOf(found);
        for (Due each : dueQueued) {
            if (!gone.contains(each)) {
                return OptionalLong.of(each.nextMillis());
            }
        }
        next.setInt(1, state(query));
        next.setLong(2, query.nowMillis());
        try (ResultSet row = next.executeQuery()) {
            return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
        }
    }
}
