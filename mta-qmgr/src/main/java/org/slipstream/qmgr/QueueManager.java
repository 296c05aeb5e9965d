package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.OrderedLimits;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settle.Completion;
import org.slipstream.qmgr.settle.FailedMessages;
import org.slipstream.qmgr.settle.Outcomes;
import org.slipstream.qmgr.settle.ReportRules;
import org.slipstream.qmgr.settle.RetrySchedule;
import org.slipstream.qmgr.settle.Scans;
import org.slipstream.qmgr.settle.Settlement;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
    private final RetrySchedule retrySchedule;
    private final Scans scans;

    // ---- active messages
    private final StepContext step = new StepContext();
    private final ActiveSet active = new ActiveSet();
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Routing routing;
    private final MessageAdmission admission;
    private final RecipientReading reading;
    private final ActiveDeliveries deliveries;
    private final QueueQueries queries;

    // ---- results
    private final Outcomes outcomes;
    private final FailedMessages failedMessages;
    private final Completion completion;
    private final Operators operators;
    private final Probes probes;
    private final Flushes flushes;
    private final Suspensions suspensions = new Suspensions();

    /// The settings without the limits that operators have set; empty before the first change.
    private Optional<ChangedSettings> settings = Optional.empty();
    private final OrderedLimits limits = new OrderedLimits();

    private long nextSweepMillis;
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

    /// With the caller's sources of messages: announcements and scans are ignored.
    public QueueManager(QmgrConfig config, Seating seating, RandomGenerator random, QmgrTrace trace,
            ActivationOrder admission) {
        this(config, seating, random, trace, Optional.of(admission));
    }

    private QueueManager(QmgrConfig config, Seating seating, RandomGenerator random, QmgrTrace trace,
            Optional<ActivationOrder> sources) {
        Objects.requireNonNull(random);
        this.config = config;
        this.seating = seating;
        this.retrySchedule = new RetrySchedule(config);
        this.scheduler = new Scheduler(config.recipientLimit(), config.memory().messageRecipientMinimum(),
                config.recipientBatch(), name -> config.transport(name).service(), config.policy(), trace);
        this.destinations = new Destinations(config, seating, scheduler, trace, random, step);
        this.outcomes = new Outcomes(step, scheduler);
        this.flushes = new Flushes(config.minimalBackoffMillis());
        this.failedMessages = new FailedMessages(scheduler, outcomes);
        this.routing = new Routing(step, scheduler, destinations, outcomes, flushes, suspensions, trace);
        this.scans = new Scans(config, retrySchedule);
        this.completion = new Completion(step, new Settlement(retrySchedule, ReportRules.of(config)), scheduler,
                active, outcomes, scans, failedMessages);
        this.probes = new Probes(step, seating, routing.routeRequests());
        PendingArrivals pendingArrivals = new PendingArrivals(Math.max(1, config.scanLimit()));
        this.admission = new MessageAdmission(config, step, scans, retrySchedule, active, scheduler, completion,
                pendingArrivals, sources);
        this.reading = new RecipientReading(step, active, scheduler, routing, outcomes, retrySchedule, failedMessages,
                completion);
        this.deliveries = new ActiveDeliveries(config, step, seating, destinations, scheduler, active, outcomes,
                retrySchedule, probes, trace, admission.scans());
        this.queries = new QueueQueries(active, scheduler, destinations, seating, deliveries, retrySchedule,
                suspensions, limits, admission.unannounced(), this::isQuiet);
        this.operators = new Operators(step, seating, active, pendingArrivals, scheduler, destinations, routing,
                flushes,
                completion,
                probes,
                new SuspendedMail(step, suspensions, active, scheduler, destinations, outcomes, completion, trace),
                limits,
                this::settingsChanged);
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
            case QmgrEvent.OutcomeRecorded recorded -> recorded(recorded.id());
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
                settings = Optional.of((ChangedSettings) others);
                settingsChanged();
            }
            case QmgrEvent.HostsLearned learned -> {
                seating.learn(learned.changes(), now());
                scheduler.seatsMayBeFree();
            }
            case QmgrEvent.LeaseEvent lease -> lease(lease);
        }
        operators.resumed(seating.resumed(now()));
        reading.orderReads();
        if (!(event instanceof QmgrEvent.LeaseEvent)) {
            destinations.askAgain(now());
        }
        destinations.lanes().settle(false);
        step.end();
    }

    // The order of service stays: the queue in memory has its form.
    private void settingsChanged() {
        ChangedSettings given = settings.orElseGet(() -> new ChangedSettings(config, seating.rules(SMTP)));
        settings = Optional.of(given);
        ChangedSettings inForce = limits.on(given);
        config = inForce.config().withPolicy(config.policy());
        retrySchedule.change(config);
        scans.change(config);
        admission.change(config);
        deliveries.change(config);
        flushes.change(config.minimalBackoffMillis());
        completion.change(ReportRules.of(config));
        seating.change(transport -> transport.equals(SMTP) ? inForce.smtp() : config.plainRules(transport));
        Map<DestinationQueue, DeferralReason> closed = destinations.change(config, now());
        scheduler.change(config.recipientLimit(), config.memory().messageRecipientMinimum(),
                name -> config.transport(name).service());
        closed.forEach((queue, reason) -> {
            deliveries.deferWaiting(queue, reason);
            destinations.dropIfDone(queue);
        });
    }

    private void lease(QmgrEvent.LeaseEvent event) {
        destinations.lanes().happened(event);
        if (event instanceof QmgrEvent.LeaseGranted granted) {
            destinations.granted(granted.key(), now());
            if (seating.displaced() > 0) {
                deliveries.apply(seating.reseat(now(), step.orders()));
            }
        }
    }

    /// Scans for more messages when due, admits messages up to the active limit, and assigns
    /// entries to seats as long as there are seats.
    public void pump(long nowMillis, OrderSink sink) {
        step.begin(nowMillis, sink);
        select(nowMillis, sink);
        destinations.lanes().settle(true);
        step.end();
    }

    private void select(long nowMillis, OrderSink sink) {
        if (stopping) {
            return;
        }
        if (suspensions.freeze().isPresent()) {
            probes.pump(deliveries::nextNumber);
            return;
        }
        admission.scanIfDue();
        deliveries.begin();
        boolean more = true;
        while (more) {
            more = admitNext(nowMillis, sink);
        }
        admission.passed();
        more = true;
        while (more) {
            more = choose(nowMillis, sink);
        }
        probes.pump(deliveries::nextNumber);
        admission.hasIdleLanes(deliveries.seated().size() < config.lanes());
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
        next = Math.min(next, Math.min(suspensions.nextMillis(), admission.unannounced().nextMillis()));
        next = Math.min(next, limits.nextMillis());
        if (suspensions.freeze().isEmpty()) {
            next = Math.min(next, admission.nextScanMillis());
        }
        next = Math.min(next, Math.min(destinations.nextMillis(), completion.nextReportMillis()));
        next = Math.min(next, destinations.lanes().nextMillis(latestMillis));
        return active.isEmpty() ? next : Math.min(next, nextSweepMillis);
    }

    /// True when no delivery, record, report or filing is in progress. After [QmgrEvent.Stopping]
    /// this state is reached.
    public boolean isQuiet() {
        return deliveries.seated().isEmpty() && probes.isQuiet() && outcomes.isQuiet() && completion.isQuiet()
                && operators.isQuiet();
    }

    /// New mail arrives faster than it is admitted, by more than the process limit
    /// (`default_process_limit`): the SMTP server should delay clients for a moment
    /// (`in_flow_delay`). Valid until the next step.
    public boolean isBehindArrivals() {
        return admission.isBehind() && suspensions.freeze().isEmpty();
    }

    /// Questions, which change nothing.
    public QueueQueries queries() {
        return queries;
    }

    /// Finds entries that wait although their windows and a seat are free: lost wake-ups, if there
    /// are any after [#pump]. Changes nothing.
    public Stream<Entry> overlooked(long nowMillis) {
        return stopping || suspensions.freeze().isPresent() ? Stream.empty() : deliveries.overlooked(nowMillis);
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
        if (nextSweepMillis <= now()) {
            nextSweepMillis = now() + config.scanIntervalMillis();
            active.now().forEach(this::expireWhileWaiting);
        }
    }

    // Dead times refer to the old clock; without this they would be longer by the amount that the
    // clock went back.
    private void noticeClockSetBack() {
        if (now() < latestMillis - config.minimalBackoffMillis()) {
            destinations.flush(now());
        }
        nextSweepMillis = Math.min(nextSweepMillis, now() + config.scanIntervalMillis());
        latestMillis = now();
    }

    // Expiry applies in every state: a message that never gets a seat must not depend on a failed
    // attempt.
    private void expireWhileWaiting(Activation message) {
        boolean overdue = message.options.isTooLate(now())
                || retrySchedule.isExpired(message.nullSender, message.hasBeenTried(), message.createdMillis, now())
                        && now() - message.work.activatedMillis() >= config.minimalBackoffMillis();
        if (overdue && !message.isLeaving() && message.work.waiting() > 0) {
            Outcome untried = new Outcome.Deferred(Reply.of(451, "4.4.7", "no connection available before expiry"),
                    Outcomes.HERE);
            scheduler.withdraw(message.work)
                    .forEach(entry -> outcomes.untried(message, entry.recipients(), untried,
                            QueuePhase.Code.CONNECTIONS, RetryBounds.NONE));
        }
    }

    private void recorded(QueueId id) {
        Activation message = active.known(id);
        outcomes.recorded(message);
        completion.settle(message);
    }
}
