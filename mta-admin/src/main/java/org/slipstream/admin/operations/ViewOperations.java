package org.slipstream.admin.operations;

import org.slipstream.core.QueueId;
import org.slipstream.core.SettingsRecords;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Views of the whole server, as the API uses them. Called on HTTP threads; they change nothing.
public interface ViewOperations {
    /// The ages of a bounded part of the queue after `after`.
    ShapePage shape(ShapeBy by, Optional<QueueId> after) throws IOException;

    Activity activity() throws IOException;

    /// One destination: its windows, and its latest errors.
    DestinationDetails destination(String name) throws IOException;

    /// The known providers in order of name, and `other` for the mail to none of them.
    List<ProviderView> providers() throws IOException;

    /// A provider and its mail in memory.
    ///
    /// @param hosts names of MX hosts, and suffixes that begin with a dot
    /// @param lanes connections to all its domains; absent: no limit
    /// @param rate deliveries in a period, `100/1h`; empty: no limit
    /// @param senderLanes deliveries of one sender domain; absent: no limit
    /// @param destinations with mail in memory
    /// @param waiting deliveries
    /// @param started deliveries of the current period of the rate
    record ProviderView(String name, List<String> hosts, List<String> addresses, Optional<Integer> lanes, String rate,
            Optional<Integer> senderLanes, String senderRate, int destinations, int waiting, int connections,
            int started) {}

    /// The counters of the load that need no question to the queue manager, by name.
    Map<String, Long> counters() throws IOException;

    /// The jobs of the scheduler in their order of service, a bounded number of each transport.
    SchedulerView scheduler() throws IOException;

    /// @param at ISO 8601 in UTC
    record SchedulerView(String at, List<TransportJobsView> transports) {}

    /// @param shard absent when the server has only one
    /// @param dead no delivery of this transport is chosen
    /// @param slotCost deliveries that earn one slot; 0 when no job may preempt another
    /// @param jobs on the list; `first` has the first ones of them
    /// @param preemptions since the start
    /// @param latest a few of them, the latest first
    record TransportJobsView(String transport, Optional<Integer> shard, boolean dead, int slotCost, int jobs,
            long preemptions, List<JobView> first, List<PreemptionView> latest) {
        public TransportJobsView in(int number) {
            return SettingsRecords.with(this, "shard", Optional.of(number));
        }
    }

    /// The entries of one message for one transport.
    ///
    /// @param level 0 for a job that has not passed another, otherwise one more than that of the job
    ///     that it passed
    /// @param passed the message of that job; empty at level 0
    /// @param selected deliveries chosen so far
    /// @param left deliveries that wait or may follow, at most
    /// @param running deliveries under way
    /// @param balance deliveries whose slots were earned and not spent; may be negative
    /// @param current the next search starts at this job
    record JobView(String id, int level, String passed, int selected, int left, int running, int balance,
            boolean current) {}

    /// @param number counted from 1 since the start
    /// @param at ISO 8601 in UTC
    /// @param balance of the passed job afterwards
    record PreemptionView(long number, String at, String passed, String stepping, int level, int balance) {}

    enum ShapeBy {
        DESTINATION, PROVIDER, SENDER
    }

    /// @param next the value of `after` for the next part; absent on the last
    /// @param faults shards whose messages are not counted, each with the reason
    record ShapePage(List<ShapeRow> rows, Optional<String> next, List<String> faults) {
        public ShapePage(List<ShapeRow> rows, Optional<String> next) {
            this(rows, next, List.of());
        }
    }

    /// The messages that wait for a destination, or those of a sender's domain, by age.
    ///
    /// @param name a domain; `<>` for the null sender
    /// @param ages the number of messages up to 5, 10, 20, 40, 80, 160, 320, 640 and 1280 minutes,
    ///     and of older ones, as Postfix's `qshape`
    /// @param held the number of these that an operator holds
    /// @param state `dead until …` or `suspended …` with the reason; empty for others
    /// @param lastReply the latest reply for a waiting recipient; empty before the first attempt
    /// @param lastAt its time, ISO 8601 in UTC
    record ShapeRow(String name, List<Long> ages, long held, String state, String lastReply, String lastAt) {
        public long total() {
            return ages.stream().mapToLong(Long::longValue).sum();
        }

        /// The row of both parts of the queue. The latest reply may be in either.
        public ShapeRow plus(ShapeRow other) {
            List<Long> sums = IntStream.range(0, ages.size()).mapToObj(i -> ages.get(i) + other.ages.get(i)).toList();
            ShapeRow latest = lastAt.compareTo(other.lastAt) >= 0 ? this : other;
            return new ShapeRow(name, sums, held + other.held, latest.state, latest.lastReply, latest.lastAt);
        }
    }

    /// The load of a server at one moment.
    ///
    /// @param at ISO 8601 in UTC
    /// @param messages in the queue; absent, as is `held`, while the queue index is unavailable
    /// @param counters since the start, by their names in [RFC
    ///     2789](https://www.rfc-editor.org/rfc/rfc2789)
    /// @param destinations the busiest in memory first, then those with recent errors; one row with the
    /// transport `-` has the sum of the others
    /// @param shards empty when the server has only one
    /// @param knownShards those with a folder, open and closed; 0 without shards
    /// @param trouble as in the status
    record Activity(String at, String hostname, String started, Optional<Long> messages, Optional<Long> held,
            int active,
            Operations.ConnectionsView connections, Map<String, Long> counters,
            List<StandingOrders.SuspensionView> suspensions,
            List<BusyDestination> destinations, List<ShardLine> shards, int knownShards,
            List<Operations.TroubleView> trouble) {
        /// The same load, with further troubles.
        public Activity withTroubles(List<Operations.TroubleView> further) {
            return SettingsRecords.with(this, "trouble", Stream.concat(trouble.stream(), further.stream()).toList());
        }
    }

    /// @param windows of each transport; the name is that of the next hop
    /// @param errors different ones, the latest first, at most ten; the name is the domain of the
    ///     recipient
    record DestinationDetails(String name, List<BusyDestination> windows, List<ErrorView> errors) {}

    /// The same reply, one or more times in a row.
    ///
    /// @param first ISO 8601 in UTC, as is `last`
    record ErrorView(String reply, long times, String first, String last) {}

    /// The load of a shard, as `qmail-qread -i` prints that of a queue.
    ///
    /// @param mode `normal`, `held`, `disabled` or `drained`
    /// @param local deliveries to mailboxes of this server
    /// @param remote deliveries to other servers
    /// @param messages absent, as is `held`, while the queue index is unavailable
    /// @param waiting deliveries in memory
    /// @param connections to other servers
    /// @param fault the reason why the figures are missing; empty when they are there
    record ShardLine(int shard, String mode, ShardOperations.UseView local, ShardOperations.UseView remote,
            Optional<Long> messages, Optional<Long> held, int active, int waiting, int connections, String fault) {}

    /// @param state `live`, `dead`, `suspended` (by an operator), `paused` (rate delay), `idle` (not in
    ///     memory)
    /// @param until end of the state, ISO 8601 in UTC, as are the other times; empty when unknown
    /// @param window deliveries that may run at once
    /// @param limit of the window; 0: none
    /// @param waiting deliveries in memory
    /// @param oldest arrival of the oldest message in memory that waits
    /// @param lastError the latest reply that deferred or returned a recipient
    record BusyDestination(String transport, String nextHop, String state, String until, int window, int limit,
            int connections, int running, int waiting, String oldest, String lastError, String lastErrorAt) {}
}
