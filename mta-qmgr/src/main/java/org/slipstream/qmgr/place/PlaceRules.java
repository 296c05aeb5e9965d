package org.slipstream.qmgr.place;

import org.slipstream.qmgr.place.WorkerBudget.Shares;

/// The placement's settings.
///
/// @param workers connections in all
/// @param messages what one message may have of them (`max_message_concurrency`, `scale_max_concurrency`)
/// @param verification what all address probes together may have
/// @param backlog unanswered loads on a connection before another one is wanted, until the wire says otherwise
/// @param mostBacklog the wire may say no more than this
/// @param overflow how many times its backlog a connection takes when no other may be opened. The source sets no bound; but what
/// has a seat cannot be passed any more, so an endless queue would take the choice from the order of service
/// @param connectionsPerHost open ones to one host
/// @param idlePerHost of these, how many may be kept with nothing to do
/// @param maxIdleMillis how long
/// @param maxActiveMillis a connection older than this takes nothing more
/// @param retryMillis how long a broken host is left out
/// @param retryMemoryMillis how long after that operators are told that it failed: as long as mail may wait for its next attempt
/// @param crowdedMillis how long no further connection is tried at a host that refused one while others worked
/// @param closedMemoryMillis how long it is remembered which host was used last
/// @param habitMemoryMillis how long it is remembered that a host breaks under pipelining
/// @param returns how often a load may be the first unanswered one on a breaking connection before it is deferred
/// @param unproven what connections to hosts that are not known to work may have of the workers
/// @param trackClosed false: a host without connections is an unused one (FI-40)
/// @param retryLast false: a broken host that is due is an unused one (FI-40)
public record PlaceRules(int workers, Shares messages, Shares verification, int backlog, int mostBacklog, int overflow,
        int connectionsPerHost, int idlePerHost, long maxIdleMillis, long maxActiveMillis, long retryMillis,
        long retryMemoryMillis,
        long crowdedMillis, long closedMemoryMillis, long habitMemoryMillis, int returns, Unproven unproven,
        boolean trackClosed, boolean retryLast) {
    /// How many workers may wait for the greeting of a host that is not known to work.
    ///
    /// @param percent of all workers, at least one worker
    /// @param failedPercent of all workers, for hosts that failed the last time
    /// @param perHost connections to one such host until it has greeted
    /// @param yieldMillis a connection that has waited as long gives its place to another host when places are short
    public record Unproven(int percent, int failedPercent, int perHost, long yieldMillis) {
        /// No limits of their own: every connection is treated alike, as Postfix does.
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
        if (workers < 1 || backlog < 1 || mostBacklog < backlog || overflow < 1 || connectionsPerHost < 1
                || idlePerHost < 0 || returns < 1) {
            throw new IllegalArgumentException("connections, backlogs and returns are at least 1: " + workers + ", "
                    + backlog + ", " + mostBacklog + ", " + overflow + ", " + connectionsPerHost + ", " + returns);
        }
    }

    /// The source's figures where it has any.
    public static PlaceRules defaults() {
        return new PlaceRules(100, new Shares(5, 10), new Shares(5, 0), 2, 50, 2, 20, 2, 10_000, 300_000, 300_000,
                4_000_000, 60_000, 3_600_000, 86_400_000, 3, new Unproven(75, 25, 30_000), true, true);
    }

    public PlaceRules withWorkers(int count, int perHost) {
        return new PlaceRules(count, messages, verification, backlog, mostBacklog, overflow, perHost, idlePerHost,
                maxIdleMillis, maxActiveMillis, retryMillis, retryMemoryMillis, crowdedMillis, closedMemoryMillis,
                habitMemoryMillis,
                returns, unproven, trackClosed, retryLast);
    }

    public PlaceRules withShares(Shares ofMessages, Shares ofVerification) {
        return new PlaceRules(workers, ofMessages, ofVerification, backlog, mostBacklog, overflow, connectionsPerHost,
                idlePerHost, maxIdleMillis, maxActiveMillis, retryMillis, retryMemoryMillis, crowdedMillis,
                closedMemoryMillis,
                habitMemoryMillis, returns, unproven, trackClosed, retryLast);
    }

    public PlaceRules withBacklog(int threshold, int times) {
        return new PlaceRules(workers, messages, verification, threshold, Math.max(threshold, mostBacklog), times,
                connectionsPerHost, idlePerHost, maxIdleMillis, maxActiveMillis, retryMillis, retryMemoryMillis,
                crowdedMillis,
                closedMemoryMillis, habitMemoryMillis, returns, unproven, trackClosed, retryLast);
    }

    /// @param most the wire may say no more than this
    public PlaceRules withDepth(int first, int most, int times) {
        return new PlaceRules(workers, messages, verification, first, most, times, connectionsPerHost, idlePerHost,
                maxIdleMillis, maxActiveMillis, retryMillis, retryMemoryMillis, crowdedMillis, closedMemoryMillis,
                habitMemoryMillis, returns, unproven, trackClosed, retryLast);
    }

    public PlaceRules withAges(int idleOfOneHost, long idleMillis, long activeMillis) {
        return new PlaceRules(workers, messages, verification, backlog, mostBacklog, overflow, connectionsPerHost,
                idleOfOneHost, idleMillis, activeMillis, retryMillis, retryMemoryMillis, crowdedMillis,
                closedMemoryMillis,
                habitMemoryMillis, returns, unproven, trackClosed, retryLast);
    }

    public PlaceRules withMemory(long retry, long crowded, long closed) {
        return new PlaceRules(workers, messages, verification, backlog, mostBacklog, overflow, connectionsPerHost,
                idlePerHost, maxIdleMillis, maxActiveMillis, retry, retryMemoryMillis, crowded, closed,
                habitMemoryMillis, returns, unproven,
                trackClosed, retryLast);
    }

    public PlaceRules simplified(boolean closedTracked, boolean retryIsLast) {
        return new PlaceRules(workers, messages, verification, backlog, mostBacklog, overflow, connectionsPerHost,
                idlePerHost, maxIdleMillis, maxActiveMillis, retryMillis, retryMemoryMillis, crowdedMillis,
                closedMemoryMillis,
                habitMemoryMillis, returns, unproven, closedTracked, retryIsLast);
    }

    public PlaceRules withUnproven(Unproven shares) {
        return new PlaceRules(workers, messages, verification, backlog, mostBacklog, overflow, connectionsPerHost,
                idlePerHost, maxIdleMillis, maxActiveMillis, retryMillis, retryMemoryMillis, crowdedMillis,
                closedMemoryMillis,
                habitMemoryMillis, returns, shares, trackClosed, retryLast);
    }

    /// So many connections may wait for the greeting of hosts that are not known to work.
    public int mostUnproven() {
        return share(unproven.percent());
    }

    /// So many of these to hosts that failed the last time.
    public int mostFailed() {
        return share(unproven.failedPercent());
    }

    private int share(int percent) {
        return Math.ceilDiv(workers * percent, 100);
    }
}
