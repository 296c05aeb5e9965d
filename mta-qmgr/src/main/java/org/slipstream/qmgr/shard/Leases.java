package org.slipstream.qmgr.shard;

/// The lanes that a shard holds of each limit of the server. With one shard ([#WHOLE]) there are no
/// accounts: each limit belongs to the shard as a whole.
public final class Leases {
    /// One shard.
    public static final Leases WHOLE = new Leases(false);

    private final boolean shared;

    private Leases(boolean shared) {
        this.shared = shared;
    }

    /// One of several shards: it holds nothing at first.
    public static Leases shared() {
        return new Leases(true);
    }

    /// True when other shards use the same limits.
    public boolean areShared() {
        return shared;
    }
}
