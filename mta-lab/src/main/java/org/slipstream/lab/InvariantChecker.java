package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.SimulatedNetwork.TransferPhase;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrSnapshot;
import org.slipstream.qmgr.wake.RetrySettings;

import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/// Checks the invariants of the queue manager at every order and after every event. The expensive
/// checks are here, so that the queue manager itself stays fast.
///
/// - A delivery uses a connection that is ready and has room. Its recipients are open on disk and
///   not part of another delivery. The limits of connections and recipients hold.
/// - Each recipient gets one final outcome. A message is removed only when no recipient is open and
///   every failure is reported, or by an operator.
/// - No order concerns a message that is being filed, so a message is never active twice.
/// - Each recipient of acknowledged mail is in exactly one state ([AcceptedMail]).
/// - After every choice, no entry waits whose destination has room and for which a seat is free.
/// - Every order gets its answer, the alarm does not repeat endlessly, and the number of active
///   messages is within its limit.
public final class InvariantChecker {
    private static final int MAX_ALARMS_AT_ONE_TIME = 20;

    private final QmgrConfig config;
    private final PlaceRules rules;
    private SimulatedSpool spool;
    private SimulatedNetwork network;
    private ConnectionLimits limits;
    private AcceptedMail accepted;

    private final Map<Long, QmgrOrder.Deliver> deliveries = new TreeMap<>();
    private final Map<QueueId, BitSet> underWay = new TreeMap<>();
    private final Set<QueueId> filing = new TreeSet<>();
    private final Set<QueueId> deleted = new TreeSet<>();
    private final Map<String, Integer> unanswered = new TreeMap<>();
    private final Map<String, Long> flushedMillis = new TreeMap<>();
    private boolean checksTimes;
    private final Map<QueueId, Long> deferredMillis = new TreeMap<>();
    private long alarmMillis = -1;
    private int alarms;
    private long checks;

    InvariantChecker(QmgrConfig config, PlaceRules rules) {
        this.config = config;
        this.rules = rules;
        this.checksTimes = doublesEverywhere(config);
    }

    void attach(SimulatedSpool theSpool, SimulatedNetwork theNetwork, ConnectionLimits theLimits) {
        spool = theSpool;
        network = theNetwork;
        limits = theLimits;
        accepted = new AcceptedMail(this, theSpool, theNetwork.receivers(),
                Math.max(config.maximalBackoffMillis(), config.minimalBackoffMillis()));
    }

    AcceptedMail accepted() {
        return accepted;
    }

    /// The number of checks so far.
    long checks() {
        return checks;
    }

    /// The text is composed only for a violation, because there are millions of checks.
    void require(boolean holds, Supplier<String> otherwise) {
        checks++;
        if (!holds) {
            throw new AssertionError(otherwise.get());
        }
    }

    /// Forgets everything that was under way.
    void crash() {
        deliveries.clear();
        underWay.clear();
        filing.clear();
        unanswered.clear();
        limits.crash();
    }

    void ordered(QmgrOrder order, long now) {
        switch (order) {
            case QmgrOrder.Scan scan -> {
                require(unanswered.getOrDefault("Scan", 0) == 0, () -> "two scans at once");
                require(scan.limit() > 0 && scan.leaseUntilMillis() > now,
                        () -> "a scan with an impossible limit: " + scan);
                expectAnswer("Scan");
            }
            case QmgrOrder.ReadRecipients read -> {
                requireNotFiling(read.id(), order);
                require(read.limit() > 0 && read.limit() <= config.recipientBatch(), () -> "batch of " + read.limit());
                expectAnswer("Read");
            }
            case QmgrOrder.FindRoute find -> {
                require(unanswered.getOrDefault("Find " + find.domain(), 0) == 0,
                        () -> "two queries for a domain: " + find);
                expectAnswer("Find " + find.domain());
            }
            case QmgrOrder.Open open -> {
                require(!network.connections.containsKey(open.connection()), () -> "a number used twice: " + open);
                limits.open(open, this);
            }
            case QmgrOrder.Deliver deliver -> {
                deliver(deliver);
                limits.deliver(deliver, Optional.ofNullable(network.connections.get(deliver.connection())), now, this);
            }
            case QmgrOrder.Close close -> {
                SimulatedNetwork.SimulatedConnection connection = network.connections.get(close.connection());
                require(connection == null || connection.phase != TransferPhase.BUSY,
                        () -> "closed while busy: " + close);
            }
            case QmgrOrder.RecordOutcome record -> record(record, now);
            case QmgrOrder.Notify notify -> {
                requireNotFiling(notify.id(), order);
                require(spool.rows.get(notify.id()).mail.sender().isPresent(),
                        () -> "a report to the null sender: " + order);
                expectAnswer("Notify " + notify.id());
            }
            case QmgrOrder.Defer defer -> {
                file(defer.id(), order);
                SimulatedSpool.SpoolRow row = spool.rows.get(defer.id());
                long age = now - row.mail.arrivalMillis();
                long gap = defer.nextAttemptMillis() - now;
                boolean afterTheFirst = row.attempts == 1 && gap == config.minimalBackoffMillis();
                require(!checksTimes || afterTheFirst || gap == 0 && isFlushed(row) || gap == Math.clamp(age,
                        config.minimalBackoffMillis(), config.maximalBackoffMillis()),
                        () -> "wrong backoff at age " + age + ": " + defer);
                deferredMillis.put(defer.id(), now);
            }
            case QmgrOrder.Remove remove -> file(remove.id(), order);
            case QmgrOrder.SetHold hold -> file(hold.id(), order);
            case QmgrOrder.MakeDue due -> {
                due.id().ifPresentOrElse(id -> file(id, order), () -> expectAnswer("Filed"));
            }
            case QmgrOrder.TakeUp takeUp -> file(takeUp.id(), order);
            case QmgrOrder.MoveOut move -> file(move.id(), order);
            case QmgrOrder.Instruct instruct -> expectAnswer("Instructed " + instruct.id());
            case QmgrOrder.Answered answered -> answered("Answered " + answered.ticket());
            case QmgrOrder.Verified verified -> answered("Answered " + verified.ticket());
            case QmgrOrder.LeaseOrder _ -> {
                // The checks of limits that shards share are the broker's.
            }
        }
    }

    /// The times of attempts follow from suspensions too, which this class does not know.
    void withoutTimes() {
        checksTimes = false;
    }

    /// Other policies have curves of their own, which the tests of [org.slipstream.qmgr.wake.RetryPolicy] know.
    private static boolean doublesEverywhere(QmgrConfig config) {
        return config.queue().retry().equals(RetrySettings.POSTFIX)
                && RetrySettings.builtIn().get(RetrySettings.POSTFIX)
                        .equals(config.retries().get(RetrySettings.POSTFIX))
                && config.destinations().clauses().stream().allMatch(each -> each.settings().retry().isEmpty());
    }

    // An operator flushed the domain of a recipient whose deferral was in memory.
    private boolean isFlushed(SimulatedSpool.SpoolRow row) {
        long before = deferredMillis.getOrDefault(row.mail.id(), 0L);
        return row.mail.recipients().stream().map(each -> each.address().domainKey())
                .anyMatch(domain -> flushedMillis.getOrDefault(domain, -1L) >= before);
    }

    private void deliver(QmgrOrder.Deliver deliver) {
        requireNotFiling(deliver.id(), deliver);
        QmgrOrder.Deliver before = deliveries.put(deliver.delivery().number(), deliver);
        if (before != null) {
            // The delivery was moved from a connection that the server had closed.
            require(!network.connections.containsKey(before.connection()), () -> "delivered twice at once: " + deliver);
            release(before);
        }
        Optional.ofNullable(network.connections.get(deliver.connection()))
                .ifPresent(one -> checkConnection(one, deliver));
        int most = config.transport(deliver.route().transport()).recipientsPerDelivery();
        require(!deliver.recipients().isEmpty() && (most == 0 || deliver.recipients().size() <= most),
                () -> "too many or none: " + deliver);
        BitSet numbers = underWay.computeIfAbsent(deliver.id(), _ -> new BitSet());
        SimulatedSpool.SpoolRow row = spool.rows.get(deliver.id());
        for (Recipient recipient : deliver.recipients()) {
            require(row.states[recipient.number() - 1] == RecipientStatus.OPEN, () -> "no open recipient: " + deliver);
            Route route = network.receivers().target(recipient.address().domainKey()).route();
            require(route.nextHop().equals(deliver.route().nextHop())
                    && SimulatedDomain.names(route).containsAll(SimulatedDomain.names(deliver.route())),
                    () -> "route of another destination: " + deliver);
            require(!numbers.get(recipient.number()), () -> "recipient under way twice: " + deliver);
            numbers.set(recipient.number());
        }
    }

    private void checkConnection(SimulatedNetwork.SimulatedConnection connection, QmgrOrder.Deliver deliver) {
        int most = deliver.route() instanceof Route.Smtp ? rules.depth().most() * rules.depth().overflow() : 1;
        require(connection.phase != TransferPhase.OPENING && connection.underWay.size() < most,
                () -> "no room on the connection: " + deliver);
        require(connection.route.transport().equals(deliver.route().transport())
                && SimulatedDomain.names(deliver.route()).contains(connection.host), () -> "wrong route: " + deliver);
    }

    private void release(QmgrOrder.Deliver deliver) {
        BitSet numbers = underWay.get(deliver.id());
        deliver.recipients().forEach(r -> numbers.clear(r.number()));
        if (numbers.isEmpty()) {
            underWay.remove(deliver.id());
        }
    }

    private boolean isUnderWay(QueueId id, int number) {
        return underWay.containsKey(id) && underWay.get(id).get(number);
    }

    private void record(QmgrOrder.RecordOutcome record, long now) {
        requireNotFiling(record.id(), record);
        expectAnswer("Record");
        require(record.recipients().stream().map(Recipient::number).toList()
                .equals(record.outcomes().stream().map(RecipientOutcome::number).toList()),
                () -> "recipients and outcomes differ: " + record);
        SimulatedSpool.SpoolRow row = spool.rows.get(record.id());
        long lifetime = row.mail.sender().isPresent() ? config.lifetimeMillis() : config.bounceLifetimeMillis();
        for (RecipientOutcome each : record.outcomes()) {
            require(!isUnderWay(record.id(), each.number()),
                    () -> "still under way: " + record);
            boolean expired = each.outcome() instanceof Outcome.Failed
                    && each.outcome().reply().text().contains("expired");
            require(!expired || row.instructions.ending().isPresent()
                    || now - row.mail.arrivalMillis() - lifetime >= (row.attempts > 0
                            ? 0
                            : config.secondExpiryMillis()),
                    () -> "expired too early: " + record);
        }
    }

    private void requireNotFiling(QueueId id, QmgrOrder order) {
        require(!filing.contains(id), () -> "ordered while it is being filed: " + order);
        require(spool.rows.containsKey(id), () -> "no such message: " + order);
    }

    private void file(QueueId id, QmgrOrder order) {
        require(filing.add(id), () -> "filed twice at once: " + order);
        require(!underWay.containsKey(id), () -> "filed while it is delivered: " + order);
    }

    void happened(QmgrEvent event, long now) {
        switch (event) {
            case QmgrEvent.ScanDone _ -> answered("Scan");
            case QmgrEvent.RecipientsRead _,QmgrEvent.MessageDamaged _ -> answered("Read");
            case QmgrEvent.RouteKnown known -> answered("Find " + known.domain());
            case QmgrEvent.RouteFailed failed -> answered("Find " + failed.domain());
            case QmgrEvent.OutcomeRecorded _ -> answered("Record");
            case QmgrEvent.Notified notified -> answered("Notify " + notified.id());
            case QmgrEvent.Filed filed -> filed.id().ifPresentOrElse(filing::remove, () -> answered("Filed"));
            case QmgrEvent.MovedOut moved -> filing.remove(moved.id());
            case QmgrEvent.Instructed instructed -> answered("Instructed " + instructed.id());
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> ends(result.delivery(), result.connection());
            case QmgrEvent.ConnectionLost lost -> connectionLost(lost.connection());
            case QmgrEvent.Operator operator -> command(operator, now);
            case QmgrEvent.Alarm _ -> alarm(now);
            case QmgrEvent.MessageQueued _,QmgrEvent.ConnectionReady _,QmgrEvent.ConnectionFailed _,QmgrEvent.ConnectionDepth _,QmgrEvent.PipelinesBadly _,QmgrEvent.ArrivalsMissed _,QmgrEvent.Stopping _,QmgrEvent.SettingsChanged _,QmgrEvent.HostsLearned _,QmgrEvent.LeaseEvent _,QmgrEvent.LimitsShared _,QmgrEvent.ShardHeld _,QmgrEvent.MovedIn _ -> {
                // These are not answers, or the network checks them.
            }
        }
    }

    private void ends(long delivery, long connection) {
        QmgrOrder.Deliver deliver = deliveries.get(delivery);
        if (deliver != null && deliver.connection() == connection) {
            deliveries.remove(delivery);
            release(deliver);
        }
    }

    // Each command gets one answer, `Answered`.
    private void command(QmgrEvent.Operator operator, long now) {
        expectAnswer("Answered " + operator.ticket());
        if (operator.command() instanceof OperatorCommand.FlushAll(Optional<String> flushed)) {
            flushed.ifPresent(domain -> flushedMillis.put(domain, now));
        }
        if (operator.command() instanceof OperatorCommand.OfMessage(QueueId id, MessageOrder.Delete _)) {
            deleted.add(id);
        }
    }

    // A delivery whose connection has ended gets another connection or is returned.
    private void connectionLost(long connection) {
        deliveries.values().removeIf(deliver -> {
            boolean gone = deliver.connection() == connection;
            if (gone) {
                release(deliver);
            }
            return gone;
        });
    }

    private void alarm(long now) {
        alarms = now == alarmMillis ? alarms + 1 : 1;
        alarmMillis = now;
        require(alarms <= MAX_ALARMS_AT_ONE_TIME, () -> "the alarm repeats endlessly");
    }

    /// Checks the state of the queue manager, and that of all mail.
    void check(QmgrSnapshot snapshot, long now) {
        require(snapshot.messages().size() <= config.activeLimit(),
                () -> snapshot.messages().size() + " messages active");
        int waiting = 0;
        for (QmgrSnapshot.ActiveMessage message : snapshot.messages()) {
            require(!filing.contains(message.id()), () -> "active while it is being filed: " + message);
            require(!message.why().isBlank(), () -> "no reason: " + message);
            waiting += message.waiting();
        }
        int atDestinations = snapshot.destinations().stream().mapToInt(QmgrSnapshot.ActiveDestination::waiting).sum();
        require(waiting == atDestinations,
                () -> atDestinations + " entries wait at destinations, and not as many of messages: " + snapshot);
        Set<QueueId> active = new LinkedHashSet<>();
        snapshot.messages().forEach(message -> active.add(message.id()));
        accepted.check(active, now);
    }

    /// Checks after every choice that no entry was overlooked. The next event would start such an
    /// entry and hide the fault.
    void checkOverlooked(QueueManager queueManager, long now) {
        if (queueManager.nextAlarmMillis() <= now) {
            return; // the alarm comes before the next event
        }
        queueManager.overlooked(now).findFirst().ifPresent(entry -> require(false, () -> "could start and waits: queue="
                + entry.message().id() + " to=" + entry.queue()));
    }

    void removed(SimulatedSpool.SpoolRow row, String reason) {
        QueueId id = row.mail.id();
        require(deleted.contains(id) || row.count(RecipientStatus.OPEN) == 0,
                () -> "removed with open recipients: " + id + " " + reason);
        require(deleted.contains(id) || row.mail.sender().isEmpty() || row.count(RecipientStatus.FAILED) == 0,
                () -> "removed with unreported failures: " + id + " " + reason);
        accepted.removed(row, reason);
    }

    /// Checks the state at the end of a run.
    void end(QueueManager queueManager, long now) {
        require(queueManager.isQuiet(), () -> "not quiet at the end");
        require(queueManager.queries().snapshot(now).messages().isEmpty(),
                () -> "active at the end: " + queueManager.queries().snapshot(now).messages());
        require(queueManager.queries().snapshot(now).destinations().stream()
                .allMatch(d -> d.waiting() + d.running() == 0),
                () -> "entries at the end: " + queueManager.queries().snapshot(now).destinations());
        require(unanswered.isEmpty(), () -> "without an answer: " + unanswered);
        require(filing.isEmpty() && underWay.isEmpty() && deliveries.isEmpty(),
                () -> "unfinished: " + filing + underWay);
    }

    private void expectAnswer(String answer) {
        unanswered.merge(answer, 1, Integer::sum);
    }

    private void answered(String answer) {
        require(unanswered.containsKey(answer), () -> "an answer without an order: " + answer);
        unanswered.compute(answer, (_, n) -> n == 1 ? null : n - 1);
    }
}
