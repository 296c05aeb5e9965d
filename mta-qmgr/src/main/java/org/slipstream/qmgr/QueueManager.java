package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.admit.MessageAdmission;
import org.slipstream.qmgr.admit.RecipientReading;
import org.slipstream.qmgr.admit.Routing;
import org.slipstream.qmgr.admit.Suspensions;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.event.ActivationOrder;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.OrderedLimits;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settle.Completion;
import org.slipstream.qmgr.settle.FailedMessages;
import org.slipstream.qmgr.settle.Outcomes;
import org.slipstream.qmgr.settle.RetrySchedule;
import org.slipstream.qmgr.settle.Scans;
import org.slipstream.qmgr.settle.Settlement;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// The queue manager: a pure function of events and time. The same events at the same times give
/// the same orders.
///
/// Its input is [QmgrEvent], its output is [QmgrOrder]. It reads no clock, starts no thread, never
/// blocks and does not log. It must be called by one thread at a time.
///
/// **A message's way**: admitted to the active set ([ActivationOrder]) → its recipients are read in
/// batches → each domain's route is requested and routed recipients enter the scheduler ([Routing])
/// → they wait in entries ([Scheduler]: *who is next*) → an entry whose destination is live
/// ([Destinations]) and for which there is a seat ([Seating]: *where*) is delivered → its outcomes
/// are recorded ([Outcomes]), and only the answer to that ends the entry → when the message is
/// idle, [Settlement] decides the next step and [Completion] executes it: report, defer, remove.
/// Operators may intervene at any time ([Operators]). This class dispatches events and selects the
/// next deliveries.
///
/// **Two halves of a step.** [#absorb] applies an event and its necessary consequences; [#pump]
/// makes the choices: the entries to deliver now, and whether to scan for more messages. [#step] is
/// one after the other. A caller with several events of one instant absorbs them all and pumps
/// once, so that each choice uses all available facts.
///
/// **Invariants**: a message is not removed while a recipient of it is open, and an outcome does
/// not count before it is on disk. A crash anywhere may repeat a delivery or a report and loses
/// neither.
public final class QueueManager {
    private static final String SMTP = "smtp";

    private QmgrConfig config;
    private final Seating seating;
    private final StepContext step = new StepContext();
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Routing routing;
    private final MessageAdmission admission;
    private final RecipientReading reading;
    private final ActiveDeliveries deliveries;
    private final QueueQueries queries;
    private final FailedMessages failedMessages;
    private final Completion completion;
    private final Operators operators;
    private final Probes probes;
    private final Suspensions suspensions;
    private final OrderedLimits limits = new OrderedLimits();
    private long latestMillis = Long.MIN_VALUE / 2;
    private boolean stopping;

    /// @param random the only source of randomness; the scheduler needs none
    public QueueManager(QmgrConfig config, Seating seating, RandomGenerator random) {
        this(config, seating, random, QmgrTrace.SILENT);
    }

    /// @param trace observes the decisions
    public QueueManager(QmgrConfig config, Seating seating, RandomGenerator random, QmgrTrace trace) {
        this(config, seating, random, trace, Optional.empty());
    }

    /// @param sources the caller's sources of messages: with them, announcements and scans are ignored
    public QueueManager(QmgrConfig config, Seating seating, RandomGenerator random, QmgrTrace trace,
            Optional<ActivationOrder> sources) {
        Objects.requireNonNull(random);
        this.config = config;
        this.seating = seating;
        ActiveSet active = new ActiveSet();
        RetrySchedule retrySchedule = new RetrySchedule(config);
        Scans scans = new Scans(config, retrySchedule);
        this.scheduler = new Scheduler(config.recipientLimit(), config.memory().messageRecipientMinimum(),
                config.recipientBatch(), name -> config.transport(name).service(), config.policy(), trace);
        this.destinations = new Destinations(config, seating, scheduler, trace, random, step,
                id -> active.find(id).flatMap(message -> message.sender).map(Address::domainKey),
                sources.isEmpty());
        this.suspensions = new Suspensions(queue -> destinations.groups().provider(queue));
        Outcomes outcomes = new Outcomes(step, scheduler);
        this.failedMessages = new FailedMessages(scheduler, outcomes);
        this.routing = new Routing(config, step, scheduler, destinations, outcomes, suspensions, trace);
        this.completion = new Completion(config, step, retrySchedule, scheduler, active, outcomes, scans,
                failedMessages, destinations.rules()::deferred);
        this.probes = new Probes(step, seating, routing.routeRequests());
        this.admission = new MessageAdmission(config, step, scans, retrySchedule, active, scheduler, completion,
                sources);
        this.reading = new RecipientReading(step, active, scheduler, routing, outcomes, retrySchedule, failedMessages,
                completion);
        this.deliveries = new ActiveDeliveries(config, step, seating, destinations, scheduler, active, outcomes,
                retrySchedule, probes, routing, trace);
        this.queries = new QueueQueries(active, scheduler, destinations, seating, deliveries, retrySchedule,
                suspensions, limits, admission.unannounced(), this::isQuiet, () -> config.transports());
        this.operators = new Operators(step, seating, active, admission.pendingArrivals(), scheduler, destinations,
                routing, completion, probes,
                new SuspendedMail(step, suspensions, active, scheduler, destinations, outcomes, completion, trace),
                limits, this::settingsChanged);
    }

    /// Learns what an earlier run kept of destinations, before the first event.
    ///
    /// @param rows other records than those of destinations are skipped
    public void learn(List<HostRow> rows, long nowMillis) {
        rows.forEach(row -> destinations.learn(row, nowMillis));
    }

    /// Applies one event with all its consequences.
    ///
    /// @throws ImpossibleEventException when the event cannot occur now, see [#absorb]
    public void step(QmgrEvent event, long nowMillis, OrderSink sink) {
        absorb(event, nowMillis, sink);
        pump(nowMillis, sink);
    }

    /// Applies an event without selecting deliveries.
    ///
    /// @throws ImpossibleEventException when the event cannot occur now. The event itself has
    /// changed nothing; the passage of time is applied, and the orders given so far are valid
    public void absorb(QmgrEvent event, long nowMillis, OrderSink sink) {
        step.begin(nowMillis, sink);
        timePasses();
        switch (event) {
            case QmgrEvent.MessageQueued queued -> admission.queued(queued.message());
            case QmgrEvent.ScanDone done -> {
                admission.scanned(done);
                operators.movePostponed();
            }
            case QmgrEvent.RecipientsRead read -> reading.recipientsRead(read);
            case QmgrEvent.MessageDamaged damaged -> reading.damaged(damaged.id());
            case QmgrEvent.RouteKnown known -> {
                probes.routeKnown(known.domain(), known.route());
                routing.known(known.domain(), known.route(), completion::settle);
            }
            case QmgrEvent.RouteFailed failed -> {
                probes.routeFailed(failed.domain(), failed.reason());
                routing.failed(failed.domain(), failed.reason(), completion::settle);
            }
            case QmgrEvent.OfConnection connection ->
                deliveries.learn(seating.handle(connection, now(), step.orders()));
            case QmgrEvent.OutcomeRecorded recorded -> completion.recorded(recorded.id());
            case QmgrEvent.Notified notified -> {
                if (!completion.notified(notified)) {
                    operators.movePostponed();
                }
            }
            case QmgrEvent.Filed filed -> completion.filed(filed.id());
            case QmgrEvent.Instructed instructed -> operators.instructed(instructed);
            case QmgrEvent.MovedOut moved -> operators.movedOut(moved);
            case QmgrEvent.MovedIn moved -> admission.movedIn(moved);
            case QmgrEvent.Alarm _ -> {
                // Handled by timePasses().
            }
            case QmgrEvent.ArrivalsMissed _ -> admission.missed();
            case QmgrEvent.Stopping _ -> {
                stopping = true;
                admission.stops();
                queries.stops();
            }
            case QmgrEvent.Operator operator -> operators.command(operator);
            case QmgrEvent.SettingsChanged(QmgrEvent.NewSettings others) -> {
                limits.change((ChangedSettings) others);
                settingsChanged();
            }
            case QmgrEvent.HostsLearned learned -> {
                seating.learn(learned.changes(), now());
                scheduler.seatsMayBeFree();
            }
            case QmgrEvent.ShardHeld(int shard, boolean held) ->
                queries.holds(held ? OptionalInt.of(shard) : OptionalInt.empty());
            case QmgrEvent.LimitsShared(Map<String, Integer> own) -> destinations.windows().share(own, now());
            case QmgrEvent.LeaseEvent lease -> deliveries.lease(lease);
        }
        operators.resumed(seating.resumed(now()));
        reading.orderReads();
        if (!(event instanceof QmgrEvent.LeaseEvent)) {
            destinations.windows().askAgain(now());
        }
        destinations.windows().lanes().settle(false);
        seating.keep(destinations.toKeep(stopping));
        step.end();
    }

    // The order of service stays: the queue in memory has its form.
    private void settingsChanged() {
        ChangedSettings inForce = limits.inForce(() -> new ChangedSettings(config, seating.rules(SMTP)));
        config = inForce.config().withPolicy(config.policy());
        admission.change(config);
        routing.change(config);
        completion.change(config);
        seating.change(config.placement(inForce.smtp()));
        deliveries.change(config);
    }

    /// Scans for more messages when due, admits messages up to the active limit, and assigns
    /// entries to seats as long as there are seats.
    public void pump(long nowMillis, OrderSink sink) {
        step.begin(nowMillis, sink);
        if (!stopping) {
            if (suspensions.freeze().isEmpty()) {
                select(nowMillis, sink);
            }
            probes.pump(deliveries::nextNumber);
        }
        destinations.windows().lanes().settle(true);
        step.end();
    }

    private void select(long nowMillis, OrderSink sink) {
        admission.scanIfDue();
        deliveries.begin();
        while (admitNext(nowMillis, sink)) {
            // One message a pass.
        }
        admission.passed();
        while (queries.held().isEmpty() && choose(nowMillis, sink)) {
            // One entry a choice.
        }
        admission.hasIdleLanes(queries.held().isEmpty() && deliveries.seated().size() < config.lanes());
    }

    /// The first half of [#pump] in single steps: one pass of admission. False when no message
    /// waits, or the active set is full.
    public boolean admitNext(long nowMillis, OrderSink sink) {
        step.begin(nowMillis, sink);
        boolean found = admission.pass(nowMillis);
        reading.orderReads();
        return found;
    }

    /// The second half of [#pump] in single steps: assigns one entry to a seat, or orders
    /// recipients that the next choice requires. False when nothing can be delivered. When each
    /// order is executed before the next step, the decisions are those of a queue manager that
    /// reads its own disk.
    public boolean choose(long nowMillis, OrderSink sink) {
        step.begin(nowMillis, sink);
        routing.placeAll();
        boolean chosen = deliveries.choose(nowMillis);
        reading.orderReads();
        return chosen;
    }

    /// The time of the next [QmgrEvent.Alarm]; `Long.MAX_VALUE` when none is planned.
    public long nextAlarmMillis() {
        long next = seating.nextAlarmMillis();
        if (stopping) {
            return next;
        }
        next = Math.min(next, Math.min(suspensions.nextMillis(), limits.nextMillis()));
        next = Math.min(next, admission.nextMillis(suspensions.freeze().isPresent()));
        next = Math.min(next, Math.min(destinations.nextMillis(), completion.nextReportMillis()));
        return Math.min(next,
                Math.min(destinations.windows().lanes().nextMillis(latestMillis), deliveries.nextSweepMillis()));
    }

    /// True when no delivery, record, report or filing is in progress. After [QmgrEvent.Stopping]
    /// this state is reached.
    public boolean isQuiet() {
        return deliveries.seated().isEmpty() && probes.isQuiet() && completion.isQuiet() && operators.isQuiet();
    }

    /// New mail arrives faster than it is admitted, by more than the process limit
    /// (`default_process_limit`): the SMTP server should delay clients for a moment
    /// (`in_flow_delay`). Valid until the next step.
    public boolean isBehindArrivals() {
        return admission.isBehind() && suspensions.freeze().isEmpty() && queries.held().isEmpty();
    }

    /// Questions, which change nothing.
    public QueueQueries queries() {
        return queries;
    }

    /// Finds entries that wait although their windows and a seat are free: lost wake-ups, if there
    /// are any after [#pump]. Changes nothing.
    public Stream<Entry> overlooked(long nowMillis) {
        return stopping || suspensions.freeze().isPresent() || queries.held().isPresent()
                ? Stream.empty()
                : deliveries.overlooked(nowMillis);
    }

    /// Messages that were put on hold because their data cannot be processed, since the previous call, each
    /// with the failure.
    public Map<QueueId, RuntimeException> takeFailedMessages() {
        return failedMessages.take();
    }

    /// The message that the latest step worked on; after a failure, the one whose data may be the cause.
    public Optional<QueueId> inHand() {
        return step.inHand();
    }

    private long now() {
        return step.nowMillis();
    }

    // ---- time

    private void timePasses() {
        noticeClockSetBack();
        if (seating.nextAlarmMillis() <= now()) {
            deliveries.learn(seating.alarm(now(), step.orders()));
        }
        destinations.timePasses(now());
        suspensions.timePasses(now());
        if (limits.timePasses(now())) {
            settingsChanged();
        }
        admission.unannounced().timePasses(now());
        if (!stopping) {
            completion.timePasses();
        }
        deliveries.timePasses();
    }

    // Dead times refer to the old clock; without this they would be longer by the amount that the
    // clock went back.
    private void noticeClockSetBack() {
        if (now() < latestMillis - config.minimalBackoffMillis()) {
            destinations.flush(now());
        }
        latestMillis = now();
    }
}
