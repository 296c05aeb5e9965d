package org.slipstream.qmgr.settle;

import org.slipstream.qmgr.settings.QmgrConfig;

/// The schedule of scans of one queue, incoming or deferred.
///
/// **Never a busy loop.** Two scans of a queue are at least [#gapMillis] apart, with two exceptions
/// that make progress by themselves. The first is an operator's request. The second is a scan that
/// found messages (which their lease hides from the next scan) and left a backlog, when a quarter
/// of the active set or a whole scan fits again. The last condition keeps a full active set from
/// scanning once per finished message.
///
/// **A clock that went back** leaves next attempts on disk that are as far ahead as it went. So the
/// first scan, each scan after a step back, and one in each interval move messages that are
/// deferred beyond the longest backoff forward to that limit.
final class ScanPlan {
    static final long NEVER = Long.MAX_VALUE;
    private static final long GAP_MILLIS = 1_000;

    private QmgrConfig config;
    private long gapMillis;
    private int worthwhile;
    private boolean urgent;
    private boolean backlog;
    private long dueMillis;
    private long lastMillis = Long.MIN_VALUE / 2;

    /// Time of the latest check for next attempts that are too far ahead.
    private long broughtForwardMillis = Long.MIN_VALUE / 2;
    private long latestMillis = Long.MIN_VALUE / 2;

    ScanPlan(QmgrConfig config) {
        change(config);
    }

    void change(QmgrConfig settings) {
        this.config = settings;
        // With retries faster than every second, as in the lab, scans are as frequent.
        this.gapMillis = Math.clamp(settings.minimalBackoffMillis() / 2, 10, GAP_MILLIS);
        this.worthwhile = Math.clamp(settings.activeLimit() / 4, 1, Math.max(1, settings.scanLimit()));
    }

    /// A message will be due at this time.
    void dueAt(long millis) {
        dueMillis = Math.min(dueMillis, millis);
    }

    /// An operator made messages due.
    void now() {
        urgent = true;
    }

    /// A due message found no free place.
    void leftInSpool(long nowMillis) {
        backlog = true;
        dueAt(nowMillis);
    }

    /// True when due messages may still be on disk only.
    boolean hasBacklog() {
        return backlog;
    }

    /// A scan begins: the spool reports all that is due until now, so only later news count.
    void begin(long nowMillis) {
        urgent = false;
        backlog = false;
        dueMillis = NEVER;
        lastMillis = nowMillis;
    }

    /// Without a lease the next scan would find the same messages.
    long leaseMillis() {
        return Math.max(config.minimalBackoffMillis(), gapMillis);
    }

    /// True once in each interval: this scan corrects next attempts that are too far ahead.
    boolean bringsForward(long nowMillis) {
        if (nowMillis - broughtForwardMillis < config.scanIntervalMillis()) {
            return false;
        }
        broughtForwardMillis = nowMillis;
        return true;
    }

    /// The expected time of the next scan.
    long nextMillis(int free) {
        if (free <= 0) {
            return NEVER;
        }
        if (urgent || backlog && free >= worthwhile) {
            return lastMillis;
        }
        return Math.max(dueMillis, lastMillis + gapMillis);
    }

    /// Plans the next scan from the result of one.
    ///
    /// @param more true when more messages are due than requested, and the scan found some
    void plan(boolean more, long dueMillis, long nowMillis) {
        backlog |= more;
        dueAt(dueMillis);
        dueAt(nowMillis + config.scanIntervalMillis());
    }

    void noticeClockSetBack(long nowMillis) {
        lastMillis = Math.min(lastMillis, nowMillis);
        dueMillis = Math.min(dueMillis, nowMillis + config.scanIntervalMillis());
        if (nowMillis < latestMillis - gapMillis) {
            broughtForwardMillis = Long.MIN_VALUE / 2;
            dueAt(nowMillis);
        }
        latestMillis = nowMillis;
    }
}
