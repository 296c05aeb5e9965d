package org.slipstream.lab;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.SimulatedPlace;
import org.slipstream.lab.SimulatedNetwork.TransferPhase;
import org.slipstream.lab.SimulatedSpool.SimulatedState;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QmgrSnapshot;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;

import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/// The rules that always hold, checked at every order and after every event. The costly truths are
/// here, so that the queue manager itself stays quick.
///
/// - A delivery goes over a connection that is up and free, to recipients that are open on disk and
///   not part of another delivery, within the limits of lanes and recipients.
/// - Each recipient gets one final outcome; a message is removed only when none is open and no
///   failure is unreported, or an operator said so.
/// - Nothing is ordered for a message that is being filed: it is never active twice.
/// - After every choice no entry waits whose destination has room and for which a seat is free.
/// - Every order has its answer; no alarm rings without end; no more messages are active than
///   allowed.
public final class Referee {
    private static final int MOST_ALARMS_AT_ONE_TIME = 20;

    private final QmgrConfig config;
    private final PlaceRules rules;
    private SimulatedSpool spool;
    private SimulatedNetwork network;

    private final Map<Long, QmgrOrder.Deliver> deliveries = new TreeMap<>();
    private final Map<QueueId, BitSet> inHand = new TreeMap<>();
    private final Set<QueueId> filing = new TreeSet<>();
    private final Set<QueueId> deleted = new TreeSet<>();
    private final Map<String, Integer> unanswered = new TreeMap<>();
    private long alarmMillis = -1;
    private int alarms;

    Referee(QmgrConfig config, PlaceRules rules) {
        this.config = config;
        this.rules = rules;
    }

    void watch(SimulatedSpool theSpool, SimulatedNetwork theNetwork) {
        spool = theSpool;
        network = theNetwork;
    }

    /// The text is composed only when it is needed; there are millions of questions and, one hopes,
    /// no answer.
    void require(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise.get());
        }
    }

    /// Everything that was under way is void.
    void crash() {
        deliveries.clear();
        inHand.clear();
        filing.clear();
        unanswered.clear();
    }

    void ordered(QmgrOrder order, long now) {
        switch (order) {
            case QmgrOrder.Scan scan -> {
                require(unanswered.getOrDefault("Scan", 0) == 0, () -> "two scans at once");
                require(scan.limit() > 0 && scan.leaseUntilMillis() > now,
                        () -> "a scan with an impossible limit: " + scan);
                owe("Scan");
            }
            case QmgrOrder.ReadRecipients read -> {
                untouched(read.id(), order);
                require(read.limit() > 0 && read.limit() <= config.recipientBatch(), () -> "batch of " + read.limit());
                owe("Read");
            }
            case QmgrOrder.FindRoute find -> {
                require(unanswered.getOrDefault("Find " + find.domain(), 0) == 0, () -> "asked twice: " + find);
                owe("Find " + find.domain());
            }
            case QmgrOrder.Open open -> open(open);
            case QmgrOrder.Deliver deliver -> deliver(deliver);
            case QmgrOrder.Close close -> {
                SimulatedNetwork.SimulatedConnection connection = network.connections.get(close.connection());
                require(connection == null || connection.phase != TransferPhase.BUSY, () -> "closed in use: " + close);
            }
            case QmgrOrder.RecordOutcome record -> record(record, now);
            case QmgrOrder.Notify notify -> {
                untouched(notify.id(), order);
                require(spool.rows.get(notify.id()).mail.sender().isPresent(),
                        () -> "a report to the null sender: " + order);
                owe("Notify " + notify.id());
            }
            case QmgrOrder.Defer defer -> {
                file(defer.id(), order);
                SimulatedSpool.SpoolRow row = spool.rows.get(defer.id());
                long age = now - row.mail.arrivalMillis();
                long gap = defer.nextAttemptMillis() - now;
                boolean afterTheFirst = row.attempts == 1 && gap == config.minimalBackoffMillis();
                require(afterTheFirst || gap == Math.clamp(age, config.minimalBackoffMillis(),
                        config.maximalBackoffMillis()), () -> "off the curve at age " + age + ": " + defer);
            }
            case QmgrOrder.Remove remove -> file(remove.id(), order);
            case QmgrOrder.SetHold hold -> file(hold.id(), order);
            case QmgrOrder.MakeDue due -> {
                due.id().ifPresentOrElse(id -> file(id, order), () -> owe("Filed"));
            }
            case QmgrOrder.Answered answered -> settle("Answered " + answered.ticket());
            case QmgrOrder.Verified verified -> settle("Answered " + verified.ticket());
        }
    }

    // The world may know fewer connections than the queue manager, which has not heard of a loss,
    // but never more.
    private void open(QmgrOrder.Open open) {
        int serving = 1;
        int atHost = 1;
        int everywhere = 1;
        for (SimulatedNetwork.SimulatedConnection connection : network.connections.values()) {
            require(connection.number != open.connection(), () -> "a number used twice: " + open);
            if (connection.route.transport().equals(open.route().transport())) {
                everywhere++;
                serving += connection.serves(open.route()) ? 1 : 0;
                atHost += connection.host.equals(SimulatedPlace.names(open.route()).getFirst()) ? 1 : 0;
            }
        }
        TransportSettings settings = config.transport(open.route().transport());
        require(everywhere <= settings.processLimit(), () -> "too many connections with " + open);
        // A transport of one recipient a delivery has a window for each recipient (PF-12).
        boolean each = settings.recipientsPerDelivery() == 1 || settings.concurrencyLimit() == 0;
        require(each || serving <= settings.concurrencyLimit(),
                () -> "too many connections for one destination with " + open);
        require(!(open.route() instanceof Route.Smtp) || atHost <= rules.connectionsPerHost(),
                () -> "too many connections to one host with " + open);
    }

    private void deliver(QmgrOrder.Deliver deliver) {
        untouched(deliver.id(), deliver);
        QmgrOrder.Deliver before = deliveries.put(deliver.delivery().number(), deliver);
        if (before != null) {
            // Moved from a connection that the server had closed.
            require(!network.connections.containsKey(before.connection()), () -> "delivered twice at once: " + deliver);
            letGo(before);
        }
        Optional.ofNullable(network.connections.get(deliver.connection())).ifPresent(one -> takes(one, deliver));
        int most = config.transport(deliver.route().transport()).recipientsPerDelivery();
        require(!deliver.recipients().isEmpty() && (most == 0 || deliver.recipients().size() <= most),
                () -> "too many or none: " + deliver);
        BitSet hands = inHand.computeIfAbsent(deliver.id(), _ -> new BitSet());
        SimulatedSpool.SpoolRow row = spool.rows.get(deliver.id());
        for (Recipient recipient : deliver.recipients()) {
            require(row.states[recipient.number() - 1] == SimulatedState.OPEN, () -> "already settled: " + deliver);
            Route route = network.place(recipient.address().domainKey()).route();
            require(route.nextHop().equals(deliver.route().nextHop())
                    && SimulatedPlace.names(route).containsAll(SimulatedPlace.names(deliver.route())),
                    () -> "astray: " + deliver);
            require(!hands.get(recipient.number()), () -> "in two hands: " + deliver);
            hands.set(recipient.number());
        }
    }

    private void takes(SimulatedNetwork.SimulatedConnection connection, QmgrOrder.Deliver deliver) {
        int most = deliver.route() instanceof Route.Smtp ? rules.depth().most() * rules.depth().overflow() : 1;
        require(connection.phase != TransferPhase.OPENING && connection.underWay.size() < most,
                () -> "not free: " + deliver);
        require(connection.route.transport().equals(deliver.route().transport())
                && SimulatedPlace.names(deliver.route()).contains(connection.host), () -> "the wrong way: " + deliver);
    }

    private void letGo(QmgrOrder.Deliver deliver) {
        BitSet hands = inHand.get(deliver.id());
        deliver.recipients().forEach(r -> hands.clear(r.number()));
        if (hands.isEmpty()) {
            inHand.remove(deliver.id());
        }
    }

    private boolean isInHand(QueueId id, int number) {
        return inHand.containsKey(id) && inHand.get(id).get(number);
    }

    private void record(QmgrOrder.RecordOutcome record, long now) {
        untouched(record.id(), record);
        owe("Record");
        require(record.recipients().stream().map(Recipient::number).toList()
                .equals(record.outcomes().stream().map(RecipientOutcome::number).toList()),
                () -> "out of step: " + record);
        SimulatedSpool.SpoolRow row = spool.rows.get(record.id());
        long lifetime = row.mail.sender().isPresent() ? config.lifetimeMillis() : config.bounceLifetimeMillis();
        for (RecipientOutcome each : record.outcomes()) {
            require(!isInHand(record.id(), each.number()),
                    () -> "still under way: " + record);
            boolean expired = each.outcome() instanceof Outcome.Failed
                    && each.outcome().reply().text().contains("expired");
            require(!expired || now - row.mail.arrivalMillis() - lifetime >= (row.attempts > 0
                    ? 0
                    : config.secondExpiryMillis()), () -> "expired too early: " + record);
        }
    }

    private void untouched(QueueId id, QmgrOrder order) {
        require(!filing.contains(id), () -> "ordered while it is being filed: " + order);
        require(spool.rows.containsKey(id), () -> "no such message: " + order);
    }

    private void file(QueueId id, QmgrOrder order) {
        require(filing.add(id), () -> "filed twice at once: " + order);
        require(!inHand.containsKey(id), () -> "filed while it is delivered: " + order);
    }

    void happens(QmgrEvent event, long now) {
        switch (event) {
            case QmgrEvent.ScanDone _ -> settle("Scan");
            case QmgrEvent.RecipientsRead _,QmgrEvent.MessageDamaged _ -> settle("Read");
            case QmgrEvent.RouteKnown known -> settle("Find " + known.domain());
            case QmgrEvent.RouteFailed failed -> settle("Find " + failed.domain());
            case QmgrEvent.OutcomeRecorded _ -> settle("Record");
            case QmgrEvent.Notified notified -> settle("Notify " + notified.id());
            case QmgrEvent.Filed filed -> filed.id().ifPresentOrElse(filing::remove, () -> settle("Filed"));
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> ends(result.delivery(), result.connection());
            case QmgrEvent.ConnectionLost lost -> crossed(lost.connection());
            case QmgrEvent.Operator operator -> command(operator);
            case QmgrEvent.Alarm _ -> alarm(now);
            case QmgrEvent.MessageQueued _,QmgrEvent.ConnectionReady _,QmgrEvent.ConnectionFailed _,QmgrEvent.ConnectionDepth _,QmgrEvent.PipelinesBadly _,QmgrEvent.ArrivalsMissed _,QmgrEvent.Stopping _ -> {
                // Not answers, or answers whose orders are seen in the network.
            }
        }
    }

    private void ends(long delivery, long connection) {
        QmgrOrder.Deliver deliver = deliveries.get(delivery);
        if (deliver != null && deliver.connection() == connection) {
            deliveries.remove(delivery);
            letGo(deliver);
        }
    }

    // Each command is answered once, see `Answered`.
    private void command(QmgrEvent.Operator operator) {
        owe("Answered " + operator.ticket());
        if (operator.command() instanceof QmgrEvent.OperatorCommand.Delete(QueueId id)) {
            deleted.add(id);
        }
    }

    // A delivery on a connection that is gone belongs to no connection: it goes another way, or
    // comes back.
    private void crossed(long connection) {
        deliveries.values().removeIf(deliver -> {
            boolean gone = deliver.connection() == connection;
            if (gone) {
                letGo(deliver);
            }
            return gone;
        });
    }

    private void alarm(long now) {
        alarms = now == alarmMillis ? alarms + 1 : 1;
        alarmMillis = now;
        require(alarms <= MOST_ALARMS_AT_ONE_TIME, () -> "the alarm rings without end");
    }

    /// Now and then.
    void look(QmgrSnapshot snapshot) {
        require(snapshot.messages().size() <= config.activeLimit(),
                () -> snapshot.messages().size() + " messages active");
        int waiting = 0;
        for (QmgrSnapshot.ActiveMessage message : snapshot.messages()) {
            require(!filing.contains(message.id()), () -> "active while it is being filed: " + message);
            require(!message.why().isBlank(), () -> "no reason: " + message);
            waiting += message.waiting();
        }
        int inLine = snapshot.destinations().stream().mapToInt(QmgrSnapshot.ActiveDestination::waiting).sum();
        require(waiting == inLine,
                () -> inLine + " entries wait at destinations, and not as many of messages: " + snapshot);
    }

    /// After every choice. A safety net, or the next event, would start what was forgotten, and the
    /// fault would stay hidden.
    void wakes(QueueManager brain, long now) {
        if (brain.nextAlarmMillis() <= now) {
            return; // it will be asked for in a moment
        }
        brain.overlooked(now).ifPresent(entry -> require(false, () -> "could go and waits: queue="
                + entry.message().id() + " to=" + entry.queue()));
    }

    void removed(SimulatedSpool.SpoolRow row, String reason) {
        QueueId id = row.mail.id();
        require(deleted.contains(id) || row.count(SimulatedState.OPEN) == 0,
                () -> "removed with open recipients: " + id + " " + reason);
        require(deleted.contains(id) || row.mail.sender().isEmpty() || row.count(SimulatedState.FAILED) == 0,
                () -> "removed with unreported failures: " + id + " " + reason);
    }

    /// When nothing happens any more.
    void end(QueueManager brain, long now) {
        require(brain.isQuiet(), () -> "not quiet at the end");
        require(brain.snapshot(now).messages().isEmpty(), () -> "active at the end: " + brain.snapshot(now).messages());
        require(brain.snapshot(now).destinations().stream().allMatch(d -> d.waiting() + d.running() == 0),
                () -> "entries at the end: " + brain.snapshot(now).destinations());
        require(unanswered.isEmpty(), () -> "without an answer: " + unanswered);
        require(filing.isEmpty() && inHand.isEmpty() && deliveries.isEmpty(), () -> "unfinished: " + filing + inHand);
    }

    private void owe(String answer) {
        unanswered.merge(answer, 1, Integer::sum);
    }

    private void settle(String answer) {
        require(unanswered.containsKey(answer), () -> "an answer without an order: " + answer);
        unanswered.compute(answer, (_, n) -> n == 1 ? null : n - 1);
    }
}
