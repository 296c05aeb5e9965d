package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.SimulatedSpool.SimulatedState;
import org.slipstream.lab.SimulatedSpool.SpoolRow;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.Map;

/// The account of the mail that a simulated server has acknowledged. After every event, each
/// recipient of it is in exactly one state: delivered, bounced, held, queued, or deleted by an
/// operator.
///
/// - *Delivered*: the spool says so, and a server has a copy.
/// - *Bounced*: the spool has the failure, and the report for it was acknowledged itself. Mail of
///   the null sender gets no report.
/// - *Held*: an operator holds the message. Only the end of its lifetime can return it.
/// - *Queued*: the queue manager works on the message, or the spool has the time of its next
///   attempt, which is near enough. No server has a copy, except for a delivery whose reply is lost
///   or not recorded yet.
///
/// The spool and the servers are asked, never the queue manager, except for what is active.
final class AcceptedMail {
    /// The number of recipients in each state.
    record Totals(int accepted, int delivered, int bounced, int held, int queued, int deleted) {
        private int sum() {
            return delivered + bounced + held + queued + deleted;
        }
    }

    private final InvariantChecker invariants;
    private final SimulatedSpool spool;
    private final SimulatedNetwork network;
    private final long longestWaitMillis;
    private final Set<QueueId> accepted = new HashSet<>();
    private final Map<QueueId, Integer> reports = new TreeMap<>();
    private int messages;
    private int recipients;
    private int crashes;
    private Totals removed = new Totals(0, 0, 0, 0, 0, 0);
    private Totals totals = removed;

    /// @param longestWaitMillis no attempt is later than this
    AcceptedMail(InvariantChecker invariants, SimulatedSpool spool, SimulatedNetwork network, long longestWaitMillis) {
        this.invariants = invariants;
        this.spool = spool;
        this.network = network;
        this.longestWaitMillis = longestWaitMillis;
    }

    void acknowledged(SimulatedMail mail) {
        invariants.require(accepted.add(mail.id()), () -> "acknowledged twice: " + mail.id());
        messages++;
        recipients += mail.recipients().size();
    }

    /// A report for failures of this message was acknowledged.
    void reported(QueueId id) {
        reports.merge(id, 1, Integer::sum);
    }

    void crash() {
        crashes++;
    }

    Totals totals() {
        return totals;
    }

    /// Counts the recipients of a message that leaves the spool. They change no more.
    void removed(SpoolRow row, String reason) {
        removed = plus(removed, row, reason.equals("deleted"), false);
    }

    /// @param active messages on which the queue manager works
    void check(Set<QueueId> active, long now) {
        Totals sum = removed;
        for (SpoolRow row : spool.rows.values()) {
            boolean isActive = active.contains(row.mail.id());
            invariants.require(accepted.contains(row.mail.id()), () -> "queued and not accepted: " + row.mail.id());
            invariants.require(!spool.removed.containsKey(row.mail.id()),
                    () -> "queued and removed: " + row.mail.id());
            invariants.require(row.held || isActive || row.nextMillis <= now + longestWaitMillis,
                    () -> "queued and tried too late: " + row.mail.id() + " at " + row.nextMillis);
            sum = plus(sum, row, false, isActive);
        }
        totals = sum;
        invariants.require(messages == spool.rows.size() + spool.removed.size(), () -> messages
                + " messages acknowledged, " + spool.rows.size() + " queued, " + spool.removed.size() + " removed");
        invariants.require(recipients == totals.sum(),
                () -> recipients + " recipients acknowledged, and their states are " + totals);
    }

    private Totals plus(Totals sum, SpoolRow row, boolean isDeleted, boolean isActive) {
        int delivered = 0;
        int bounced = 0;
        int open = 0;
        for (int i = 0; i < row.states.length; i++) {
            switch (row.states[i]) {
                case DELIVERED -> {
                    requireCopy(row, i + 1);
                    delivered++;
                }
                case REPORTED -> {
                    invariants.require(reports.containsKey(row.mail.id()),
                            () -> "reported without a report: " + row.mail.id());
                    bounced++;
                }
                case FAILED -> bounced++;
                case OPEN -> {
                    requireNoCopy(row, i + 1, isActive);
                    open++;
                }
            }
        }
        boolean isHeld = row.held && !isDeleted;
        return new Totals(recipients, sum.delivered() + delivered, sum.bounced() + bounced,
                sum.held() + (isHeld ? open : 0), sum.queued() + (isHeld || isDeleted ? 0 : open),
                sum.deleted() + (isDeleted ? open : 0));
    }

    private void requireCopy(SpoolRow row, int number) {
        invariants.require(network.copies(row.mail.id(), number) > 0,
                () -> "delivered and nowhere: recipient " + number + " of " + row.mail.id());
    }

    // Each crash may lose the record of one delivery, and so may each lost reply.
    private void requireNoCopy(SpoolRow row, int number, boolean isActive) {
        int copies = network.copies(row.mail.id(), number) - network.unconfirmed(row.mail.id(), number);
        invariants.require(copies <= crashes + (isActive ? 1 : 0),
                () -> "delivered and still queued: recipient " + number + " of " + row.mail.id());
    }
}
