package org.slipstream.qmgr.place;

import org.slipstream.qmgr.place.WorkerBudget.Shares;

import java.util.Objects;

/// The placement settings of one transport.
///
/// @param workers connections in total (`process_limit`)
/// @param connectionsPerHost open connections to one host
/// @param messages share of one message (`max_message_concurrency`, `scale_max_concurrency`)
/// @param verification share of all address probes together
/// @param returns times that a delivery may be the first unanswered one on a breaking connection
/// before it is deferred
public record PlaceRules(int workers, int connectionsPerHost, Shares messages, Shares verification, Depth depth,
        Idle idle, Memory memory, Unproven unproven, int returns) {

    /// The number of deliveries in progress on one connection.
    ///
    /// @param first the initial number
    /// @param most the largest number that the client may announce
    /// @param overflow factor of the depth that a connection accepts when no other may be opened.
    /// Finch sets no bound; but a delivery with a seat cannot be passed any more, so an unbounded
    /// queue would take the choice from the scheduler
    public record Depth(int first, int most, int overflow) {
        /// One at a time, as in a delivery agent of Postfix.
        public static final Depth ONE = new Depth(1, 1, 1);

        public Depth {
            if (first < 1 || most < first || overflow < 1) {
                throw new IllegalArgumentException(
                        "a connection takes at least one delivery: " + first + ", " + most + ", " + overflow);
            }
        }

        /// True when a delivery can share a busy connection. Otherwise connections and deliveries
        /// are the same number, and the placement decides as Postfix does.
        boolean carriesSeveral() {
            return most > 1 || overflow > 1;
        }
    }

    /// The limits of idle connections.
    ///
    /// @param perHost idle connections kept to one host
    /// @param maxMillis longest idle time
    /// @param ageMillis a connection older than this accepts no delivery
    public record Idle(int perHost, long maxMillis, long ageMillis) {
        public Idle {
            if (perHost < 0 || maxMillis < 0 || ageMillis < 1) {
                throw new IllegalArgumentException(
                        "idle connections and their ages: " + perHost + ", " + maxMillis + ", " + ageMillis);
            }
        }
    }

    /// The lifetimes of host records.
    ///
    /// @param retryMillis time for which a failed host is excluded
    /// @param toldMillis time after that in which operators see the failure: as long as mail may
    /// wait for its next attempt
    /// @param crowdedMillis time without a further connection to a host that refused one while
    /// others were up
    /// @param closedMillis lifetime of the record of the host used last
    /// @param habitMillis lifetime of the record that a host fails under pipelining
    /// @param trackClosed false: a host without connections is an unused one (FI-40)
    /// @param retryLast false: a failed host that is due is an unused one (FI-40)
    public record Memory(long retryMillis, long toldMillis, long crowdedMillis, long closedMillis, long habitMillis,
            boolean trackClosed, boolean retryLast) {
        public Memory withRetry(long retry, long crowded, long closed) {
            return new Memory(retry, toldMillis, crowded, closed, habitMillis, trackClosed, retryLast);
        }

        public Memory simplified(boolean closedTracked, boolean retryIsLast) {
            return new Memory(retryMillis, toldMillis, crowdedMillis, closedMillis, habitMillis, closedTracked,
                    retryIsLast);
        }
    }

    /// The limits of connections that wait for the greeting of a host that is not known to work.
    ///
    /// @param percent of all connections, at least one
    /// @param failedPercent of all connections, for hosts that failed the last time
    /// @param perHost to one such host until its first greeting
    /// @param yieldMillis age at which such a connection may be evicted when connections are short
    public record Unproven(int percent, int failedPercent, int perHost, long yieldMillis) {
        /// No separate limits: every connection is treated alike, as in Postfix.
        public static final Unproven UNLIMITED = new Unproven(100, 100, Integer.MAX_VALUE, Long.MAX_VALUE / 4);

        public Unproven(int percent, int failedPercent, long yieldMillis) {
            this(percent, failedPercent, 1, yieldMillis);
        }

        public Unproven {
            if (percent < 1 || percent > 100 || failedPercent < 1 || failedPercent > percent || perHost < 1
                    || yieldMillis < 1) {
                throw new IllegalArgumentException("shares are 1 to 100 percent, failed hosts have no more than all: "
                        + percent + ", " + failedPercent + ", " + yieldMillis);
            }
        }
    }

    public PlaceRules {
        Objects.requireNonNull(messages);
        Objects.requireNonNull(verification);
        Objects.requireNonNull(depth);
        Objects.requireNonNull(idle);
        Objects.requireNonNull(memory);
        Objects.requireNonNull(unproven);
        if (workers < 1 || connectionsPerHost < 1 || returns < 1) {
            throw new IllegalArgumentException(
                    "at least one connection: " + workers + ", " + connectionsPerHost + ", " + returns);
        }
    }

    /// Defaults for SMTP, from Finch's document where it has values.
    public static PlaceRules defaults() {
        return new PlaceRules(100, 20, new Shares(5, 10), new Shares(5, 0), new Depth(2, 50, 1),
                new Idle(2, 2_000, 300_000),
                new Memory(300_000, 4_000_000, 60_000, 3_600_000, 86_400_000, true, true),
                new Unproven(75, 25, 30_000), 3);
    }

    /// Rules for a transport whose destinations have one host each: local delivery, LMTP, discard.
    /// With these rules the placement reproduces the recorded traces of Postfix.
    ///
    /// @param perHost connections to one destination; 0 for no limit
    public static PlaceRules plain(int workers, int perHost, long idleMillis) {
        Shares all = new Shares(Integer.MAX_VALUE, 0);
        return new PlaceRules(workers, perHost == 0 ? Integer.MAX_VALUE : perHost, all, all, Depth.ONE,
                new Idle(Integer.MAX_VALUE, idleMillis, 300_000), defaults().memory(), Unproven.UNLIMITED, 3);
    }

    public PlaceRules withWorkers(int count, int perHost) {
        return new PlaceRules(count, perHost, messages, verification, depth, idle, memory, unproven, returns);
    }

    public PlaceRules with(Shares ofMessages, Shares ofVerification) {
        return new PlaceRules(workers, connectionsPerHost, ofMessages, ofVerification, depth, idle, memory, unproven,
                returns);
    }

    public PlaceRules with(Depth other) {
        return new PlaceRules(workers, connectionsPerHost, messages, verification, other, idle, memory, unproven,
                returns);
    }

    public PlaceRules with(Idle other) {
        return new PlaceRules(workers, connectionsPerHost, messages, verification, depth, other, memory, unproven,
                returns);
    }

    public PlaceRules with(Memory other) {
        return new PlaceRules(workers, connectionsPerHost, messages, verification, depth, idle, other, unproven,
                returns);
    }

    public PlaceRules with(Unproven other) {
        return new PlaceRules(workers, connectionsPerHost, messages, verification, depth, idle, memory, other,
                returns);
    }

    /// The limit of connections that wait for the greeting of a host that is not known to work.
    public int mostUnproven() {
        return share(unproven.percent());
    }

    /// The limit of such connections to hosts that failed the last time.
    public int mostFailed() {
        return share(unproven.failedPercent());
    }

    private int share(int percent) {
        return Math.toIntExact(Math.ceilDiv((long) workers * percent, 100));
    }
}
