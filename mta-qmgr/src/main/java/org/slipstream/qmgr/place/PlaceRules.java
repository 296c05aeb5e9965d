package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.place.WorkerBudget.Shares;

import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/// The placement settings of one transport.
///
/// @param workers connections in total (`process_limit`)
/// @param connectionsPerHost open connections to one host
/// @param messages share of one message (`max_message_concurrency`, `scale_max_concurrency`)
/// @param verification share of all address probes together
/// @param returns times that a delivery may be the first unanswered one on a breaking connection
/// before it is deferred
/// @param ofHosts open connections to single hosts, by the text of their keys in lower case
public record PlaceRules(int workers, int connectionsPerHost, Shares messages, Shares verification, Depth depth,
        Idle idle, RecordLifetimes memory, Unproven unproven, int returns, Map<String, Integer> ofHosts) {
    /// The number of deliveries in progress on one connection.
    ///
    /// @param first until the wire says otherwise
    /// @param most the wire may say no more than this
    /// @param overflow how many times its depth a connection takes when no other may be opened. The
    ///     source sets no bound; but what has a seat cannot be passed any more, so an endless queue
    ///     would take the choice from the order of service
    public record Depth(int first, int most, int overflow) {
        /// One at a time, as in a delivery agent of Postfix.
        public static final Depth ONE = new Depth(1, 1, 1);

        public Depth {
            if (first < 1 || most < first || overflow < 1) {
                throw new IllegalArgumentException(
                        "a connection takes at least one delivery: " + first + ", " + most + ", " + overflow);
            }
        }

        /// Deliveries can ride on connections that are at work. Without that, a connection and a
        /// delivery are the same number, and the placement decides as Postfix does.
        boolean carriesSeveral() {
            return most > 1 || overflow > 1;
        }
    }

    /// The limits of idle connections.
    ///
    /// @param perHost connections to one host that may be kept with nothing to do
    /// @param most how long
    /// @param age a connection older than this takes nothing more
    public record Idle(int perHost, Duration most, Duration age) {
        public Idle {
            if (perHost < 0 || most.isNegative() || !age.isPositive()) {
                throw new IllegalArgumentException(
                        "idle connections and their ages: " + perHost + ", " + most + ", " + age);
            }
        }

        long maxMillis() {
            return most.toMillis();
        }

        long ageMillis() {
            return age.toMillis();
        }
    }

    /// The lifetimes of host records.
    ///
    /// @param retry how long a broken host is left out
    /// @param told how long after that operators are told that it failed: as long as mail may wait
    ///     for its next attempt
    /// @param crowded how long no further connection is tried at a host that refused one while
    ///     others worked
    /// @param closed how long it is remembered which host was used last
    /// @param habit how long it is remembered that a host breaks under pipelining
    /// @param trackClosed false: a host without connections is an unused one (FI-40)
    /// @param retryLast false: a broken host that is due is an unused one (FI-40)
    public record RecordLifetimes(Duration retry, Duration told, Duration crowded, Duration closed, Duration habit,
            boolean trackClosed,
            boolean retryLast) {
        public RecordLifetimes withRetry(Duration ofBroken, Duration ofCrowded, Duration ofClosed) {
            return new RecordLifetimes(ofBroken, told, ofCrowded, ofClosed, habit, trackClosed, retryLast);
        }

        public RecordLifetimes simplified(boolean closedTracked, boolean retryIsLast) {
            return new RecordLifetimes(retry, told, crowded, closed, habit, closedTracked, retryIsLast);
        }
    }

    /// The limits of connections that wait for the greeting of a host that is not known to work.
    ///
    /// @param percent of all connections, at least one
    /// @param failedPercent of all connections, for hosts that failed the last time
    /// @param perHost to one such host until it has greeted
    /// @param yield a connection that has waited as long gives its place to another host when
    ///     places are short
    public record Unproven(int percent, int failedPercent, int perHost, Duration yield) {
        /// No limits of their own: every connection is treated alike, as Postfix does.
        public static final Unproven UNLIMITED = new Unproven(100, 100, Integer.MAX_VALUE,
                Duration.ofMillis(Long.MAX_VALUE / 4));

        public Unproven(int percent, int failedPercent, Duration yield) {
            this(percent, failedPercent, 1, yield);
        }

        public Unproven {
            if (percent < 1 || percent > 100 || failedPercent < 1 || failedPercent > percent || perHost < 1
                    || !yield.isPositive()) {
                throw new IllegalArgumentException("shares are 1 to 100 percent, failed hosts have no more than all: "
                        + percent + ", " + failedPercent + ", " + yield);
            }
        }

        public long yieldMillis() {
            return yield.toMillis();
        }
    }

    /// The same limit for all hosts.
    public PlaceRules(int workers, int connectionsPerHost, Shares messages, Shares verification, Depth depth, Idle idle,
            RecordLifetimes memory, Unproven unproven, int returns) {
        this(workers, connectionsPerHost, messages, verification, depth, idle, memory, unproven, returns,
                Collections.emptyMap());
    }

    public PlaceRules {
        ofHosts = Collections.unmodifiableMap(new TreeMap<>(ofHosts));
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
        return PlacementSettings.defaults().rules(100, 20, Duration.ofSeconds(2), Duration.ofSeconds(300),
                Duration.ofSeconds(4_000));
    }

    /// For a transport whose destinations have one host each, of which nothing needs to be found
    /// out: local delivery, LMTP, discard. With these rules the placement reproduces the recorded
    /// traces of Postfix.
    ///
    /// @param perHost connections to one destination; 0 for no limit
    public static PlaceRules plain(int workers, int perHost, Duration idle) {
        Shares all = new Shares(Integer.MAX_VALUE, 0);
        return new PlaceRules(workers, perHost == 0 ? Integer.MAX_VALUE : perHost, all, all, Depth.ONE,
                new Idle(Integer.MAX_VALUE, idle, Duration.ofSeconds(300)), defaults().memory(), Unproven.UNLIMITED, 3);
    }

    /// A delivery whose connection a working host refused waits for a connection that is up. The next
    /// of these is free within one delivery, and a deferral takes `queue.minimal-backoff`. The plain
    /// rules defer it, as Postfix does.
    boolean refusedWait() {
        return depth.carriesSeveral() || unproven.perHost() < Integer.MAX_VALUE;
    }

    /// Open connections to this host.
    int connectionsTo(HostKey host) {
        return ofHosts.isEmpty()
                ? connectionsPerHost
                : ofHosts.getOrDefault(host.toString().toLowerCase(Locale.ROOT), connectionsPerHost);
    }

    public PlaceRules withWorkers(int count, int perHost) {
        return with("workers", count).with("connectionsPerHost", perHost);
    }

    /// @param host the text of its key
    public PlaceRules withHost(String host, int connections) {
        Map<String, Integer> more = new TreeMap<>(ofHosts);
        more.put(host.toLowerCase(Locale.ROOT), connections);
        return with("ofHosts", more);
    }

    public PlaceRules with(Shares ofMessages, Shares ofVerification) {
        return with("messages", ofMessages).with("verification", ofVerification);
    }

    public PlaceRules with(Depth other) {
        return with("depth", other);
    }

    public PlaceRules with(Idle other) {
        return with("idle", other);
    }

    public PlaceRules with(RecordLifetimes other) {
        return with("memory", other);
    }

    public PlaceRules with(Unproven other) {
        return with("unproven", other);
    }

    private PlaceRules with(String component, Object value) {
        return SettingsRecords.with(this, component, value);
    }

    /// The limit of connections that wait for the greeting of a host that is not known to work.
    public int mostUnproven() {
        return mostUnproven(workers);
    }

    /// The same share of another number of connections.
    int mostUnproven(int connections) {
        return share(connections, unproven.percent());
    }

    /// The limit of such connections to hosts that failed the last time.
    int mostFailed(int connections) {
        return share(connections, unproven.failedPercent());
    }

    private static int share(int connections, int percent) {
        return Math.toIntExact(Math.ceilDiv((long) connections * percent, 100));
    }
}
