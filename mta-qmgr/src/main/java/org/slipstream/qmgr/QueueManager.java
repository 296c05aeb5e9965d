package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.GateReading;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.Suspension;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.Effects;
import org.slipstream.qmgr.place.Effects.Ended;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.Choice;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Gate;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.OrderedLimits;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settle.Completion;
import org.slipstream.qmgr.settle.FailedMessages;
import org.slipstream.qmgr.settle.Outcomes;
import org.slipstream.qmgr.settle.ReportRules;
import org.slipstream.qmgr.settle.RetrySchedule;
import org.slipstream.qmgr.settle.Returns;
import org.slipstream.qmgr.settle.Scans;
import org.slipstream.qmgr.settle.Settlement;
import org.slipstream.qmgr.trace.DestinationFigures;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
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
    /// Destinations that may be refused for lack of a connection before a choice ends. Otherwise
    /// ten thousand destinations that wait for a connection would be asked at every event, although
    /// one of them might share one.
    private static final int MOST_SHORTAGES = 64;

    /// Deferred mail in the active set, in multiples of the scan limit, while all connections are
    /// busy.
    private static final int DEFERRED_AHEAD = 2;
    private static final String SMTP = "smtp";

    private QmgrConfig config;
    private final Seating seating;
    private final RetrySchedule retrySchedule;
    private final QmgrTrace trace;

    // ---- admission
    private final PendingArrivals pendingArrivals;
    private final ActivationOrder admission;
    private final InFlowControl inFlow;
    private final Scans scans;
    private final UnannouncedMail unannounced = new UnannouncedMail();

    /// False when the caller supplies the sources of messages: then nothing is scanned.
    private final boolean scanning;

    // ---- active messages
    private final StepContext step = new StepContext();
    private final ActiveSet active = new ActiveSet();
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Routing routing;
    private final Map<Long, Seated> seated = new LinkedHashMap<>();

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

    /// An entry in delivery.
    ///
    /// @param timed its duration is to be measured
    private record Seated(Entry entry, boolean timed, long sinceMillis) {}

    private long deliveries;

    /// Destinations that were refused in this choice because all connections are busy.
    private int shortages;
    private long nextSweepMillis;
    private long latestMillis = Long.MIN_VALUE / 2;
    private boolean idleLanes = true;
    private boolean stopping;

    /// Other shards use the same limits.
    private final boolean shared;

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
            Optional<ActivationOrder> admission) {
        Objects.requireNonNull(random);
        this.config = config;
        this.seating = seating;
        this.shared = seating.leases().areShared();
        this.trace = trace;
        this.retrySchedule = new RetrySchedule(config);
        this.scans = new Scans(config, retrySchedule);
        this.pendingArrivals = new PendingArrivals(Math.max(1, config.scanLimit()));
        this.admission = admission.orElseGet(pendingArrivals::admission);
        this.scanning = admission.isEmpty();
        this.inFlow = new InFlowControl(config.lanes());
        this.scheduler = new Scheduler(config.recipientLimit(), config.memory().messageRecipientMinimum(),
                config.recipientBatch(), name -> config.transport(name).service(), config.policy(), trace);
        this.destinations = new Destinations(config, seating, scheduler, trace, random, step);
        this.outcomes = new Outcomes(step, scheduler);
        this.flushes = new Flushes(config.minimalBackoffMillis());
        this.failedMessages = new FailedMessages(scheduler, outcomes);
        this.routing = new Routing(step, scheduler, destinations, outcomes, flushes, suspensions, trace);
        ReportRules reportRules = ReportRules.of(config);
        this.completion = new Completion(step, new Settlement(retrySchedule, reportRules), reportRules, scheduler,
                active,
                outcomes, scans, failedMessages);
        this.probes = new Probes(step, seating, routing.routeRequests());
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
            case QmgrEvent.MessageQueued queued -> queued(queued.message());
            case QmgrEvent.ScanDone done -> scanned(done);
            case QmgrEvent.RecipientsRead read -> recipientsRead(read);
            case QmgrEvent.MessageDamaged damaged -> damaged(damaged.id());
            case QmgrEvent.RouteKnown known -> {
                probes.routeKnown(known.domain(), known.route());
                routing.known(known.domain(), known.route(), completion::settle);
            }
            case QmgrEvent.RouteFailed failed -> {
                probes.routeFailed(failed.domain(), failed.reason());
                routing.failed(failed.domain(), failed.reason(), completion::settle);
            }
            case QmgrEvent.OfConnection connection -> learn(seating.handle(connection, now(), step.orders()));
            case QmgrEvent.OutcomeRecorded recorded -> recorded(recorded.id());
            case QmgrEvent.Notified notified -> {
                if (!completion.notified(notified)) {
                    operators.movePostponed();
                }
            }
            case QmgrEvent.Filed filed -> completion.filed(filed.id());
            case QmgrEvent.Instructed instructed -> operators.instructed(instructed);
            case QmgrEvent.MovedOut moved -> operators.movedOut(moved);
            case QmgrEvent.MovedIn moved -> movedIn(moved);
            case QmgrEvent.Alarm _ -> {
                // Handled by timePasses().
            }
            case QmgrEvent.ArrivalsMissed _ -> {
                inFlow.missed();
                leftInSpool();
            }
            case QmgrEvent.Stopping _ -> stopping = true;
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
        orderReads();
        if (shared) {
            if (!(event instanceof QmgrEvent.LeaseEvent)) {
                destinations.askAgain(now());
            }
            destinations.lanes().settle(false);
        }
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
        inFlow.change(config.lanes());
        flushes.change(config.minimalBackoffMillis());
        completion.change(ReportRules.of(config));
        seating.change(transport -> transport.equals(SMTP) ? inForce.smtp() : config.plainRules(transport));
        Map<DestinationQueue, DeferralReason> closed = destinations.change(config, now());
        scheduler.change(config.recipientLimit(), config.memory().messageRecipientMinimum(),
                name -> config.transport(name).service());
        closed.forEach((queue, reason) -> {
            deferWaiting(queue, reason);
            destinations.dropIfDone(queue);
        });
    }

    private void lease(QmgrEvent.LeaseEvent event) {
        if (!shared) {
            throw new ImpossibleEventException("no limit is shared: " + event);
        }
        destinations.lanes().happened(event);
        if (event instanceof QmgrEvent.LeaseGranted granted) {
            destinations.granted(granted.key(), now());
            if (seating.displaced() > 0) {
                apply(seating.reseat(now(), step.orders()));
            }
        }
    }

    /// Scans for more messages when due, admits messages up to the active limit, and assigns
    /// entries to seats as long as there are seats.
    public void pump(long nowMillis, OrderSink sink) {
        step.begin(nowMillis, sink);
        select(nowMillis, sink);
        if (shared) {
            destinations.lanes().settle(true);
        }
        step.end();
    }

    private void select(long nowMillis, OrderSink sink) {
        if (stopping) {
            return;
        }
        if (suspensions.freeze().isPresent()) {
            probes.pump(() -> ++deliveries);
            return;
        }
        if (scanning) {
            scans.next(now(), this::freeForScan).ifPresent(this::scan);
        }
        shortages = 0;
        if (destinations.rings().hasNewRoom()) {
            scheduler.seatsMayBeFree();
        }
        boolean more = true;
        while (more) {
            more = admitNext(nowMillis, sink);
        }
        if (pendingArrivals.hasNoNew() && !scans.isBehind()) {
            inFlow.caughtUp();
        }
        more = true;
        while (more) {
            more = choose(nowMillis, sink);
        }
        probes.pump(() -> ++deliveries);
        idleLanes = seated.size() < config.lanes();
    }

    /// The first half of [#pump] in single steps: one pass of admission. False when no message
    /// waits, or the active set is full.
    public boolean admitNext(long nowMillis, OrderSink sink) {
        step.begin(nowMillis, sink);
        boolean found = admission.pass(this::freeActive, nowMillis, this::admit);
        orderReads();
        return found;
    }

    /// The second half of [#pump] in single steps: assigns one entry to a seat, or orders
    /// recipients that the next choice requires. False when nothing can be delivered. When each
    /// order is executed before the next step, the decisions are those of a queue manager that
    /// reads its own disk.
    public boolean choose(long nowMillis, OrderSink sink) {
        step.begin(nowMillis, sink);
        routing.placeAll();
        boolean chosen = switch (scheduler.choose(this::gate, nowMillis)) {
            case Choice.Taken(Entry entry) -> {
                seat(entry);
                yield true;
            }
            case Choice.Reading _ -> true;
            case Choice.Nothing _ -> false;
        };
        orderReads();
        return chosen;
    }

    /// The time of the next [QmgrEvent.Alarm]; `Long.MAX_VALUE` when none is planned.
    public long nextAlarmMillis() {
        long next = seating.nextAlarmMillis();
        if (stopping) {
            return next;
        }
        next = Math.min(next, Math.min(suspensions.nextMillis(), unannounced.nextMillis()));
        next = Math.min(next, limits.nextMillis());
        if (scanning && suspensions.freeze().isEmpty()) {
            next = Math.min(next, scans.nextMillis(this::freeForScan));
        }
        next = Math.min(next, Math.min(destinations.nextMillis(), completion.nextReportMillis()));
        if (shared) {
            next = Math.min(next, destinations.lanes().nextMillis(latestMillis));
        }
        return active.isEmpty() ? next : Math.min(next, nextSweepMillis);
    }

    /// True when no delivery, record, report or filing is in progress. After [QmgrEvent.Stopping]
    /// this state is reached.
    public boolean isQuiet() {
        return seated.isEmpty() && probes.isQuiet() && outcomes.isQuiet() && completion.isQuiet()
                && operators.isQuiet();
    }

    /// New mail arrives faster than it is admitted, by more than the process limit
    /// (`default_process_limit`): the SMTP server should delay clients for a moment
    /// (`in_flow_delay`). Valid until the next step.
    public boolean isBehindArrivals() {
        return inFlow.isBehind() && suspensions.freeze().isEmpty();
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

    /// @param transport those of the transport in question
    /// @param others those of all other transports
    public record ConnectionsInUse(int transport, int others) {}

    /// The figures of each destination in memory.
    public List<DestinationFigures> destinationFigures() {
        return scheduler.queues().map(queue -> destinations.figures(queue)).toList();
    }

    /// Next hops that are given up for a time, with the reason.
    public Map<String, DestinationState.Dead> deadNextHops() {
        return destinations.dead();
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

    /// The next messages of the active set after `after`, in order of id, at most `most`.
    public List<QueueId> active(Optional<QueueId> after, int most) {
        return active.after(after, most);
    }

    /// The ids that are in the active set.
    public Set<QueueId> activeAmong(Collection<QueueId> ids) {
        return ids.stream().filter(active::contains).collect(Collectors.toCollection(LinkedHashSet::new));
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

    // Deliveries in progress are searched only if one of them belongs to a requested message.
    private Explanation explanation(long nowMillis, List<Activation> wanted) {
        Map<QueueId, Explanation.FirstDelivery> first = new LinkedHashMap<>();
        Set<QueueId> running = wanted.stream().filter(message -> message.work.running() > 0).map(message -> message.id)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (!running.isEmpty()) {
            seated.forEach((delivery, under) -> {
                if (running.contains(under.entry().message().id())) {
                    first.putIfAbsent(under.entry().message().id(),
                            new Explanation.FirstDelivery(delivery, under.entry().queue(), under.sinceMillis()));
                }
            });
        }
        return new Explanation(seating, destinations, first, stopping, suspensions.freeze(), limits, nowMillis);
    }

    private long now() {
        return step.nowMillis();
    }

    // ---- time

    private void timePasses() {
        noticeClockSetBack();
        if (seating.nextAlarmMillis() <= now()) {
            learn(seating.alarm(now(), step.orders()));
        }
        destinations.timePasses(now());
        suspensions.timePasses(now());
        if (limits.timePasses(now())) {
            settingsChanged();
        }
        unannounced.timePasses(now());
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

    // ---- admission

    private int freeActive() {
        return config.activeLimit() - active.size();
    }

    /// Limits how far deferred mail is admitted ahead of deliveries: active mail is served in the
    /// order of its admission, so new mail would wait behind all of it. When connections are idle,
    /// because active mail cannot be delivered at present, the active limit alone applies.
    private int freeForScan(QueueName queue) {
        int freeActive = freeActive() - pendingArrivals.size();
        return queue == QueueName.INCOMING || idleLanes
                ? freeActive
                : Math.min(freeActive,
                        DEFERRED_AHEAD * config.scanLimit() - active.tried() - pendingArrivals.deferred());
    }

    private boolean isKnown(QueueId id) {
        return active.contains(id) || completion.pendingFilings().contains(id) || pendingArrivals.contains(id);
    }

    private void queued(MessageSummary summary) {
        if (unannounced.announced(summary.id()) || isKnown(summary.id())) {
            return;
        }
        if (summary.releaseMillis() > now()) {
            // RFC 4865: the message stays on disk, and a scan finds it when it is due.
            scans.dueAt(QueueName.INCOMING, summary.releaseMillis());
            return;
        }
        inFlow.arrived();
        if (stopping || pendingArrivals.isFull()) {
            leftInSpool();
        } else {
            pendingArrivals.enter(summary, true);
        }
    }

    private void leftInSpool() {
        unannounced.refused();
        scans.leftInSpool(now());
    }

    private void scan(QmgrOrder.Scan scan) {
        if (scan.queue() == QueueName.INCOMING) {
            unannounced.scanBegins(now());
        }
        step.order(scan);
    }

    private void scanned(QmgrEvent.ScanDone done) {
        QueueName queue = scans.answered();
        for (MessageSummary summary : done.found()) {
            if (!stopping && !isKnown(summary.id()) && !isHeld(summary)) {
                // After a crash between an attempt and its deferral, a tried message is in the
                // incoming queue.
                boolean isNew = queue == QueueName.INCOMING && summary.attempts() == 0;
                pendingArrivals.enter(summary, isNew);
                if (isNew) {
                    unannounced.found(summary, now());
                }
            }
        }
        if (queue == QueueName.INCOMING) {
            unannounced.scanned(done.more());
        }
        scans.plan(queue, done, now());
        operators.movePostponed();
    }

    // New mail is announced like any other; the time of other mail is known to the next scan.
    private void movedIn(QmgrEvent.MovedIn moved) {
        MessageSummary message = moved.message();
        completion.movedIn(moved);
        if (message.attempts() == 0 && !message.held() && moved.nextAttemptMillis() <= now()) {
            queued(message);
        }
    }

    private boolean isHeld(MessageSummary summary) {
        return summary.held() && !retrySchedule.isExpired(summary.sender().isEmpty(), summary.attempts() > 0,
                summary.releaseMillis(), now());
    }

    private void admit(MessageSummary summary) {
        Activation message = new Activation(summary,
                scheduler.admit(summary.id(), now(), summary.recipients(), summary.open()));
        active.enter(message);
        completion.admitted(message);
        if (summary.attempts() == 0) {
            inFlow.admitted();
        }
        completion.settle(message);
    }

    // ---- recipients and their routes

    private void orderReads() {
        for (var read = scheduler.nextRead(); read.isPresent(); read = scheduler.nextRead()) {
            QueueId id = read.get().message().id();
            step.order(new QmgrOrder.ReadRecipients(id, read.get().after(), read.get().limit(),
                    Returns.needReplies(active.find(id))));
        }
    }

    private void recipientsRead(QmgrEvent.RecipientsRead read) {
        Activation message = active.reading(read.id());
        step.handles(message.id);
        message.recipientsRead += read.recipients().size();
        scheduler.batchRead(message.work, read.recipients(), read.end(), now());
        if (message.instructions.isDeleted()) {
            scheduler.withdraw(message.work);
        }
        if (message.isLeaving()) {
            outcomes.leaveOpen(message, read.recipients());
        } else if (read.recipients().isEmpty() && !read.end()) {
            // Another read would loop. In each case the next attempt examines the message
            // again.
            message.leftOpen = true;
            scheduler.withdraw(message.work);
        } else {
            nextStep(message, read).run();
        }
        completion.settle(message);
    }

    // All that the data of the message decide is computed before anything changes.
    private Runnable nextStep(Activation message, QmgrEvent.RecipientsRead read) {
        List<Recipient> recipients = read.recipients();
        try {
            if (message.instructions.ending().isPresent()) {
                List<RecipientOutcome> returned = Returns.outcomes(message.instructions.ending().get(), read,
                        message.createdMillis, now());
                return () -> outcomes.conclude(message, recipients, returned);
            }
            if (message.heldTooLong || message.options.isTooLate(now())) {
                Outcome expired = message.heldTooLong
                        ? retrySchedule.expiredUntried(message.createdMillis, now(), Outcomes.HERE)
                        : RetrySchedule.tooLate("", Outcomes.HERE);
                return () -> outcomes.conclude(message, recipients, expired, false);
            }
            Optional<Route> instructed = message.instructions.route();
            if (instructed.isPresent()) {
                return () -> routing.instructed(message, recipients, instructed.get());
            }
            Map<String, List<Recipient>> questions = routing.questions(message, recipients);
            return () -> routing.find(message, questions);
        } catch (RuntimeException failure) {
            return () -> {
                routing.withdraw(message);
                failedMessages.hold(message, recipients, failure);
            };
        }
    }

    private void damaged(QueueId id) {
        Activation message = active.reading(id);
        message.damaged = true;
        routing.withdraw(message);
        scheduler.batchRead(message.work, List.of(), true, now());
        scheduler.withdraw(message.work);
        completion.settle(message);
    }

    // ---- deliveries

    private Gate.GateAnswer gate(Message message, DestinationQueue queue) {
        boolean mayOpen = destinations.mayOpen(queue);
        Seat seat = seating.ask(message.id(), queue.route(), mayOpen, now());
        boolean byShard = shared && seat.isShort() && destinations.needLanes(message, queue, mayOpen);
        return switch (seat) {
            case Seat.Queue _,Seat.Defer _ -> Gate.GateAnswer.FREE; // takes no slot, so spacing does not apply
            case Seat.Reuse _,Seat.Open _ -> inTurn(message, queue);
            case Seat.Wait wait -> refused(queue, wait, byShard);
        };
    }

    private Gate.GateAnswer refused(DestinationQueue queue, Seat.Wait wait, boolean byShard) {
        destinations.refused(queue, wait, byShard, now());
        boolean everywhere = wait.scope() == Seat.Scope.EVERYWHERE || destinations.rings().isServerFull();
        if (everywhere) {
            return mayOthersShare(queue) ? Gate.GateAnswer.NOT_HERE : Gate.GateAnswer.NOWHERE;
        }
        return wait.scope() == Seat.Scope.MESSAGE ? Gate.GateAnswer.NOT_OF_MESSAGE : Gate.GateAnswer.NOT_HERE;
    }

    // All connections are busy. If they carry several deliveries, another destination may share one
    // of them.
    private boolean mayOthersShare(DestinationQueue queue) {
        return seating.charge(queue.route()).isPresent() && ++shortages < MOST_SHORTAGES;
    }

    /// Finds entries that wait although their windows and a seat are free: lost wake-ups, if there
    /// are any after [#pump]. Changes nothing.
    public Stream<Entry> overlooked(long nowMillis) {
        return stopping || suspensions.freeze().isPresent()
                ? Stream.empty()
                : scheduler.overlooked((message, queue) -> look(message, queue, nowMillis));
    }

    private Gate.GateAnswer look(Message message, DestinationQueue queue, long nowMillis) {
        return switch (seating.find(message.id(), queue.route(), destinations.mayOpen(queue), nowMillis)) {
            case Seat.Queue _ -> Gate.GateAnswer.FREE;
            // With a planned start slot, a message that has one delivery left by now is asked about
            // in that slot.
            case Seat.Reuse _,Seat.Open _ ->
                destinations.waitMillis(message, queue, nowMillis) == 0 && !destinations.awaitsTurn(queue)
                        ? Gate.GateAnswer.FREE
                        : Gate.GateAnswer.NOT_YET;
            case Seat.Wait wait when wait.scope() == Seat.Scope.MESSAGE -> Gate.GateAnswer.NOT_OF_MESSAGE;
            case Seat.Wait _,Seat.Defer _ -> Gate.GateAnswer.NOT_HERE;
        };
    }

    private Gate.GateAnswer inTurn(Message message, DestinationQueue queue) {
        long waitMillis = destinations.waitMillis(message, queue, now());
        if (waitMillis == 0) {
            return Gate.GateAnswer.FREE;
        }
        destinations.awaitTurn(queue, now(), waitMillis);
        return Gate.GateAnswer.NOT_YET;
    }

    private void seat(Entry entry) {
        step.handles(entry.message().id());
        long delivery = ++deliveries;
        boolean timed = !seating.sharesSeat() && destinations.started(entry.message(), entry.queue(), now());
        if (seating.triesHost()) {
            destinations.delivers(entry.queue(), now());
        }
        seated.put(delivery, new Seated(entry, timed, now()));
        trace.placed(delivery, entry, seating.latest());
        seating.seat(delivery, entry.message().id(), entry.queue().route(), entry.recipients(), now(),
                step.orders());
    }

    /// Windows get their feedback before displaced deliveries get another seat: no connection is
    /// opened for a destination that has just died.
    private void learn(Effects effects) {
        apply(effects);
        apply(seating.reseat(now(), step.orders()));
    }

    private void apply(Effects effects) {
        if (effects.seatsElsewhere()) {
            scheduler.seatsMayBeFree();
        }
        for (Effects.Refusal refusal : effects.refusals()) {
            if (!probes.contains(refusal.delivery())) {
                Seated refused = Objects.requireNonNull(seated.get(refusal.delivery()));
                failed(refused.entry().queue(), refusal.reason(), OptionalLong.empty());
            }
        }
        for (Ended ended : effects.ended()) {
            if (probes.ended(ended)) {
                continue;
            }
            Seated back = seated.remove(ended.delivery());
            if (back == null) {
                throw new IllegalStateException("not seated: " + ended);
            }
            learn(back, ended);
            finish(back, ended);
        }
    }

    private void learn(Seated back, Ended ended) {
        DestinationQueue queue = back.entry().queue();
        switch (ended) {
            case Ended.Worked worked -> {
                destinations.lasted(queue, now() - back.sinceMillis());
                if (back.timed()) {
                    destinations.took(queue, now() - back.sinceMillis());
                }
                destinations.worked(queue, worked.released(), now());
                wake(queue);
            }
            case Ended.Failed failed -> failed(queue, failed.reason(), failed.retryAfterMillis());
            case Ended.Inconclusive _,Ended.Untried _ -> {
                // No feedback.
            }
            case Ended.OwnFailure own when own.scope() == DeliveryResult.Scope.TRANSPORT -> pause(queue, own.reason());
            case Ended.OwnFailure _ -> {
                // No feedback: the failure affects this message only.
            }
        }
    }

    // All mail of the destination is due at once (ZM-09). With sources of its own the caller decides
    // what is due.
    private void wake(DestinationQueue queue) {
        List<String> domains = destinations.rules().worked(queue, now());
        if (scanning && config.queue().wakeDestination() && !domains.isEmpty()) {
            trace.woke(queue, domains);
            domains.forEach(domain -> step
                    .order(new QmgrOrder.MakeDue(Optional.empty(), Optional.of(domain), now())));
        }
    }

    private void pause(DestinationQueue queue, Reply reason) {
        for (DestinationQueue each : destinations.broken(queue.transport(), reason, now())) {
            deferSuspended(each);
            destinations.dropIfDone(each);
        }
    }

    private void failed(DestinationQueue queue, Reply reason, OptionalLong retryAfterMillis) {
        if (destinations.failed(queue, reason, retryAfterMillis, now())) {
            deferSuspended(queue);
        }
    }

    private void deferSuspended(DestinationQueue queue) {
        deferWaiting(queue, new DeferralReason(QueuePhase.Code.DEAD, destinations.suspension(queue).orElseThrow()));
    }

    private void deferWaiting(DestinationQueue queue, DeferralReason reason) {
        Outcome deferred = new Outcome.Deferred(reason.reply(), Outcomes.HERE);
        for (Entry entry : scheduler.withdraw(queue)) {
            trace.deferredWithoutAttempt(entry.message().id(), queue, entry.recipients());
            outcomes.untried(active.of(entry), entry.recipients(), deferred, reason.code(),
                    destinations.retryBounds(queue));
        }
    }

    private void finish(Seated back, Ended ended) {
        Entry entry = back.entry();
        step.handles(entry.message().id());
        scheduler.finished(entry);
        Activation message = active.of(entry);
        boolean tried = switch (ended) {
            case Ended.Worked _,Ended.Failed _,Ended.Inconclusive _ -> true;
            case Ended.OwnFailure _ -> false;
            case Ended.Untried untried -> {
                message.resumesMillis = Math.min(message.resumesMillis,
                        untried.resumesMillis().orElse(Long.MAX_VALUE));
                yield false;
            }
        };
        RetryBounds bounds = destinations.retryBounds(entry.queue());
        List<RecipientOutcome> results = tried
                ? RecipientOutcome.timed(ended.outcomes(), now() - back.sinceMillis())
                : ended.outcomes();
        outcomes.delivered(message, entry.recipients(), results, tried,
                ended instanceof Ended.Failed failed
                        ? bounds.notBefore(retrySchedule.afterFailureMillis(failed.retryAfterMillis(), now()))
                        : bounds);
        destinations.finished(entry.queue(), now());
    }

    private void recorded(QueueId id) {
        Activation message = active.known(id);
        outcomes.recorded(message);
        completion.settle(message);
    }
}
