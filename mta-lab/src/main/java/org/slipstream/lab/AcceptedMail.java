package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.SimulatedSpool.SpoolRow;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/// The account of the mail that a simulated server has acknowledged. After every event, each
/// recipient of it is in exactly one state: delivered, bounced, held, queued, or deleted by an
/// operator.
///
/// - *Delivered*: the spool says so, and a server has a copy.
/// - *Bounced*: the spool has the failure, and the report for it was acknowledged itself. Mail of
///   the null sender gets no report. A failure that is not reported yet is queued.
/// - *Held*: an operator holds the message. Only the end of its lifetime can return it.
/// - *Queued*: the queue manager works on the message, or the spool has the time of its next
///   attempt, which is near enough. No server has a copy, except for a delivery whose reply is lost
///   or not recorded yet.
///
/// The spool and the servers are asked, never the queue manager, except for what is active. The
/// recipients of a message are examined when one of them has changed or the queue manager takes the
/// message or leaves it; the sums are compared after every event.
final class AcceptedMail {
    /// The number of recipients in each state.
    record MailAccount(int accepted, int delivered, int bounced, int held, int queued, int deleted) {
        private int sum() {
            return delivered + bounced + held + queued + deleted;
        }

        MailAccount plus(MailAccount other) {
            return new MailAccount(accepted + other.accepted, delivered + other.delivered, bounced + other.bounced,
                    held + other.held, queued + other.queued, deleted + other.deleted);
        }
    }

    /// The states of the recipients of one message.
    private record Examined(int delivered, int bounced, int open, boolean isActive) {}

    private final InvariantChecker invariants;
    private final SimulatedSpool spool;
    private final ReceivingSide receivers;
    private final long longestWaitMillis;
    private final Set<QueueId> accepted = new LinkedHashSet<>();
    private final Set<QueueId> reported = new LinkedHashSet<>();
    private final Set<QueueId> changed = new LinkedHashSet<>();
    private final Map<QueueId, Examined> examined = new LinkedHashMap<>();
    private int messages;
    private int recipients;
    private MailAccount removed = new MailAccount(0, 0, 0, 0, 0, 0);
    private MailAccount totals = removed;

    /// @param longestWaitMillis no attempt is later than this
    AcceptedMail(InvariantChecker invariants, SimulatedSpool spool, ReceivingSide receivers, long longestWaitMillis) {
        this.invariants = invariants;
        this.spool = spool;
        this.receivers = receivers;
        this.longestWaitMillis = longestWaitMillis;
    }

    void acknowledged(SimulatedMail mail) {
        invariants.require(accepted.add(mail.id()), () -> "acknowledged twice: " + mail.id());
        messages++;
        recipients += mail.recipients().size();
    }

    /// The message has left for another spool.
    ///
    /// @return whether a report for it was acknowledged
    boolean movedOut(SimulatedMail mail) {
        accepted.remove(mail.id());
        examined.remove(mail.id());
        messages--;
        recipients -= mail.recipients().size();
        return reported.remove(mail.id());
    }

    /// The message has come from another spool.
    void movedIn(SimulatedMail mail, boolean isReported) {
        acknowledged(mail);
        changed.add(mail.id());
        if (isReported) {
            reported.add(mail.id());
        }
    }

    /// A report for failures of this message was acknowledged.
    void reported(QueueId id) {
        reported.add(id);
    }

    /// A recipient of this message has a new state.
    void changed(QueueId id) {
        changed.add(id);
    }

    MailAccount totals() {
        return totals;
    }

    /// Counts the recipients of a message that leaves the spool. They change no more.
    void removed(SpoolRow row, String reason) {
        examined.remove(row.mail.id());
        removed = plus(removed, row, examine(row, true, true), reason.equals("deleted"));
    }

    /// @param active messages on which the queue manager works
    void check(Set<QueueId> active, long now) {
        MailAccount sum = removed;
        for (SpoolRow row : spool.rows.values()) {
            QueueId id = row.mail.id();
            boolean isActive = active.contains(id);
            invariants.require(row.held || isActive || row.nextMillis <= now + longestWaitMillis,
                    () -> "queued and tried too late: " + id + " at " + row.nextMillis);
            Examined before = examined.get(id);
            if (before == null || before.isActive() != isActive || changed.contains(id)) {
                invariants.require(accepted.contains(id), () -> "queued and not acknowledged: " + id);
                invariants.require(!spool.removed.containsKey(id), () -> "queued and removed: " + id);
                before = examine(row, isActive, false);
                examined.put(id, before);
            }
            sum = plus(sum, row, before, false);
        }
        changed.clear();
        totals = sum;
        invariants.require(messages == spool.rows.size() + spool.removed.size(), () -> messages
                + " messages acknowledged, " + spool.rows.size() + " queued, " + spool.removed.size() + " removed");
        invariants.require(recipients == totals.sum(),
                () -> recipients + " recipients acknowledged, and their states are " + totals);
    }

    private MailAccount plus(MailAccount sum, SpoolRow row, Examined each, boolean isDeleted) {
        boolean isHeld = row.held && !isDeleted;
        return new MailAccount(recipients, sum.delivered() + each.delivered(), sum.bounced() + each.bounced(),
                sum.held() + (isHeld ? each.open() : 0), sum.queued() + (isHeld || isDeleted ? 0 : each.open()),
                sum.deleted() + (isDeleted ? each.open() : 0));
    }

    private Examined examine(SpoolRow row, boolean isActive, boolean isLeaving) {
        int delivered = 0;
        int bounced = 0;
        int open = 0;
        for (int i = 0; i < row.states.length; i++) {
            int number = i + 1;
            switch (row.states[i]) {
                case DELIVERED -> {
                    invariants.require(receivers.copies(row.mail.id(), number) > 0,
                            () -> "delivered and nowhere: recipient " + number + " of " + row.mail.id());
                    delivered++;
                }
                case FAILED_AND_REPORTED -> {
                    invariants.require(reported.contains(row.mail.id()),
                            () -> "bounced without a report: " + row.mail.id());
                    bounced++;
                }
                case FAILED -> {
                    bounced += isLeaving ? 1 : 0;
                    open += isLeaving ? 0 : 1;
                }
                case OPEN -> {
                    requireNoCopy(row, number, isActive);
                    open++;
                }
            }
        }
        return new Examined(delivered, bounced, open, isActive);
    }

    // Each crash may lose the record of one delivery, and so may each lost reply.
    private void requireNoCopy(SpoolRow row, int number, boolean isActive) {
        int copies = receivers.copies(row.mail.id(), number) - receivers.unconfirmed(row.mail.id(), number);
        invariants.require(copies <= row.crashes + (isActive ? 1 : 0),
                () -> "delivered and still queued: recipient " + number + " of " + row.mail.id());
    }
}
