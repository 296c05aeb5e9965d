package org.slipstream.qmgr;

import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrEvent.Command;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Gate;
import org.slipstream.qmgr.sched.Line;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.sched.Scheduler.Choice;
import org.slipstream.qmgr.sched.Scheduler.Placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// The queue manager: a function of events and time.
///
/// All it knows arrived as a [QmgrEvent], all it wants leaves as a [QmgrOrder]. It reads no clock, starts nothing, waits for
/// nothing and says nothing; the same events at the same times give the same orders. One thread at a time.
///
/// **A message's way** through this class: taken in ([#admit]) → its recipients are read in batches → each domain's route is
/// asked for → recipients with a route wait in entries ([Scheduler]: *who is next*) → an entry whose destination is
/// alive ([Destinations]) and for which there is a seat ([Seating]: *where*) is delivered → its outcomes are recorded, and
/// only the answer to that ends the entry → when nothing of the message is under way, [Settlement] says what comes next:
/// report, put back, remove. A message leaves the active set when that is ordered and stays known ([Filings]) until the
/// register has it.
///
/// **Two halves of a step.** [#absorb] takes an event in and does everything that follows from it by necessity; [#pump]
/// makes the choices: which entries go now, whether to look for more messages. [#step] is one after the other. Whoever
/// has several events of one instant absorbs them all and pumps once, so that a choice is made with all that is known.
///
/// **What is never done**: a message is not removed while a recipient of it is open, and an outcome does not count before
/// it is on disk. A crash anywhere may repeat a delivery or a report and loses neither.
public final class QueueManager {
    /// Who says so where nobody was asked.
    private static final String HERE = "local";

    private final QmgrConfig config;
    private final Seating seating;
    private final Patience patience;
    private final Settlement settlement;
    private final Scans scans;
    private final Scheduler scheduler;
    private final QmgrTrace trace;
    private final Anteroom anteroom;
    private final Admission admission;

    /// False when somebody else says who wants to get in: then nothing is scanned.
    private final boolean scanning;
    private final Destinations destinations;

    private final Map<QueueId, Activation> active = new LinkedHashMap<>();
    private final Filings filings = new Filings();
    private final Questions questions = new Questions();
    private final Map<Long, Entry> seated = new LinkedHashMap<>();

    /// Messages with recipients that are routed and not yet in the order of service.
    private final Set<Activation> unplaced = new LinkedHashSet<>();

    private long deliveries;
    private long records;
    private int recordsUnderWay;
    private int reportsUnderWay;
    private long nextSweepMillis;
    private boolean stopping;

    /// The present step's time and sink, set by [#absorb] and [#pump].
    private long now;
    private OrderSink orders = order -> {
        throw new IllegalStateException("order outside a step: " + order);
    };

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
            Admission admission) {
        this(config, seating, random, trace, Optional.of(admission));
    }

    private QueueManager(QmgrConfig config, Seating seating, RandomGenerator random, QmgrTrace trace,
            Optional<Admission> admission) {
        Objects.requireNonNull(random);
        this.config = config;
        this.seating = seating;
        this.trace = trace;
        this.patience = new Patience(config);
        this.settlement = new Settlement(patience);
        this.scans = new Scans(config, patience);
        this.anteroom = new Anteroom(Math.max(1, config.scanLimit()));
        this.admission = admission.orElseGet(anteroom::admission);
        this.scanning = admission.isEmpty();
        this.scheduler = new Scheduler(config.recipientLimit(), config.memory().messageMinimum(),
                config.recipientBatch(), name -> config.transport(name).service(), trace);
        this.destinations = new Destinations(config, seating, scheduler, trace);
    }

    /// One event, all its consequences.
    ///
    /// @throws ImpossibleEventException when the event cannot happen now; nothing has changed
    public void step(QmgrEvent event, long nowMillis, OrderSink sink) {
        absorb(event, nowMillis, sink);
        pump(nowMillis, sink);
    }

    /// Takes an event in without choosing what is delivered next.
    public void absorb(QmgrEvent event, long nowMillis, OrderSink sink) {
        now = nowMillis;
        orders = sink;
        timePasses();
        switch (event) {
            case QmgrEvent.MessageQueued queued -> queued(queued.message());
            case QmgrEvent.ScanDone done -> scanned(done);
            case QmgrEvent.RecipientsRead read -> recipientsRead(read);
            case QmgrEvent.MessageDamaged damaged -> damaged(damaged.id());
            case QmgrEvent.RouteKnown known -> routeKnown(known.domain(), known.route());
            case QmgrEvent.RouteFailed failed -> routeFailed(failed.domain(), failed.reason());
            case QmgrEvent.OfConnection connection -> cameBack(seating.happened(connection, now, orders));
            case QmgrEvent.OutcomeRecorded recorded -> recorded(recorded.id());
            case QmgrEvent.Notified notified -> notified(notified);
            case QmgrEvent.Filed filed -> filed(filed.id());
            case QmgrEvent.Alarm _ -> {
                // Time has passed, and timePasses() saw to it.
            }
            case QmgrEvent.ArrivalsMissed _ -> scans.leftOutside(now);
            case QmgrEvent.Stopping _ -> stopping = true;
            case QmgrEvent.Operator operator -> operator(operator.command());
        }
        orderReads();
    }

    /// Chooses: looks for more messages when it is time, takes in what there is room for, and seats entries as long as
    /// there are seats.
    public void pump(long nowMillis, OrderSink sink) {
        now = nowMillis;
        orders = sink;
        if (stopping) {
            return;
        }
        if (scanning) {
            scans.next(now, room() - anteroom.size()).ifPresent(orders::order);
        }
        boolean more = true;
        while (more) {
            more = admitNext(now, sink);
        }
        more = true;
        while (more) {
            more = choose(now, sink);
        }
    }

    /// The first half of [#pump] in single steps: one pass of admission. False when nobody wants to get in, or there is no
    /// room.
    public boolean admitNext(long nowMillis, OrderSink sink) {
        now = nowMillis;
        orders = sink;
        boolean found = admission.pass(this::room, now, this::admit);
        orderReads();
        return found;
    }

    /// The second half of [#pump] in single steps: seats one entry, or orders recipients without which the next cannot be
    /// chosen. False when nothing can go. Whoever carries out each order before the next step gets the decisions of a queue
    /// manager that reads its own disk.
    public boolean choose(long nowMillis, OrderSink sink) {
        now = nowMillis;
        orders = sink;
        List.copyOf(unplaced).forEach(this::place);
        boolean chosen = switch (scheduler.choose(this::gate, now)) {
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
            next = Math.min(next, scans.nextMillis(room() - anteroom.size()));
        }
        next = Math.min(next, destinations.nextMillis());
        return active.isEmpty() ? next : Math.min(next, nextSweepMillis);
    }

    /// True when nothing is being delivered, recorded, reported or filed. After [QmgrEvent.Stopping] that time comes.
    public boolean isQuiet() {
        return seated.isEmpty() && recordsUnderWay == 0 && reportsUnderWay == 0 && filings.isEmpty();
    }

    public QmgrSnapshot snapshot(long nowMillis) {
        return new Explanation(seating, destinations, questions.byMessage(), stopping, nowMillis).picture(
                active.values(),
                scheduler.lines().toList());
    }

    // ---- time

    private void timePasses() {
        if (seating.nextAlarmMillis() <= now) {
            cameBack(seating.alarm(now, orders));
        }
        destinations.timePasses(now);
        if (nextSweepMillis <= now) {
            nextSweepMillis = now + config.scanIntervalMillis();
            List.copyOf(active.values()).forEach(this::expireWhileWaiting);
        }
    }

    // Expiry is a matter of every state: a message that never gets a seat must not wait for an attempt to fail.
    private void expireWhileWaiting(Activation message) {
        boolean overdue = patience.isExpired(message.nullSender, message.createdMillis, now)
                && now - message.activatedMillis >= config.minimalBackoffMillis();
        if (overdue && !message.isLeaving() && message.work.waiting() > 0) {
            Outcome untried = new Outcome.Deferred(Reply.of(451, "4.4.7", "waited for a free connection"), HERE);
            scheduler.withdraw(message.work).forEach(entry -> record(message, entry.recipients(), untried));
        }
    }

    // ---- taking messages in

    private int room() {
        return config.activeLimit() - active.size();
    }

    private boolean isKnown(QueueId id) {
        return active.containsKey(id) || filings.knows(id) || anteroom.knows(id);
    }

    private void queued(MessageSummary summary) {
        if (isKnown(summary.id())) {
            return;
        }
        if (stopping || anteroom.isFull()) {
            scans.leftOutside(now);
        } else {
            anteroom.enter(summary);
        }
    }

    private void scanned(QmgrEvent.ScanDone done) {
        scans.answered();
        for (MessageSummary summary : done.found()) {
            if (!stopping && !isKnown(summary.id()) && !isHeld(summary)) {
                anteroom.enter(summary);
            }
        }
        scans.plan(done, now);
    }

    private boolean isHeld(MessageSummary summary) {
        return summary.held() && !patience.isExpired(summary.sender().isEmpty(), summary.createdMillis(), now);
    }

    private void admit(MessageSummary summary) {
        Activation message = new Activation(summary,
                scheduler.admit(summary.id(), now, summary.recipients(), summary.open()), now);
        active.put(message.id, message);
        settle(message);
    }

    // ---- recipients and their routes

    private void orderReads() {
        for (var read = scheduler.nextRead(); read.isPresent(); read = scheduler.nextRead()) {
            orders.order(
                    new QmgrOrder.ReadRecipients(read.get().message().id(), read.get().after(), read.get().limit()));
        }
    }

    private void recipientsRead(QmgrEvent.RecipientsRead read) {
        Activation message = reading(read.id());
        message.recipientsRead += read.recipients().size();
        scheduler.batchRead(message.work, read.recipients(), read.end(), now);
        if (message.isLeaving()) {
            leaveOpen(message, read.recipients());
        } else if (read.recipients().isEmpty() && !read.end()) {
            // Asking again would be a loop. Whatever is wrong, the message is looked at again at its next attempt.
            message.leftOpen = true;
            scheduler.withdraw(message.work);
        } else if (message.heldTooLong) {
            conclude(message, read.recipients(), patience.expiredUntried(message.createdMillis, now, HERE));
        } else {
            findRoutes(message, read.recipients());
        }
        settle(message);
    }

    private void findRoutes(Activation message, List<Recipient> recipients) {
        Map<String, List<Recipient>> byDomain = new TreeMap<>();
        for (Recipient recipient : recipients) {
            byDomain.computeIfAbsent(recipient.address().domainKey(), _ -> new ArrayList<>(1)).add(recipient);
        }
        message.questions += byDomain.size();
        byDomain.forEach((domain, those) -> {
            if (questions.ask(domain, new Questions.Waiter(message, those))) {
                orders.order(new QmgrOrder.FindRoute(domain, message.id));
            }
        });
    }

    private void routeKnown(String domain, Route route) {
        for (Questions.Waiter waiter : questions.answered(domain)) {
            Activation message = waiter.message();
            message.questions--;
            if (message.isLeaving()) {
                leaveOpen(message, waiter.recipients());
            } else {
                waiter.recipients().forEach(each -> message.routed.add(new Activation.Routed(each, route)));
                unplaced.add(message);
            }
            placeIfComplete(message);
            settle(message);
        }
    }

    // The order of service sorts what comes together. A batch comes together when all its routes are known, or else as
    // far as they are known when the next choice is made: a slow name server holds up its own domain only.
    private void placeIfComplete(Activation message) {
        if (message.questions == 0) {
            place(message);
        }
    }

    private static final Comparator<Activation.Routed> BY_DOMAIN = Comparator.<Activation.Routed, String>comparing(
            routed -> routed.recipient().address().domainKey())
            .thenComparing(routed -> routed.recipient().address().localPart());
    private static final Comparator<Placement> BY_LINE = Comparator
            .<Placement, String>comparing(placement -> placement.line().transport())
            .thenComparing(placement -> placement.line().key())
            .thenComparing(placement -> placement.recipient().address().domainKey())
            .thenComparing(placement -> placement.recipient().address().localPart());

    /// Puts what is routed into the order of service (PF-21): by domain and address, so that transports and destinations come
    /// into being in that order; then by transport, destination, domain and address.
    private void place(Activation message) {
        if (!unplaced.remove(message)) {
            return;
        }
        List<Activation.Routed> routed = message.routed;
        message.routed = new ArrayList<>(0);
        routed.sort(BY_DOMAIN);
        List<Placement> placements = new ArrayList<>(routed.size());
        Map<Line, List<Recipient>> barred = new LinkedHashMap<>();
        for (Activation.Routed each : routed) {
            Line line = destinations.line(each.route(), each.recipient().address());
            if (destinations.suspension(line).isPresent()) {
                barred.computeIfAbsent(line, _ -> new ArrayList<>(1)).add(each.recipient());
            } else {
                placements.add(new Placement(each.recipient(), line));
            }
        }
        placements.sort(BY_LINE);
        scheduler.place(message.work, placements);
        barred.forEach((line, recipients) -> {
            trace.deferredWithoutAttempt(message.id, line, recipients);
            conclude(message, recipients, suspended(line));
            destinations.dropIfDone(line);
        });
    }

    private Outcome suspended(Line line) {
        return new Outcome.Deferred(destinations.suspension(line).orElseThrow(), HERE);
    }

    private void routeFailed(String domain, Reply reason) {
        Outcome outcome = reason.isPermanent() ? new Outcome.Failed(reason, HERE) : new Outcome.Deferred(reason, HERE);
        for (Questions.Waiter waiter : questions.answered(domain)) {
            waiter.message().questions--;
            if (waiter.message().isLeaving()) {
                leaveOpen(waiter.message(), waiter.recipients());
            } else {
                conclude(waiter.message(), waiter.recipients(), outcome);
            }
            placeIfComplete(waiter.message());
            settle(waiter.message());
        }
    }

    private void damaged(QueueId id) {
        Activation message = reading(id);
        message.damaged = true;
        leaveUnplaced(message);
        scheduler.batchRead(message.work, List.of(), true, now);
        scheduler.withdraw(message.work);
        settle(message);
    }

    // ---- deliveries

    private Gate.Answer gate(Message message, Line line) {
        return switch (seating.ask(message.id(), line.route(), destinations.mayOpen(line), now)) {
            case Seating.Answer.Free _ -> Gate.Answer.FREE;
            case Seating.Answer.FullHere _ -> Gate.Answer.NOT_HERE;
            case Seating.Answer.FullForMessage _ -> Gate.Answer.NOT_OF_MESSAGE;
            case Seating.Answer.FullEverywhere _ -> Gate.Answer.NOWHERE;
        };
    }

    private void seat(Entry entry) {
        long delivery = ++deliveries;
        seated.put(delivery, entry);
        seating.seat(new Seating.Load(delivery, entry.message().id(), entry.line().route(),
                List.copyOf(entry.recipients())), now, orders);
    }

    private void cameBack(Seating.Aftermath aftermath) {
        if (aftermath.seatsElsewhere()) {
            scheduler.seatsMayBeFree();
        }
        Set<Line> troubled = new LinkedHashSet<>(2);
        for (Seating.Aftermath.Trouble trouble : aftermath.troubles()) {
            troubled(seated.get(trouble.delivery()).line(), trouble.reason(), troubled);
        }
        for (Seating.Fate fate : aftermath.fates()) {
            Entry entry = seated.remove(fate.delivery());
            if (entry == null) {
                throw new IllegalStateException("not seated: " + fate);
            }
            learn(entry.line(), fate, troubled);
            finish(entry, fate.outcomes());
        }
    }

    private void learn(Line line, Seating.Fate fate, Set<Line> troubled) {
        switch (fate) {
            case Seating.Fate.Worked _ -> destinations.worked(line);
            case Seating.Fate.Troubled trouble -> troubled(line, trouble.reason(), troubled);
            case Seating.Fate.Untried _ -> {
                // Nobody was there to learn from.
            }
            case Seating.Fate.Broken broken -> {
                for (Line each : destinations.broken(line.transport(), broken.reason(), now)) {
                    deferWaiting(each);
                    destinations.dropIfDone(each);
                }
            }
        }
    }

    // One troubled connection is one trouble, however many entries sat on it.
    private void troubled(Line line, Reply reason, Set<Line> already) {
        if (already.add(line) && destinations.troubled(line, reason, now)) {
            deferWaiting(line);
        }
    }

    private void deferWaiting(Line line) {
        Outcome suspended = suspended(line);
        for (Entry entry : scheduler.withdraw(line)) {
            trace.deferredWithoutAttempt(entry.message().id(), line, entry.recipients());
            record(active.get(entry.message().id()), entry.recipients(), suspended);
        }
    }

    private void finish(Entry entry, List<RecipientOutcome> outcomes) {
        scheduler.finished(entry);
        record(active.get(entry.message().id()), entry.recipients(), everyOne(entry.recipients(), outcomes));
        destinations.finished(entry.line(), now);
    }

    /// One outcome per recipient, in the order of the recipients. Whoever delivers answers in that order as a rule; but a
    /// recipient without an outcome would be taken for settled and its mail lost, and one with its neighbour's outcome would
    /// be given up as late after it was delivered.
    private static List<RecipientOutcome> everyOne(List<Recipient> recipients, List<RecipientOutcome> outcomes) {
        if (areAligned(recipients, outcomes)) {
            return outcomes;
        }
        Outcome unknown = new Outcome.Deferred(Reply.of(451, "4.3.0", "nothing is known of this delivery"), HERE);
        Map<Integer, RecipientOutcome> byNumber = new LinkedHashMap<>();
        recipients.forEach(r -> byNumber.put(r.number(), new RecipientOutcome(r.number(), unknown)));
        outcomes.forEach(outcome -> byNumber.replace(outcome.number(), outcome));
        return List.copyOf(byNumber.values());
    }

    private static boolean areAligned(List<Recipient> recipients, List<RecipientOutcome> outcomes) {
        if (recipients.size() != outcomes.size()) {
            return false;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            if (recipients.get(i).number() != outcomes.get(i).number()) {
                return false;
            }
        }
        return true;
    }

    // ---- outcomes

    /// Recipients that are in memory and in no entry get their outcome.
    private void conclude(Activation message, List<Recipient> recipients, Outcome outcome) {
        record(message, recipients, outcome);
        scheduler.settled(message.work, recipients.size());
    }

    private void leaveOpen(Activation message, List<Recipient> recipients) {
        message.leftOpen |= !recipients.isEmpty();
        scheduler.settled(message.work, recipients.size());
    }

    private void record(Activation message, List<Recipient> recipients, Outcome outcome) {
        record(message, recipients, recipients.stream().map(r -> new RecipientOutcome(r.number(), outcome)).toList());
    }

    private void record(Activation message, List<Recipient> recipients, List<RecipientOutcome> outcomes) {
        if (outcomes.isEmpty()) {
            return;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            Outcome outcome = outcomes.get(i).outcome();
            switch (outcome) {
                case Outcome.Delivered _ -> {
                    // Settled, and nothing more to say about it.
                }
                case Outcome.Deferred _ -> message.deferred.add(new Activation.Late(recipients.get(i), outcome));
                case Outcome.Failed _ -> message.failed++;
            }
        }
        message.recording++;
        recordsUnderWay++;
        orders.order(new QmgrOrder.RecordOutcome(message.id, ++records, recipients, outcomes));
    }

    private void recorded(QueueId id) {
        Activation message = known(id);
        if (message.recording == 0) {
            throw new ImpossibleEventException("queue=" + id + " has nothing to be recorded");
        }
        message.recording--;
        recordsUnderWay--;
        settle(message);
    }

    // ---- the end of an activation

    private void settle(Activation message) {
        switch (settlement.next(message, now)) {
            case Settlement.Next.Wait _ -> {
                // The answer that it waits for brings us back here.
            }
            case Settlement.Next.Forget _ -> leaveActive(message);
            case Settlement.Next.Expire(List<RecipientOutcome> failures) -> {
                List<Recipient> recipients = message.deferred.stream().map(Activation.Late::recipient).toList();
                message.deferred.clear();
                record(message, recipients, failures);
            }
            case Settlement.Next.Report(QmgrOrder.NoticeKind kind) -> report(message, kind);
            case Settlement.Next.PutBack(long nextMillis) -> {
                scans.dueAt(nextMillis);
                file(message, Filings.Kind.DEFER, new QmgrOrder.Defer(message.id, nextMillis));
            }
            case Settlement.Next.Hold _ ->
                file(message, Filings.Kind.HOLD, new QmgrOrder.SetHold(message.id, true));
            case Settlement.Next.Release _ ->
                file(message, Filings.Kind.RELEASE, new QmgrOrder.SetHold(message.id, false));
            case Settlement.Next.Finish(String reason) ->
                file(message, Filings.Kind.REMOVE, new QmgrOrder.Remove(message.id, reason));
        }
    }

    private void report(Activation message, QmgrOrder.NoticeKind kind) {
        switch (kind) {
            case FAILED -> message.failureReportTried = true;
            case DELAYED -> message.delayReportTried = true;
        }
        message.reporting = true;
        reportsUnderWay++;
        orders.order(new QmgrOrder.Notify(message.id, kind));
    }

    private void notified(QmgrEvent.Notified notified) {
        Activation message = known(notified.id());
        if (!message.reporting) {
            throw new ImpossibleEventException("nobody asked for " + notified);
        }
        message.reporting = false;
        reportsUnderWay--;
        if (notified.done() && notified.kind() == QmgrOrder.NoticeKind.FAILED) {
            message.failed = 0;
            message.reported = true;
        }
        settle(message);
    }

    private void leaveActive(Activation message) {
        active.remove(message.id);
        scheduler.forget(message.work);
    }

    private void file(Activation message, Filings.Kind kind, QmgrOrder order) {
        leaveActive(message);
        filings.begin(message.id, kind);
        orders.order(order);
    }

    private void filed(Optional<QueueId> id) {
        if (id.isEmpty()) {
            scans.now();
            return;
        }
        Filings.Filing filing = filings.done(id.get());
        if (filing.kind() == Filings.Kind.RELEASE || filing.kind() == Filings.Kind.MAKE_DUE) {
            scans.now();
        }
        fulfilOutside(id.get(), filing.next());
    }

    // ---- operators

    private void operator(Command command) {
        switch (command) {
            case Command.Flush flush -> flush(flush);
            case Command.Hold(QueueId id) -> wish(id, Wish.HOLD);
            case Command.Release(QueueId id) -> wish(id, Wish.RELEASE);
            case Command.Delete(QueueId id) -> wish(id, Wish.DELETE);
        }
    }

    // Every dead destination gets another chance. To revive only those that the named mail leads to, one would have to
    // remember which domains lead where; a chance too many costs one connection.
    private void flush(Command.Flush flush) {
        destinations.flush();
        if (flush.id().isPresent()) {
            wish(flush.id().get(), Wish.FLUSH);
        } else {
            orders.order(new QmgrOrder.MakeDue(Optional.empty(), flush.domain(), now));
        }
    }

    private void wish(QueueId id, Wish wish) {
        if (anteroom.knows(id) && wish != Wish.FLUSH) {
            anteroom.leave(id);
        }
        Activation message = active.get(id);
        if (message != null) {
            wishInside(message, wish);
        } else if (filings.knows(id)) {
            filings.wish(id, wish);
        } else if (!anteroom.knows(id)) {
            fulfilOutside(id, wish);
        }
    }

    // What waits is withdrawn at once; what runs is finished and recorded; then the message goes where it is wished to.
    private void wishInside(Activation message, Wish wish) {
        boolean nothingToDo = wish == Wish.FLUSH || wish == Wish.RELEASE && message.wish != Wish.HOLD;
        if (nothingToDo) {
            return;
        }
        message.wish = message.wish.then(wish);
        message.leftOpen |= !scheduler.withdraw(message.work).isEmpty();
        leaveUnplaced(message);
        settle(message);
    }

    private void leaveUnplaced(Activation message) {
        unplaced.remove(message);
        List<Recipient> recipients = message.routed.stream().map(Activation.Routed::recipient).toList();
        message.routed = new ArrayList<>(0);
        leaveOpen(message, recipients);
    }

    private void fulfilOutside(QueueId id, Wish wish) {
        switch (wish) {
            case NONE -> {
                // Filed, and nobody wants more.
            }
            case FLUSH -> fileOutside(id, Filings.Kind.MAKE_DUE,
                    new QmgrOrder.MakeDue(Optional.of(id), Optional.empty(), now));
            case RELEASE -> fileOutside(id, Filings.Kind.RELEASE, new QmgrOrder.SetHold(id, false));
            case HOLD -> fileOutside(id, Filings.Kind.HOLD, new QmgrOrder.SetHold(id, true));
            case DELETE -> fileOutside(id, Filings.Kind.REMOVE, new QmgrOrder.Remove(id, Settlement.DELETED));
        }
    }

    private void fileOutside(QueueId id, Filings.Kind kind, QmgrOrder order) {
        filings.begin(id, kind);
        orders.order(order);
    }

    // ---- who is meant

    private Activation known(QueueId id) {
        Activation message = active.get(id);
        if (message == null) {
            throw new ImpossibleEventException("queue=" + id + " is not active");
        }
        return message;
    }

    private Activation reading(QueueId id) {
        Activation message = known(id);
        if (!message.work.isReading()) {
            throw new ImpossibleEventException("queue=" + id + " is not being read");
        }
        return message;
    }
}
