package org.slipstream.server.report;

import org.slipstream.core.DsnNotify;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.qmgr.event.QmgrOrder.NoticeKind;

/// The event that a report is about.
enum ReportKind {
    FAILED("failed"), DELAYED("delayed"),
    /// Delivered after a report of a delay.
    CLEARED("cleared"),
    /// In the mailbox, or at the next server: the sender asked for a confirmation (NOTIFY=SUCCESS).
    DELIVERED("delivered"),
    /// Failed mail of the null sender, for the postmaster.
    DOUBLE_BOUNCE("double-bounce");

    private final String word;

    ReportKind(String word) {
        this.word = word;
    }

    static ReportKind of(NoticeKind kind) {
        return switch (kind) {
            case FAILED, COLLECTED -> FAILED;
            case DELAYED -> DELAYED;
            case CLEARED -> CLEARED;
        };
    }

    /// True when a report of this kind includes this recipient.
    boolean concerns(RecipientState state) {
        boolean wantsSuccess = state.recipient().notifyOn().contains(DsnNotify.SUCCESS);
        return switch (this) {
            case FAILED -> state.state() == RecipientStatus.FAILED && state.recipient().wantsFailureNotice();
            // NOTIFY speaks to the sender; the postmaster is told in any case.
            case DOUBLE_BOUNCE -> state.state() == RecipientStatus.FAILED;
            case DELAYED -> state.state() == RecipientStatus.OPEN && state.recipient().wantsDelayNotice();
            case CLEARED -> state.state() == RecipientStatus.DELIVERED && state.recipient().wantsDelayNotice()
                    && !wantsSuccess && !isDiscarded(state);
            case DELIVERED ->
                state.state() == RecipientStatus.DELIVERED && wantsSuccess && !isDiscarded(state);
        };
    }

    /// RFC 3464 section 2.3.3: `relayed` means that another server has the message and its further
    /// fate is unknown.
    String action(RecipientState state) {
        return switch (this) {
            case FAILED, DOUBLE_BOUNCE -> "failed";
            case DELAYED -> "delayed";
            case CLEARED, DELIVERED -> isWith(Expansion.REMOTE, state)
                    ? "expanded"
                    : isWith("maildir:", state) ? "delivered" : "relayed";
        };
    }

    /// The status of a recipient without a reply.
    String status() {
        return switch (this) {
            case FAILED, DOUBLE_BOUNCE -> "5.0.0";
            case DELAYED -> "4.0.0";
            case CLEARED, DELIVERED -> "2.0.0";
        };
    }

    /// True for a report that only informs. It must not answer automatic mail (RFC 3834 section 2).
    boolean onlyInforms() {
        return this == DELAYED || this == CLEARED;
    }

    // A discarded message is not reported as delivered.
    private static boolean isDiscarded(RecipientState state) {
        return isWith("discard:", state);
    }

    private static boolean isWith(String prefix, RecipientState state) {
        return state.last().filter(last -> last.remote().startsWith(prefix)).isPresent();
    }

    /// For ids, the log and the name of the template.
    String word() {
        return word;
    }
}
