package org.slipstream.qmgr;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
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

/// The queue manager: a function of events and time.
///
/// All it knows arrived as a [QmgrEvent], all it wants leaves as a [QmgrOrder]. It reads no clock, starts nothing, waits for
/// nothing and says nothing; the same events at the same times give the same orders. One thread at a time.
///
/// **A message's way**: taken in ([ActivationOrder]) → its recipients are read in batches → each domain's route is asked for and
/// recipients with a route get their places ([Routing]) → they wait in entries ([Scheduler]: *who is next*) → an entry whose
/// destination is alive ([Destinations]) and for which there is a seat ([Seating]: *where*) is delivered → its outcomes
/// are recorded ([Outcomes]), and only the answer to that ends the entry → when nothing of the message is under way,
/// [Settlement] says what comes next and [Completion] does it: report, put back, remove. Operators may step in at any time
/// ([Operators]). This class takes events to those whom they concern and chooses what is delivered next.
///
/// **Two halves of a step.** [#absorb] takes an event in and does everything that follows from it by necessity; [#pump]
/// makes the choices: which entries go now, whether to look for more messages. [#step] is one after the other. Whoever
/// has several events of one instant absorbs them all and pumps once, so that a choice is made with all that is known.
///
/// **What is never done**: a message is not removed while a recipient of it is open, and an outcome does not count before
/// it is on disk. A crash anywhere may repeat a delivery or a report and loses neither.
public final class QueueManager {
    /// So many destinations are refused for want of a connection before a choice ends: ten thousand that wait for a connection are not to be asked
    /// at every event, though one of them might share one.
    private static final int MOST_SHORTAGES = 64;

    /// Scans' worth of deferred mail that may be active while all lanes are at work.
    private static final int DEFERRED_AHEAD = 2;

    private final QmgrConfig config;
    private final Seating seating;
    private final RetrySchedule patience;
    private final QmgrTrace trace;

    // ---- what comes in
    private final PendingArrivals pendingArrivals;
    private final ActivationOrder admission;
    private final InFlowControl inFlow;
    private final Scans scans;

    /// False when somebody else says who wants to get in: then nothing is scanned.
    private final boolean scanning;

    // ---- what is worked on
    private final Present present = new Present();
    private final ActiveSet active = new ActiveSet();
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Routing routing;
    private final Map<Long, Seated> seated = new LinkedHashMap<>();

    // ---- what goes out
    private final Outcomes outcomes;
    private final Completion completion;
    private final Operators operators;
    private final Probes probes;

    /// An entry under way.
    ///
    /// @param timed how long it takes is of interest
    private record Seated(Entry entry, boolean timed, long sinceMillis) {}

    private long deliveries;

    /// Destinations that were refused because all connections are busy, in this choice.
    private int shortages;
    private long nextSweepMillis;
    private long latestMillis = Long.MIN_VALUE / 2;
    private boolean idleLanes = true;
    private boolean stopping;

    /// @param random all chance that the queue manager may use. The order of service needs none.
    public QueueManager(QmgrConfig config, Seating seating, RandomGenerator random) {
        this(config, seating, random, QmgrTrace.SILENT);
    }

    /// @param trace hears what is decided
    public QueueManager(QmgrConfig config, Seating seating, RandomGenerator random, QmgrTrace trace) {
        this(config, seating, random, trace, Optional.empty());
    }

    /// With sources of messages of one's own: what is announced and what scans find is not looked at.
    public QueueManager(QmgrConfig config, Seating seating, RandomGenerator random, QmgrTrace trace,
            ActivationOrder admission) {
        this(config, seating, random, trace, Optional.of(admission));
    }

    private QueueManager(QmgrConfig config, Seating seating, RandomGenerator random, QmgrTrace trace,
            Optional<ActivationOrder> admission) {
        Objects.requireNonNull(random);
        this.config = config;
        this.seating = seating;
        this.trace = trace;
        this.patience = new RetrySchedule(config);
        this.scans = new Scans(config, patience);
        this.pendingArrivals = new PendingArrivals(Math.max(1, config.scanLimit()));
        this.admission = admission.orElseGet(pendingArrivals::admission);
        this.scanning = admission.isEmpty();
        this.inFlow = new InFlowControl(config.lanes());
        this.scheduler = new Scheduler(config.recipientLimit(), config.memory().messageRecipientMinimum(),
                config.recipientBatch(), name -> config.transport(name).service(), config.policy(), trace);
        this.destinations = new Destinations(config, seating, scheduler, trace);
        this.outcomes = new Outcomes(present, scheduler);
        Flushes flushes = new Flushes(config.minimalBackoffMillis());
        this.routing = new Routing(present, scheduler, destinations, outcomes, flushes, trace);
        this.completion = new Completion(present, new Settlement(patience), scheduler, active, outcomes, scans);
        this.probes = new Probes(present, seating, routing.questions());
        this.operators = new Operators(present, active, pendingArrivals, scheduler, destinations, routing, flushes,
                completion,
                probes);
    }

    /// One event, all its consequences.
    ///
    /// @throws ImpossibleEventException when the event cannot happen now, see [#absorb]
    public void step(QmgrEvent event, long nowMillis, OrderSink sink) {
        absorb(event, nowMillis, sink);
        pump(nowMillis, sink);
    }

    /// Takes an event in without choosing what is delivered next.
    ///
    /// @throws ImpossibleEventException when the event cannot happen now. It has changed nothing; that time has passed has,
    /// and what was ordered is to be carried out
    public void absorb(QmgrEvent event, long nowMillis, OrderSink sink) {
        present.begin(nowMillis, sink);
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
            case QmgrEvent.OfConnection connection -> learn(seating.happened(connection, now(), present.orders()));
            case QmgrEvent.OutcomeRecorded recorded -> recorded(recorded.id());
            case QmgrEvent.Notified notified -> completion.notified(notified);
            case QmgrEvent.Filed filed -> completion.filed(filed.id());
            case QmgrEvent.Alarm _ -> {
                // Time has passed, and timePasses() saw to it.
            }
            case QmgrEvent.ArrivalsMissed _ -> {
                inFlow.missed();
                scans.leftOutside(now());
            }
            case QmgrEvent.Stopping _ -> stopping = true;
            case QmgrEvent.Operator operator -> operators.command(operator);
        }
        orderReads();
    }

    /// Chooses: looks for more messages when it is time, takes in what there is room for, and seats entries as long as
    /// there are seats.
    public void pump(long nowMillis, OrderSink sink) {
        present.begin(nowMillis, sink);
        if (stopping) {
            return;
        }
        if (scanning) {
            scans.next(now(), this::roomForScan).ifPresent(present::order);
        }
        shortages = 0;
        boolean more = true;
        while (more) {
            more = admitNext(nowMillis, sink);
        }
        if (pendingArrivals.hasNoNews() && !scans.isBehind()) {
            inFlow.caughtUp();
        }
        more = true;
        while (more) {
            more = choose(nowMillis, sink);
        }
        probes.pump(() -> ++deliveries);
        idleLanes = seated.size() < config.lanes();
    }

    /// The first half of [#pump] in single steps: one pass of admission. False when nobody wants to get in, or there is no
    /// room.
    public boolean admitNext(long nowMillis, OrderSink sink) {
        present.begin(nowMillis, sink);
        boolean found = admission.pass(this::room, nowMillis, this::admit);
        orderReads();
        return found;
    }

    /// The second half of [#pump] in single steps: seats one entry, or orders recipients without which the next cannot be
    /// chosen. False when nothing can go. Whoever carries out each order before the next step gets the decisions of a queue
    /// manager that reads its own disk.
    public boolean choose(long nowMillis, OrderSink sink) {
        present.begin(nowMillis, sink);
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

    /// When the next [QmgrEvent.Alarm] is wanted; `Long.MAX_VALUE` when nothing is planned.
    public long nextAlarmMillis() {
        long next = seating.nextAlarmMillis();
        if (stopping) {
            return next;
        }
        if (scanning) {
            next = Math.min(next, scans.nextMillis(this::roomForScan));
        }
        next = Math.min(next, destinations.nextMillis());
        return active.isEmpty() ? next : Math.min(next, nextSweepMillis);
    }

    /// True when nothing is being delivered, recorded, reported or filed. After [QmgrEvent.Stopping] that time comes.
    public boolean isQuiet() {
        return seated.isEmpty() && probes.isQuiet() && outcomes.isQuiet() && completion.isQuiet();
    }

    /// New mail arrives faster than it is taken in, by more than a server's worth of deliveries (`default_process_limit`): whoever
    /// brings more should be made to wait a moment (`in_flow_delay`) and be served then. Holds until the next step.
    public boolean isBehindArrivals() {
        return inFlow.areAhead();
    }

    /// The whole picture: every message and every destination. For tests and simulations; its cost grows with the active set.
    public QmgrSnapshot snapshot(long nowMillis) {
        return new QmgrSnapshot(active.size(), messages(active.now(), nowMillis), destinations(nowMillis));
    }

    /// Those of these messages that are active, without destinations: costs no more than the messages that are asked for.
    public QmgrSnapshot snapshot(Set<QueueId> ids, long nowMillis) {
        List<Activation> wanted = ids.stream().map(active::find).flatMap(Optional::stream).toList();
        return new QmgrSnapshot(active.size(), messages(wanted, nowMillis), List.of());
    }

    /// The destinations, without messages.
    public QmgrSnapshot snapshotOfDestinations(long nowMillis) {
        return new QmgrSnapshot(active.size(), List.of(), destinations(nowMillis));
    }

    /// The next messages of the active set behind `after`, in order of id, at most `most`.
    public List<QueueId> active(Optional<QueueId> after, int most) {
        return active.after(after, most);
    }

    /// Those of these messages that are in the active set.
    public Set<QueueId> activeAmong(Collection<QueueId> ids) {
        return ids.stream().filter(active::knows).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /// What is known of one active message, for the log of an event that cannot happen.
    public Optional<QmgrSnapshot.ActiveMessage> about(QueueId id, long nowMillis) {
        return active.find(id).map(message -> explanation(nowMillis, List.of(message)).message(message));
    }

    private List<QmgrSnapshot.ActiveMessage> messages(List<Activation> wanted, long nowMillis) {
        Explanation explanation = explanation(nowMillis, wanted);
        return wanted.stream().map(explanation::message).sorted(Comparator.comparing(QmgrSnapshot.ActiveMessage::id))
                .toList();
    }

    private List<QmgrSnapshot.ActiveDestination> destinations(long nowMillis) {
        Explanation explanation = explanation(nowMillis, List.of());
        return scheduler.lines().map(explanation::destination).toList();
    }

    // The deliveries under way are looked through only if one of them belongs to a message that is asked about.
    private Explanation explanation(long nowMillis, List<Activation> wanted) {
        Map<QueueId, Explanation.FirstDelivery> first = new LinkedHashMap<>();
        Set<QueueId> running = wanted.stream().filter(message -> message.work.running() > 0).map(message -> message.id)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (!running.isEmpty()) {
            seated.forEach((delivery, under) -> {
                if (running.contains(under.entry().message().id())) {
                    first.putIfAbsent(under.entry().message().id(),
                            new Explanation.FirstDelivery(delivery, under.entry().line(), under.sinceMillis()));
                }
            });
        }
        return new Explanation(seating, destinations, first, stopping, nowMillis);
    }

    private long now() {
        return present.nowMillis();
    }

    // ---- time

    private void timePasses() {
        noticeClockSetBack();
        if (seating.nextAlarmMillis() <= now()) {
            learn(seating.alarm(now(), present.orders()));
        }
        destinations.timePasses(now());
        if (nextSweepMillis <= now()) {
            nextSweepMillis = now() + config.scanIntervalMillis();
            active.now().forEach(this::expireWhileWaiting);
        }
    }

    // Destinations and hosts rest until a time of the old clock; without this they would rest for as long as the clock went back.
    private void noticeClockSetBack() {
        if (now() < latestMillis - config.minimalBackoffMillis()) {
            destinations.flush(now());
        }
        nextSweepMillis = Math.min(nextSweepMillis, now() + config.scanIntervalMillis());
        latestMillis = now();
    }

    // Expiry is a matter of every state: a message that never gets a seat must not wait for an attempt to fail.
    private void expireWhileWaiting(Activation message) {
        boolean overdue = message.options.isTooLate(now())
                || patience.isExpired(message.nullSender, message.hasBeenTried(), message.createdMillis, now())
                        && now() - message.work.activatedMillis() >= config.minimalBackoffMillis();
        if (overdue && !message.isLeaving() && message.work.waiting() > 0) {
            Outcome untried = new Outcome.Deferred(Reply.of(451, "4.4.7", "waited for a free connection"),
                    Outcomes.HERE);
            scheduler.withdraw(message.work).forEach(entry -> outcomes.untried(message, entry.recipients(), untried));
        }
    }

    // ---- taking messages in

    private int room() {
        return config.activeLimit() - active.size();
    }

    /// Deferred mail is not taken in far ahead of the deliveries: what is active is served in the order of its admission, and new mail
    /// would wait behind all of it. Only when lanes are idle, because what is active cannot go at present, as much is taken in as there
    /// is room for.
    private int roomForScan(QueueName queue) {
        int room = room() - pendingArrivals.size();
        return queue == QueueName.INCOMING || idleLanes
                ? room
                : Math.min(room, DEFERRED_AHEAD * config.scanLimit() - active.tried() - pendingArrivals.deferred());
    }

    private boolean isKnown(QueueId id) {
        return active.knows(id) || completion.pendingFilings().knows(id) || pendingArrivals.knows(id);
    }

    private void queued(MessageSummary summary) {
        if (isKnown(summary.id())) {
            return;
        }
        if (summary.releaseMillis() > now()) {
            // RFC 4865: it lies on disk, and a scan finds it when its time has come.
            scans.dueAt(QueueName.INCOMING, summary.releaseMillis());
            return;
        }
        inFlow.arrived();
        if (stopping || pendingArrivals.isFull()) {
            scans.leftOutside(now());
        } else {
            pendingArrivals.enter(summary, true);
        }
    }

    private void scanned(QmgrEvent.ScanDone done) {
        QueueName queue = scans.answered();
        for (MessageSummary summary : done.found()) {
            if (!stopping && !isKnown(summary.id()) && !isHeld(summary)) {
                // A crash between an attempt and the deferral after it leaves a message that was tried in the incoming queue.
                pendingArrivals.enter(summary, queue == QueueName.INCOMING && summary.attempts() == 0);
            }
        }
        scans.plan(queue, done, now());
    }

    private boolean isHeld(MessageSummary summary) {
        return summary.held() && !patience.isExpired(summary.sender().isEmpty(), summary.attempts() > 0,
                summary.releaseMillis(), now());
    }

    private void admit(MessageSummary summary) {
        Activation message = new Activation(summary,
                scheduler.admit(summary.id(), now(), summary.recipients(), summary.open()));
        active.enter(message);
        if (summary.attempts() == 0) {
            inFlow.admitted();
        }
        completion.settle(message);
    }

    // ---- recipients and their routes

    private void orderReads() {
        for (var read = scheduler.nextRead(); read.isPresent(); read = scheduler.nextRead()) {
            present.order(
                    new QmgrOrder.ReadRecipients(read.get().message().id(), read.get().after(), read.get().limit()));
        }
    }

    private void recipientsRead(QmgrEvent.RecipientsRead read) {
        Activation message = active.reading(read.id());
        message.recipientsRead += read.recipients().size();
        scheduler.batchRead(message.work, read.recipients(), read.end(), now());
        if (message.isLeaving()) {
            outcomes.leaveOpen(message, read.recipients());
        } else if (read.recipients().isEmpty() && !read.end()) {
            // Asking again would be a loop. Whatever is wrong, the message is looked at again at its next attempt.
            message.leftOpen = true;
            scheduler.withdraw(message.work);
        } else if (message.heldTooLong) {
            outcomes.conclude(message, read.recipients(),
                    patience.expiredUntried(message.createdMillis, now(), Outcomes.HERE), false);
        } else if (message.options.isTooLate(now())) {
            outcomes.conclude(message, read.recipients(), RetrySchedule.tooLate("", Outcomes.HERE), false);
        } else {
            routing.find(message, read.recipients());
        }
        completion.settle(message);
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

    private Gate.Answer gate(Message message, DestinationQueue line) {
        return switch (seating.ask(message.id(), line.route(), destinations.mayOpen(line), now())) {
            case Seat.Queue _,Seat.Defer _ -> Gate.Answer.FREE; // neither takes a slot, so spacing does not apply
            case Seat.Reuse _,Seat.Open _ -> inTurn(message, line);
            case Seat.Wait wait -> switch (wait.scope()) {
                case MESSAGE -> Gate.Answer.NOT_OF_MESSAGE;
                case HERE, UNPROVEN -> Gate.Answer.NOT_HERE;
                case EVERYWHERE -> mayOthersShare(line) ? Gate.Answer.NOT_HERE : Gate.Answer.NOWHERE;
            };
        };
    }

    // All connections are busy. Where they carry several deliveries, another destination may share one that is at work.
    private boolean mayOthersShare(DestinationQueue line) {
        return seating.charge(line.route()).isPresent() && ++shortages < MOST_SHORTAGES;
    }

    /// An entry that waits although its destination has room and a seat is free for it: a lost wake-up, if there is one after
    /// [#pump]. Changes nothing.
    public Optional<Entry> overlooked(long nowMillis) {
        return stopping
                ? Optional.empty()
                : scheduler.overlooked((message, line) -> look(message, line, nowMillis));
    }

    private Gate.Answer look(Message message, DestinationQueue line, long nowMillis) {
        return switch (seating.find(message.id(), line.route(), destinations.mayOpen(line), nowMillis)) {
            case Seat.Queue _ -> Gate.Answer.FREE;
            // Where a turn is planned, a message that has become a letter meanwhile is asked about at that turn.
            case Seat.Reuse _,Seat.Open _ ->
                destinations.waitMillis(message, line, nowMillis) == 0 && !destinations.awaitsTurn(line)
                        ? Gate.Answer.FREE
                        : Gate.Answer.NOT_YET;
            case Seat.Wait wait when wait.scope() == Seat.Scope.MESSAGE -> Gate.Answer.NOT_OF_MESSAGE;
            case Seat.Wait _,Seat.Defer _ -> Gate.Answer.NOT_HERE;
        };
    }

    private Gate.Answer inTurn(Message message, DestinationQueue line) {
        if (destinations.waitMillis(message, line, now()) == 0) {
            return Gate.Answer.FREE;
        }
        destinations.awaitTurn(line, now());
        return Gate.Answer.NOT_YET;
    }

    private void seat(Entry entry) {
        long delivery = ++deliveries;
        boolean timed = !seating.sharesSeat() && destinations.started(entry.message(), entry.line(), now());
        seated.put(delivery, new Seated(entry, timed, now()));
        seating.seat(delivery, entry.message().id(), entry.line().route(), entry.recipients(), now(),
                present.orders());
    }

    /// The windows learn before displaced deliveries get another seat: for a destination that has just died no connection is opened.
    private void learn(Effects effects) {
        apply(effects);
        apply(seating.reseat(now(), present.orders()));
    }

    private void apply(Effects effects) {
        if (effects.seatsElsewhere()) {
            scheduler.seatsMayBeFree();
        }
        for (Effects.Refusal refusal : effects.refusals()) {
            if (!probes.knows(refusal.delivery())) {
                failed(seated.get(refusal.delivery()).entry().line(), refusal.reason(), OptionalLong.empty());
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
            finish(back.entry(), ended);
        }
    }

    private void learn(Seated back, Ended ended) {
        DestinationQueue line = back.entry().line();
        switch (ended) {
            case Ended.Worked worked -> {
                if (back.timed()) {
                    destinations.took(line, now() - back.sinceMillis());
                }
                destinations.worked(line, worked.released(), now());
            }
            case Ended.Failed failed -> failed(line, failed.reason(), failed.retryAfterMillis());
            case Ended.Inconclusive _,Ended.Untried _ -> {
                // There is nothing to learn.
            }
            case Ended.OwnFailure own when own.scope() == DeliveryResult.Scope.TRANSPORT -> pause(line, own.reason());
            case Ended.OwnFailure _ -> {
                // It concerns this message only.
            }
        }
    }

    private void pause(DestinationQueue line, Reply reason) {
        for (DestinationQueue each : destinations.broken(line.transport(), reason, now())) {
            deferWaiting(each);
            destinations.dropIfDone(each);
        }
    }

    private void failed(DestinationQueue line, Reply reason, OptionalLong retryAfterMillis) {
        if (destinations.failed(line, reason, retryAfterMillis, now())) {
            deferWaiting(line);
        }
    }

    private void deferWaiting(DestinationQueue line) {
        Outcome suspended = destinations.suspended(line);
        for (Entry entry : scheduler.withdraw(line)) {
            trace.deferredWithoutAttempt(entry.message().id(), line, entry.recipients());
            outcomes.untried(active.of(entry), entry.recipients(), suspended);
        }
    }

    private void finish(Entry entry, Ended ended) {
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
        outcomes.delivered(message, entry.recipients(), ended.outcomes(), tried);
        destinations.finished(entry.line(), now());
    }

    private void recorded(QueueId id) {
        Activation message = active.known(id);
        outcomes.recorded(message);
        completion.settle(message);
    }
}
