package org.slipstream.core.queue;

import org.slipstream.core.Recipient;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/// A kind of report to the sender of a message. Its template has the name [#word]. The queue manager
/// decides when one is due, in the order of the constants.
///
/// The rest follows from [#about]: the action and the status in the report (RFC 3464 section 2.3), and
/// the mark that the spool keeps of it.
public enum ReportKind {
    FAILED(RecipientStatus.FAILED, Recipient::wantsFailureNotice, false),
    /// Open at one of the ages of `queue.delay-notice`.
    DELAYED(RecipientStatus.OPEN, Recipient::wantsDelayNotice, true),
    /// Delivered after a report of a delay.
    CLEARED(RecipientStatus.DELIVERED, each -> each.wantsDelayNotice() && !each.wantsReceipt(), true),
    /// In the mailbox, or at the next server: the sender asked for a confirmation (NOTIFY=SUCCESS).
    DELIVERED(RecipientStatus.DELIVERED, Recipient::wantsReceipt, false),
    /// Failed mail of the null sender, for the postmaster. NOTIFY speaks to the sender, so it does not
    /// apply.
    DOUBLE_BOUNCE(RecipientStatus.FAILED, _ -> true, false);

    /// The state of the recipients in the report.
    public final RecipientStatus about;

    /// True for a report that only informs. It must not answer automatic mail (RFC 3834 section 2).
    public final boolean onlyInforms;

    private final Predicate<Recipient> asked;

    ReportKind(RecipientStatus about, Predicate<Recipient> asked, boolean onlyInforms) {
        this.about = about;
        this.asked = asked;
        this.onlyInforms = onlyInforms;
    }

    /// True when a report of this kind includes this recipient.
    public boolean concerns(RecipientState state) {
        return state.state() == about && asked.test(state.recipient());
    }

    /// For ids, the log and the name of the template.
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(ReportKind::word).toList();
    }
}
