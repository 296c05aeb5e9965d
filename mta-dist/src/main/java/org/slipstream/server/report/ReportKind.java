package org.slipstream.server.report;

import org.slipstream.core.DsnNotify;
import org.slipstream.qmgr.event.QmgrOrder.NoticeKind;
import org.slipstream.spool.Spool;

/// The event that a report is about.
enum ReportKind {
    FAILED, DELAYED,
    /// In the mailbox, or at the next server: the sender asked for a confirmation (NOTIFY=SUCCESS).
    SUCCEEDED;

    static ReportKind of(NoticeKind kind) {
        return switch (kind) {
            case FAILED -> FAILED;
            case DELAYED -> DELAYED;
        };
    }

    /// True when a report of this kind includes this recipient.
    boolean concerns(Spool.RecipientState state) {
        return switch (this) {
            case FAILED -> state.state() == Spool.MessageState.FAILED && state.recipient().wantsFailureNotice();
            case DELAYED -> state.state() == Spool.MessageState.OPEN && state.recipient().wantsDelayNotice();
            case SUCCEEDED -> state.state() == Spool.MessageState.DELIVERED
                    && state.recipient().notifyOn().contains(DsnNotify.SUCCESS) && !isDiscarded(state);
        };
    }

    /// RFC 3464 section 2.3.3: `relayed` means that another server has the message and its further
    /// fate is unknown.
    String action(Spool.RecipientState state) {
        return switch (this) {
            case FAILED -> "failed";
            case DELAYED -> "delayed";
            case SUCCEEDED -> isInMailbox(state) ? "delivered" : "relayed";
        };
    }

    static boolean isInMailbox(Spool.RecipientState state) {
        return isWith("maildir:", state);
    }

    // A discarded message is not reported as delivered.
    private static boolean isDiscarded(Spool.RecipientState state) {
        return isWith("discard:", state);
    }

    private static boolean isWith(String prefix, Spool.RecipientState state) {
        return state.last().filter(last -> last.remote().startsWith(prefix)).isPresent();
    }

    /// For ids and the log.
    String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
