package org.slipstream.qmgr;

import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Optional;

/// When to look into the register for messages whose time has come.
///
/// New mail announces itself, so a scan is for what sleeps: deferred mail, what a restart left behind, arrivals that found
/// no room. The original looks every 300 s whether or not there is anything, and rounds every retry up to that. Here the
/// time of the next scan is known: the earliest next attempt that the register told of or that was filed since. The
/// interval remains as a safety net.
///
/// **One at a time.** A scan moves the next attempt of what it finds forward on disk (the lease), so a second one could only
/// find other messages; one outstanding scan is enough.
///
/// **Never a busy loop.** Two scans are at least a gap apart, with two exceptions that make progress by themselves: an
/// operator asked, or the last scan found something (which it will not find again before the lease is over), left a
/// backlog, and there is again room for a good part of the active set. The last condition keeps a full active set from
/// scanning once per finished message.
///
/// **A clock that went back** leaves next attempts on disk that are as far ahead as it went. So the first scan, each scan after a step back, and
/// one in each interval bring what is deferred for longer than the longest gap forward to that.
///
/// **Room for others.** A scan asks for half of the free room at most: mail that arrives while it is under way finds the other half.
final class Scans {
    private static final long GAP_MILLIS = 1_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final QmgrConfig config;
    private final Patience patience;
    private final long gapMillis;
    private final int worthwhile;
    private boolean underWay;
    private int reserved;
    private boolean urgent;
    private boolean backlog;
    private long dueMillis;
    private long lastMillis = Long.MIN_VALUE / 2;

    /// When next attempts that are too far ahead were last looked for.
    private long broughtForwardMillis = Long.MIN_VALUE / 2;
    private long latestMillis = Long.MIN_VALUE / 2;

    Scans(QmgrConfig config, Patience patience) {
        this.config = config;
        this.patience = patience;
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
    void leftOutside(long nowMillis) {
        backlog = true;
        dueAt(nowMillis);
    }

    /// Mail that was left outside, or more than a scan could take, may still be on disk only.
    boolean isBehind() {
        return backlog || underWay;
    }

    /// Places in the active set that the outstanding scan may fill.
    int reserved() {
        return reserved;
    }

    /// The scan to order now, if any.
    Optional<QmgrOrder.Scan> next(long nowMillis, int room) {
        noticeClockSetBack(nowMillis);
        if (nextMillis(room) > nowMillis) {
            return Optional.empty();
        }
        underWay = true;
        urgent = false;
        // All that was known to be due is on disk, and the answer will tell of it; from here on only news count.
        backlog = false;
        dueMillis = NEVER;
        lastMillis = nowMillis;
        reserved = Math.clamp(room / 2, 1, Math.max(1, config.scanLimit()));
        // A lease of nothing would find the same messages at once again.
        long lease = Math.max(config.minimalBackoffMillis(), gapMillis);
        return Optional.of(new QmgrOrder.Scan(reserved, nowMillis, nowMillis + lease,
                patience.expiryHorizonMillis(nowMillis), furthestMillis(nowMillis)));
    }

    private long furthestMillis(long nowMillis) {
        if (nowMillis - broughtForwardMillis < config.scanIntervalMillis()) {
            return Long.MAX_VALUE;
        }
        broughtForwardMillis = nowMillis;
        return patience.furthestMillis(nowMillis);
    }

    void answered() {
        if (!underWay) {
            throw new ImpossibleEventException("no scan was ordered");
        }
        underWay = false;
        reserved = 0;
    }

    /// Plans the next one.
    void plan(QmgrEvent.ScanDone done, long nowMillis) {
        backlog |= done.more() && !done.found().isEmpty();
        dueAt(done.more() ? nowMillis : done.nextDueMillis().orElse(NEVER));
        dueAt(nowMillis + config.scanIntervalMillis());
    }

    /// When a scan is to be ordered, as far as can be foretold.
    long nextMillis(int room) {
        if (underWay || room <= 0) {
            return NEVER;
        }
        if (urgent || backlog && room >= worthwhile) {
            return lastMillis;
        }
        return Math.max(dueMillis, lastMillis + gapMillis);
    }

    private void noticeClockSetBack(long nowMillis) {
        lastMillis = Math.min(lastMillis, nowMillis);
        dueMillis = Math.min(dueMillis, nowMillis + config.scanIntervalMillis());
        if (nowMillis < latestMillis - gapMillis) {
            broughtForwardMillis = Long.MIN_VALUE / 2;
            dueAt(nowMillis);
        }
        latestMillis = nowMillis;
    }
}
