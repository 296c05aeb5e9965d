package org.slipstream.spool.register;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// Finds what is due and leases it, inside the writer's transaction.
///
/// The lease is the next attempt's time moved forward *before* the attempt: a crash in the middle of a delivery leaves a
/// message that is due later, not one that is tried again and again at once.
///
/// **Two queues, one index.** New mail has a state of its own, so index `message_due` begins with the queue: a scan of the incoming
/// queue reads its own rows and no deferred one, however many are due. The lease and each deferral move a message to the deferred queue.
final class ClaimWriter {
    /// Due mail of one queue.
    static final String DUE = "select " + Rows.SUMMARY_COLUMNS
            + " from message m where m.state = ? and m.next_millis <= ? order by m.state, m.next_millis limit ?";

    private static final Logger LOG = LoggerFactory.getLogger(ClaimWriter.class);

    private static final Comparator<Due> OLDEST_FIRST = Comparator.comparingLong(Due::nextMillis)
            .thenComparing(each -> each.message().id());

    private record Due(MessageSummary message, long nextMillis) {}

    private final PreparedStatement queued;
    private final PreparedStatement held;
    private final PreparedStatement next;
    private final PreparedStatement lease;
    private final PreparedStatement setAside;
    private final PreparedStatement bringForward;

    ClaimWriter(Connection connection) throws SQLException {
        queued = connection.prepareStatement(DUE);
        held = connection.prepareStatement("select " + Rows.SUMMARY_COLUMNS + " from message m where m.state = 1"
                + " and m.next_millis <= ? and m.created_millis < ? order by m.state, m.next_millis limit ?");
        next = connection.prepareStatement("select next_millis from message where state = ? and next_millis > ?"
                + " order by state, next_millis limit 1");
        lease = connection
                .prepareStatement("update message set next_millis = ?, state = greatest(state, 0) where id = ?");
        setAside = connection.prepareStatement("update message set state = 2 where id = ?");
        bringForward = connection.prepareStatement("update message set next_millis = ? where state = ?"
                + " and next_millis > ? and not_before_millis <= ?");
    }

    Register.Claims claim(Change.Claim claim) throws SQLException {
        bringForward(claim);
        List<Due> dueQueued = queued(claim);
        List<Due> due = new ArrayList<>(dueQueued);
        if (claim.queue() == QueueName.DEFERRED) {
            due.addAll(held(claim));
            due.sort(OLDEST_FIRST);
        }
        boolean more = due.size() > claim.limit();
        List<Due> claimed = more ? due.subList(0, claim.limit()) : due;
        OptionalLong nextDue = nextDue(claim, dueQueued, claimed);
        lease(claim, claimed);
        return new Register.Claims(claimed.stream().map(Due::message).toList(), more, nextDue);
    }

    // The clock went back after they were deferred.
    private void bringForward(Change.Claim claim) throws SQLException {
        if (claim.furthestMillis() < Long.MAX_VALUE) {
            bringForward.setLong(1, claim.furthestMillis());
            bringForward.setInt(2, state(claim));
            bringForward.setLong(3, claim.furthestMillis());
            bringForward.setLong(4, claim.furthestMillis());
            int messages = bringForward.executeUpdate();
            if (messages > 0) {
                LOG.warn("event=next-attempts-brought-forward messages={} reason=\"the clock went back\"", messages);
            }
        }
    }

    private static int state(Change.Claim claim) {
        return switch (claim.queue()) {
            case INCOMING -> MessageStatus.INCOMING;
            case DEFERRED -> MessageStatus.QUEUED;
        };
    }

    private List<Due> queued(Change.Claim claim) throws SQLException {
        queued.setInt(1, state(claim));
        queued.setLong(2, claim.nowMillis());
        queued.setInt(3, claim.limit() + 1);
        return read(queued);
    }

    private List<Due> held(Change.Claim claim) throws SQLException {
        held.setLong(1, claim.nowMillis());
        held.setLong(2, claim.heldCreatedBeforeMillis());
        held.setInt(3, claim.limit() + 1);
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
        LOG.warn("event=message-set-aside queue={} reason=\"{}\"", id > 0 ? new QueueId(id) : id, why.getMessage());
        setAside.setLong(1, id);
        setAside.executeUpdate();
    }

    private OptionalLong nextDue(Change.Claim claim, List<Due> dueQueued, List<Due> claimed) throws SQLException {
        Set<Due> gone = Set.copyOf(claimed);
        for (Due each : dueQueued) {
            if (!gone.contains(each)) {
                return OptionalLong.of(each.nextMillis());
            }
        }
        next.setInt(1, state(claim));
        next.setLong(2, claim.nowMillis());
        try (ResultSet row = next.executeQuery()) {
            return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
        }
    }

    private void lease(Change.Claim claim, List<Due> claimed) throws SQLException {
        for (Due each : claimed) {
            lease.setLong(1, claim.leaseUntilMillis());
            lease.setLong(2, each.message().id().value());
            lease.addBatch();
        }
        if (!claimed.isEmpty()) {
            lease.executeBatch();
        }
    }
}
