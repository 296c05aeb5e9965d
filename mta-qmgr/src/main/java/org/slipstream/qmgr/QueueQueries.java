package org.slipstream.qmgr;

import org.slipstream.core.ProviderTable;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.GateReading;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.Suspension;
import org.slipstream.qmgr.admit.Suspensions;
import org.slipstream.qmgr.admit.UnannouncedMail;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.dest.Groups;
import org.slipstream.qmgr.explain.Explanation;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.place.PlaceSnapshot.ConnectionInfo;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.JobsSnapshot;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.OrderedLimits;
import org.slipstream.qmgr.settle.RetrySchedule;
import org.slipstream.qmgr.trace.DestinationFigures;
import org.slipstream.qmgr.trace.ProviderFigures;
import org.slipstream.qmgr.trace.QmgrSnapshot;
import org.slipstream.qmgr.wake.GateRefusal;

import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/// Questions to the queue manager, on its thread. They change nothing.
public final class QueueQueries {
    private final ActiveSet active;
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Seating seating;
    private final ActiveDeliveries deliveries;
    private final RetrySchedule retrySchedule;
    private final Suspensions suspensions;
    private final OrderedLimits limits;
    private final UnannouncedMail unannounced;
    private final BooleanSupplier quiet;
    private boolean stopping;

    QueueQueries(ActiveSet active, Scheduler scheduler, Destinations destinations, Seating seating,
            ActiveDeliveries deliveries, RetrySchedule retrySchedule, Suspensions suspensions, OrderedLimits limits,
            UnannouncedMail unannounced, BooleanSupplier quiet) {
        this.quiet = quiet;
        this.active = active;
        this.scheduler = scheduler;
        this.destinations = destinations;
        this.seating = seating;
        this.deliveries = deliveries;
        this.retrySchedule = retrySchedule;
        this.suspensions = suspensions;
        this.limits = limits;
        this.unannounced = unannounced;
    }

    void stops() {
        stopping = true;
    }

    /// @param transport those of the transport in question
    /// @param others those of all other transports
    public record ConnectionsInUse(int transport, int others) {}

    /// The deliveries in memory.
    ///
    /// @param waiting by the gate that refused the latest one of their destination
    /// @param open those that wait where no gate has refused one
    /// @param providers all that are known, and the mail to others
    public record DeliveryCounts(Map<Code, Long> waiting, long open, long running, List<ProviderFigures> providers) {}

    /// See [QueueManager#isQuiet].
    public boolean isQuiet() {
        return quiet.getAsBoolean();
    }

    /// The suspensions in force, the freeze first.
    public List<Suspension> suspensions() {
        return suspensions.all();
    }

    /// The limits that operators have set.
    public List<LimitOrder> limits() {
        return limits.all();
    }

    /// New messages since the start that no event announced and that only a scan found; 0 in a healthy
    /// server.
    public long unannounced() {
        return unannounced.count();
    }

    /// The latest of [#unannounced].
    public Optional<QueueId> latestUnannounced() {
        return unannounced.latest();
    }

    /// A snapshot of every message and every destination. For tests and simulations; its cost grows
    /// with the active set.
    public QmgrSnapshot snapshot(long nowMillis) {
        return snapshot(messages(active.now(), nowMillis), destinations(nowMillis));
    }

    /// A snapshot of the active ones of these messages, without destinations; its cost grows with
    /// the number of ids.
    public QmgrSnapshot snapshot(Set<QueueId> ids, long nowMillis) {
        List<Activation> wanted = ids.stream().map(active::find).flatMap(Optional::stream).toList();
        return snapshot(messages(wanted, nowMillis), List.of());
    }

    /// A snapshot of the destinations, without messages.
    public QmgrSnapshot snapshotOfDestinations(long nowMillis) {
        return snapshot(List.of(), destinations(nowMillis));
    }

    private QmgrSnapshot snapshot(List<QmgrSnapshot.ActiveMessage> messages,
            List<QmgrSnapshot.ActiveDestination> queues) {
        return new QmgrSnapshot(active.size(), unannounced.count(), messages, queues);
    }

    /// When the next failure of this message is final.
    public long expiryMillis(MessageSummary message) {
        return retrySchedule.expiryMillis(message.createdMillis(), message.sender().isEmpty());
    }

    /// Connections at work of one transport, and of all others.
    public ConnectionsInUse inUse(String transport) {
        int busy = seating.busy(transport);
        return new ConnectionsInUse(busy, seating.busy() - busy);
    }

    /// The providers of those of these domains of recipients that are known to have one: of the latest 50,000
    /// domains with mail.
    public Map<String, String> providers(Collection<String> domains) {
        return destinations.groups().providers(domains);
    }

    /// The providers by their hosts.
    public ProviderTable providerTable() {
        return destinations.groups().providerTable();
    }

    /// The figures of each ring and provider with mail in memory, and of sender domains with a limit.
    List<Groups.GroupFigures> groups() {
        return destinations.groups().figures();
    }

    /// Groups that are remembered, with mail or without.
    int groupsInMemory() {
        return destinations.groups().size();
    }

    /// The number of messages in the active set.
    public int active() {
        return active.size();
    }

    /// The figures of each destination in memory.
    public List<DestinationFigures> destinationFigures() {
        return scheduler.queues().map(queue -> destinations.figures(queue)).toList();
    }

    /// The first jobs of each transport in their order of service, at most this number of each.
    public JobsSnapshot jobs(int most) {
        return scheduler.jobs(most);
    }

    /// The connections of each transport in order of opening, at most this number of each.
    public List<ConnectionInfo> connections(int most) {
        return seating.connections(most);
    }

    /// The deliveries in memory, counted. The cost grows with the destinations.
    public DeliveryCounts deliveryCounts() {
        Map<Code, Long> waiting = new EnumMap<>(Code.class);
        long open = 0;
        long running = 0;
        for (DestinationQueue queue : (Iterable<DestinationQueue>) scheduler.queues()::iterator) {
            Optional<GateRefusal> refusal = queue.waiting() > 0
                    ? destinations.rules().refusal(queue)
                    : Optional.empty();
            refusal.ifPresent(each -> waiting.merge(each.gate(), (long) queue.waiting(), Long::sum));
            open += refusal.isPresent() ? 0 : queue.waiting();
            running += queue.running();
        }
        return new DeliveryCounts(waiting, open, running, destinations.groups().providerFigures());
    }

    /// Next hops that are given up for a time, with the reason.
    public Map<String, DestinationState.Dead> deadNextHops() {
        return destinations.dead();
    }

    /// The state of one active message, for the log of a refused event.
    public Optional<QmgrSnapshot.ActiveMessage> about(QueueId id, long nowMillis) {
        return active.find(id).map(message -> explanation(nowMillis, List.of(message)).message(message));
    }

    /// The gates between an active message and its next delivery, in order; empty when the message
    /// waits for no delivery. Changes nothing.
    public List<GateReading> gates(QueueId id, long nowMillis) {
        return active.find(id).map(message -> explanation(nowMillis, List.of(message)).gates(message))
                .orElse(List.of());
    }

    private List<QmgrSnapshot.ActiveMessage> messages(List<Activation> wanted, long nowMillis) {
        Explanation explanation = explanation(nowMillis, wanted);
        return wanted.stream().map(explanation::message).sorted(Comparator.comparing(QmgrSnapshot.ActiveMessage::id))
                .toList();
    }

    private List<QmgrSnapshot.ActiveDestination> destinations(long nowMillis) {
        Explanation explanation = explanation(nowMillis, List.of());
        return scheduler.queues().map(explanation::destination).toList();
    }

    // ActiveDeliveries in progress are searched only if one of them belongs to a requested message.
    private Explanation explanation(long nowMillis, List<Activation> wanted) {
        Map<QueueId, Explanation.FirstDelivery> first = new LinkedHashMap<>();
        Set<QueueId> running = wanted.stream().filter(message -> message.work.running() > 0).map(message -> message.id)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (!running.isEmpty()) {
            deliveries.seated().forEach((delivery, under) -> {
                if (running.contains(under.entry().message().id())) {
                    first.putIfAbsent(under.entry().message().id(),
                            new Explanation.FirstDelivery(delivery, under.entry().queue(), under.sinceMillis()));
                }
            });
        }
        return new Explanation(seating, destinations, first, stopping, suspensions.freeze(), limits, nowMillis);
    }

    /// The ids that are in the active set.
    public Set<QueueId> activeAmong(Collection<QueueId> ids) {
        return ids.stream().filter(active::contains).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /// The next messages of the active set after `after`, in order of id, at most `most`.
    public List<QueueId> active(Optional<QueueId> after, int most) {
        return active.after(after, most);
    }
}
