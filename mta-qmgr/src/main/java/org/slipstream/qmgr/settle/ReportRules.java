package org.slipstream.qmgr.settle;

import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;

/// Decides which reports an idle message needs, and when.
///
/// | Report | When |
/// |---|---|
/// | failures, no open recipient left | at once |
/// | failures beside open recipients | `queue.report-interval` after the first of them (ZM-41) |
/// | failures of the null sender's mail | as above, to the postmaster, if `queue.double-bounce` says so |
/// | a reported delay has ended | when no recipient is open, if `queue.confirm-delay-cleared` says so |
record ReportRules(long intervalMillis, boolean doubleBounces, boolean clearances) {
    static ReportRules of(QmgrConfig config) {
        return new ReportRules(config.reportIntervalMillis(),
                config.queue().reports().doubleBounce() == QueueSettings.DoubleBounce.POSTMASTER,
                config.queue().reports().confirmDelayCleared());
    }

    boolean tellsFailure(Activation message) {
        return message.failed() > 0 && (message.sender.isPresent() || doubleBounces);
    }

    /// True when the report can wait for more failures. Failures of an unknown time, from before a
    /// restart, are reported at once.
    boolean collects(Activation message, long nowMillis) {
        return message.hasOpen() && nowMillis - message.failedSinceMillis() < intervalMillis
                && nowMillis >= message.failedSinceMillis();
    }

    long dueMillis(Activation message) {
        return message.failedSinceMillis() + intervalMillis;
    }

    boolean tellsClearance(Activation message) {
        return clearances && message.delayReports > 0 && message.sender.isPresent()
                && !message.hasTriedReport(QmgrOrder.NoticeKind.CLEARED);
    }
}
