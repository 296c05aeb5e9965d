package org.slipstream.qmgr;

/// When one of the two queues is to be looked through next.
///
/// **Never a busy loop.** Two scans of a queue are at least a gap apart, with two exceptions that make progress by themselves: an
/// operator asked, or the last scan found something (which it will not find again before the lease is over), left a
/// backlog, and there is again room for a good part of the active set. The last condition keeps a full active set from
/// scanning once per finished message.
///
/// **A clock that went back** leaves next attempts on disk that are as far ahead as it went. So the first scan, each scan after a step back, and
/// one in each interval bring what is deferred for longer than the longest gap forward to that.
final class ScanPlan {
    static final long NEVER = Long.MAX_VALUE;
    private static final long GAP_MILLIS = 1_000;

    private final QmgrConfig config;
    private final long gapMillis;
    private final int worthwhile;
    private boolean urgent;
    private boolean backlog;
    private long dueMillis;
    private long lastMillis = Long.MIN_VALUE / 2;

    /// When next attempts that are too far ahead were last looked for.
    private long broughtForwardMillis = Long.MIN_VALUE / 2;
    private long latestMillis = Long.MIN_VALUE / 2;

    ScanPlan(QmgrConfig config) {
        this.config = config;
        // Where retries come faster than every second, as in a laboratory, so may scans.
        this.gapMillis = Math.clamp(config.minimalBackoffMillis() / 2, 10, GAP_MILLIS);
        this.worthwhile = Math.clamp(config.activeLimit() / 4, 1, Math.max(1, config.scanLimit()));
    }

    /// Something will be due at this time.
    void dueAt(long millis) {
        dueMillis = Math.min(dueMillis, millis);
    }

    /// An operator made something due.
    void now() {
        urgent = true;
    }

    /// Something is due and found no room.
    void leftInSpool(long nowMillis) {
        backlog = true;
        dueAt(nowMillis);
    }

    /// What was left outside, or more than a scan could take, may still be on disk only.
    boolean hasBacklog() {
        return backlog;
    }

    /// A scan begins: the spool has all that was known to be due, and its answer reports it. From here on only news count.
    void begin(long nowMillis) {
        urgent = false;
        backlog = false;
        dueMillis = NEVER;
        lastMillis = nowMillis;
    }

    /// A lease of nothing would find the same messages at once again.
    long leaseMillis() {
        return Math.max(config.minimalBackoffMillis(), gapMillis);
    }

    /// True once in each interval: this scan looks for next attempts that are too far ahead.
    boolean bringsForward(long nowMillis) {
        if (nowMillis - broughtForwardMillis < config.scanIntervalMillis()) {
            return false;
        }
        broughtForwardMillis = nowMillis;
        return true;
    }

    /// When the next scan is to be ordered, as far as can be foretold.
    long nextMillis(int free) {
        if (free <= 0) {
            return NEVER;
        }
        if (urgent || backlog && free >= worthwhile) {
            return lastMillis;
        }
        return Math.max(dueMillis, lastMillis + gapMillis);
    }

    /// What a scan left behind.
    ///
    /// @param more true when more is due than it was asked for, and it found something
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
