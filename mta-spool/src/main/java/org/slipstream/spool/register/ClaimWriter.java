package org.slipstream.spool.register;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// Finds what is due and leases it, inside the writer's transaction.
///
/// The lease is the next attempt's time moved forward *before* the attempt: a crash in the middle of a delivery leaves a
/// message that is due later, not one that is tried again and again at once.
///
/// **When more is due than was asked for**, half of it is what has been due for longest and half what became due last. New mail is
/// due when it comes. So after an operator has made a long queue due, mail that comes afterwards and finds no room takes turns with
/// that queue, one to one, as incoming and deferred mail do in Postfix, and does not wait behind all of it.
final class ClaimWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimWriter.class);

    private static final Comparator<Due> OLDEST_FIRST = Comparator.comparingLong(Due::nextMillis)
            .thenComparing(each -> each.message().id());

    private record Due(MessageSummary message, long nextMillis) {}

    private final PreparedStatement queued;
    private final PreparedStatement youngest;
    private final PreparedStatement held;
    private final PreparedStatement next;
    private final PreparedStatement lease;
    private final PreparedStatement setAside;
    private final PreparedStatement bringForward;

    ClaimWriter(Connection connection) throws SQLException {
        queued = connection.prepareStatement("select " + Rows.SUMMARY_COLUMNS
                + " from message m where m.state = 0 and m.next_millis <= ? order by m.state, m.next_millis limit ?");
        youngest = connection.prepareStatement("select " + Rows.SUMMARY_COLUMNS + " from message m where m.state = 0"
                + " and m.next_millis <= ? order by m.state desc, m.next_millis desc limit ?");
        held = connection.prepareStatement("select " + Rows.SUMMARY_COLUMNS + " from message m where m.state = 1"
                + " and m.next_millis <= ? and m.created_millis < ? order by m.state, m.next_millis limit ?");
        next = connection.prepareStatement("select next_millis from message where state = 0 and next_millis > ?"
                + " order by state, next_millis limit 1");
        lease = connection.prepareStatement("update message set next_millis = ? where id = ?");
        setAside = connection.prepareStatement("update message set state = 2 where id = ?");
        bringForward = connection.prepareStatement("update message set next_millis = ? where state = 0"
                + " and next_millis > ? and not_before_millis <= ?");
    }

    Register.Claims claim(Change.Claim claim) throws SQLException {
        bringForward(claim.furthestMillis());
        List<Due> dueQueued = due(queued, claim, claim.limit() + 1);
        List<Due> due = new ArrayList<>(dueQueued);
        due.addAll(held(claim));
        due.sort(OLDEST_FIRST);
        boolean more = due.size() > claim.limit();
        List<Due> claimed = more ? oldestAndYoungest(claim, due) : due;
        OptionalLong nextDue = nextDue(claim, dueQueued, claimed);
        lease(claim, claimed);
        return new Register.Claims(claimed.stream().map(Due::message).toList(), more, nextDue);
    }

    // The clock went back after they were deferred.
    private void bringForward(long furthestMillis) throws SQLException {
        if (furthestMillis < Long.MAX_VALUE) {
            bringForward.setLong(1, furthestMillis);
            bringForward.setLong(2, furthestMillis);
            bringForward.setLong(3, furthestMillis);
            int messages = bringForward.executeUpdate();
            if (messages > 0) {
                LOG.warn("event=next-attempts-brought-forward messages={} reason=\"the clock went back\"", messages);
            }
        }
    }

    private List<Due> oldestAndYoungest(Change.Claim claim, List<Due> oldest) throws SQLException {
        Set<Due> claimed = new LinkedHashSet<>(due(youngest, claim, claim.limit() / 2));
        Iterator<Due> next = oldest.iterator();
        while (claimed.size() < claim.limit() && next.hasNext()) {
            claimed.add(next.next());
        }
        return claimed.stream().sorted(OLDEST_FIRST).toList();
    }

    private List<Due> due(PreparedStatement query, Change.Claim claim, int limit) throws SQLException {
        query.setLong(1, claim.nowMillis());
        query.setInt(2, limit);
        return read(query);
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
        next.setLong(1, claim.nowMillis());
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
