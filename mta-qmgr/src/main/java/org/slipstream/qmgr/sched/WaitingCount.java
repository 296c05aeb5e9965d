package org.slipstream.qmgr.sched;

/// The number of waiting entries of a part of the mail. A queue manager that counts them by a walk would take time
/// for each of them at each event.
public final class WaitingCount {
    int entries;

    public int entries() {
        return entries;
    }
}
