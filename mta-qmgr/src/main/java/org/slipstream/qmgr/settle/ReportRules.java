package org.slipstream.qmgr.settle;

import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;

import java.util.Optional;

/// Decides which report an idle message needs, and when. An activation orders each kind once.
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

    Optional<ReportKind> due(Activation message, RetrySchedule schedule, long nowMillis) {
        for (ReportKind kind : ReportKind.values()) {
            if (isDue(kind, message, schedule, nowMillis) && !message.hasTriedReport(kind)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    private boolean isDue(ReportKind kind, Activation message, RetrySchedule schedule, long nowMillis) {
        return switch (kind) {
            case FAILED -> tellsFailure(message) && !collects(message, nowMillis);
            case DELAYED -> message.hasOpen() && message.sender.isPresent()
                    && (schedule.isLate(message.delayReports, message.createdMillis, nowMillis)
                            || message.delayReports == 0 && message.options.isLate(nowMillis));
            case CLEARED -> clearances && message.delayReports > 0 && message.sender.isPresent() && !message.hasOpen()
                    && !tellsFailure(message);
            // The first is made when the message is removed, the second in place of a report of failures.
            case DELIVERED, DOUBLE_BOUNCE -> false;
        };
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
}
