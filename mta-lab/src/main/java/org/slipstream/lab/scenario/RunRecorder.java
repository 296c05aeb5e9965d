package org.slipstream.lab.scenario;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.lab.WorldObserver;
import org.slipstream.picture.RunRecord;
import org.slipstream.picture.RunRecord.Attempt;
import org.slipstream.picture.RunRecord.AttemptOutcome;
import org.slipstream.picture.RunRecord.DestinationRecord;
import org.slipstream.picture.RunRecord.MessageRecord;
import org.slipstream.picture.RunRecord.PreemptionRecord;
import org.slipstream.picture.RunRecord.WindowChange;
import org.slipstream.picture.RunRecord.WindowSample;
import org.slipstream.picture.TimeAxis;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Message;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// Makes the [RunRecord] of a run from what it observes.
///
/// Deliveries are numbered in the order in which entries are selected, so the k-th entry is delivery
/// k; after a crash the numbers begin at 1 again. The order `Open` names a destination and no entry.
/// The connection belongs to the first entry for that destination that has no seat yet. An entry
/// without a reply ends when its outcome is recorded; until then it may be moved to another
/// connection.
final class RunRecorder implements WorldObserver {
    static final String REPORT = "report";
    private static final long OF_SHARD = 1_000_000_000L;

    private static final class OpenAttempt {
        final QueueId message;
        final Optional<QueueId> id;
        final String name;
        final String transport;
        final DestinationTotals destination;
        final List<Integer> recipients;
        final long selectedMillis;
        final int shard;
        OptionalLong startMillis = OptionalLong.empty();
        long endMillis;
        long connectionId;
        int connection;
        AttemptOutcome result = AttemptOutcome.UNFINISHED;

        OpenAttempt(QueueId message, Optional<QueueId> id, String name, String transport, DestinationTotals destination,
                List<Integer> recipients,
                long selectedMillis, int shard) {
            this.shard = shard;
            this.message = message;
            this.id = id;
            this.name = name;
            this.transport = transport;
            this.destination = destination;
            this.recipients = recipients;
            this.selectedMillis = selectedMillis;
        }

        Attempt attempt(long now) {
            return new Attempt(id, name, transport, destination.name, recipients.size(), selectedMillis, startMillis,
                    result == AttemptOutcome.UNFINISHED ? now : endMillis, connection, result);
        }
    }

    private static final class DestinationTotals {
        final String name;
        int attempts;
        int troubled;
        int untried;
        int connections;
        int running;
        int most;
        final List<WindowSample> windows = new ArrayList<>();

        DestinationTotals(String name) {
            this.name = name;
        }
    }

    private static final class MessageTotals {
        int entries;
        int delivered;
        int failed;
        OptionalLong first = OptionalLong.empty();
        OptionalLong last = OptionalLong.empty();
        final List<Integer> reads = new ArrayList<>();
    }

    private final ScenarioFile file;
    private final Consumer<String> events;
    private final LongConsumer reached;
    private final List<OpenAttempt> attempts = new ArrayList<>();
    private final Deque<OpenAttempt> unseated = new ArrayDeque<>();
    private final Map<QueueId, List<OpenAttempt>> unfinished = new TreeMap<>();
    private final Map<Long, OpenAttempt> opening = new TreeMap<>();
    private final QueueCounts queue = new QueueCounts();
    private final ConnectionRecorder connections = new ConnectionRecorder();
    private final List<PreemptionRecord> preemptions = new ArrayList<>();
    private final SequencedMap<String, DestinationTotals> destinations = new LinkedHashMap<>();
    private final SequencedMap<QueueId, MessageTotals> messages = new LinkedHashMap<>();
    private final ShardTotals shards = new ShardTotals();

    /// Attempts of each shard since its last start, in the order of their numbers.
    private final Map<Integer, List<OpenAttempt>> numbered = new TreeMap<>();
    private int shard = 1;
    private long now;

    /// @param events receives a line for each thing that happens
    /// @param reached receives the simulated time after each step
    RunRecorder(ScenarioFile file, Consumer<String> events, LongConsumer reached) {
        this.file = file;
        this.events = events;
        this.reached = reached;
        file.messages().forEach((id, message) -> {
            messages.put(id, new MessageTotals());
            queue.expect(message.name());
        });
    }

    ShardTotals shards() {
        return shards;
    }

    RunRecord record() {
        SequencedMap<String, DestinationRecord> allDestinations = new LinkedHashMap<>();
        destinations.values().forEach(r -> allDestinations.put(r.name,
                new DestinationRecord(r.name, r.attempts, r.troubled, r.untried, r.connections, r.most, r.windows)));
        SequencedMap<QueueId, MessageRecord> results = new LinkedHashMap<>();
        messages.forEach((id, l) -> results.put(id,
                new MessageRecord(l.entries, l.delivered, l.failed, l.first, l.last, l.reads)));
        return new RunRecord(attempts.stream().map(attempt -> attempt.attempt(now)).toList(), preemptions,
                allDestinations, results,
                connections.records(now), connections.hosts(),
                queue.samples(), now);
    }

    // ---- decisions

    @Override
    public void selected(Entry entry) {
        QueueId id = entry.message().id();
        DestinationTotals destination = destination(entry.queue().route());
        OpenAttempt attempt = new OpenAttempt(id, isOfFile(id) ? Optional.of(id) : Optional.empty(), name(id),
                entry.queue().transport(), destination,
                entry.recipients().stream().map(Recipient::number).toList(), now, shard);
        attempts.add(attempt);
        numbered.computeIfAbsent(shard, _ -> new ArrayList<>()).add(attempt);
        shards.starts(shard);
        unseated.add(attempt);
        unfinished.computeIfAbsent(id, _ -> new ArrayList<>()).add(attempt);
        destination.attempts++;
        destination.most = Math.max(destination.most, ++destination.running);
        if (isOfFile(id)) {
            messages.get(id).entries++;
            queue.takes(id, attempt.name, attempt.recipients.size(), now);
        }
    }

    @Override
    public void preempted(Message current, Message stepping, String transport, int level, int balance) {
        PreemptionRecord preemption = new PreemptionRecord(now, attempts.size(), transport,
                title(current.id()),
                title(stepping.id()), level, balance);
        preemptions.add(preemption);
        tell(preemption.stepping() + " preempts " + preemption.passed() + ", level " + level + ", which leaves "
                + preemption.passed() + " a balance of " + balance);
    }

    @Override
    public void read(Message message, int recipients) {
        if (isOfFile(message.id())) {
            messages.get(message.id()).reads.add(recipients);
            queue.isRead(message.id(), name(message.id()), recipients, now);
        }
        tell(title(message.id()) + " is read: " + recipients + (recipients == 1 ? " recipient" : " recipients"));
    }

    @Override
    public void feedback(DestinationQueue destination, FeedbackEvent event, int running,
            Destination.FlowFigures figures) {
        boolean shared = !destination.key().contains("@");
        if (shared) {
            WindowSample mark = new WindowSample(now, word(event), change(event), figures.window());
            List<WindowSample> windows = destination(destination.route()).windows;
            boolean moved = windows.isEmpty() || windows.getLast().size() != mark.size();
            windows.add(mark);
            if (mark.isReport() && moved) {
                tell("window of " + destinationName(destination.route()) + " after " + mark.event().replace('_', ' ')
                        + ": " + mark);
            }
        }
    }

    @Override
    public void deferredWithoutAttempt(QueueId id, DestinationQueue destination, List<Recipient> recipients) {
        destination(destination.route()).untried += recipients.size();
        tell(title(id) + " deferred without an attempt, " + recipients.size() + " to "
                + destinationName(destination.route()));
    }

    private static String word(FeedbackEvent event) {
        return event.name().toLowerCase(Locale.ROOT);
    }

    private static WindowChange change(FeedbackEvent event) {
        return switch (event) {
            case NEW -> WindowChange.CREATED;
            case FORGET, TIMER_REVIVE_FORGET, RESUME_FORGET -> WindowChange.FORGOTTEN;
            case OK, FAIL, FAIL_DEAD, OK_REVIVE, TIMER_REVIVE, SUSPEND, RESUME -> WindowChange.REPORTED;
        };
    }

    // ---- orders

    @Override
    public void ordered(long nowMillis, QmgrOrder order) {
        now = nowMillis;
        switch (order) {
            case QmgrOrder.Open open -> opens(open);
            case QmgrOrder.Deliver deliver -> starts(deliver);
            case QmgrOrder.Close close -> connections.ends(key(close.connection()), "closed", now);
            case QmgrOrder.RecordOutcome record -> records(record);
            case QmgrOrder.Defer defer -> defers(defer);
            case QmgrOrder.Remove remove -> removes(remove);
            case QmgrOrder.Notify notify -> tell("report about " + title(notify.id()) + ": " + notify.word());
            case QmgrOrder.Scan _,QmgrOrder.ReadRecipients _,QmgrOrder.FindRoute _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.TakeUp _,QmgrOrder.Instruct _,QmgrOrder.Answered _,QmgrOrder.Verified _,QmgrOrder.LeaseOrder _,QmgrOrder.MoveOut _ -> {
                // These orders are not part of the record.
            }
        }
    }

    private void defers(QmgrOrder.Defer defer) {
        if (isOfFile(defer.id())) {
            queue.defers(defer.id(), name(defer.id()), now);
        }
        tell(title(defer.id()) + " waits until " + TimeAxis.seconds(defer.nextAttemptMillis()));
    }

    private void removes(QmgrOrder.Remove remove) {
        if (isOfFile(remove.id())) {
            queue.leaves(remove.id(), name(remove.id()), now);
        }
        tell(title(remove.id()) + " is done: " + remove.reason());
    }

    private void opens(QmgrOrder.Open open) {
        DestinationTotals destination = destination(open.route());
        destination.connections++;
        int number = connections.opens(key(open.connection()), host(open.route()), now);
        unseated.stream().filter(attempt -> attempt.destination == destination && attempt.shard == shard).findFirst()
                .ifPresent(attempt -> {
                    unseated.remove(attempt);
                    opening.put(key(open.connection()), attempt);
                    attempt.connection = number;
                });
    }

    private static String host(Route route) {
        return route instanceof Route.Smtp smtp
                ? smtp.hosts().getFirst().name()
                : route.transport() + "/" + route.nextHop();
    }

    private void starts(QmgrOrder.Deliver deliver) {
        OpenAttempt attempt = attempt(deliver.delivery().number());
        unseated.remove(attempt);
        opening.remove(key(deliver.connection()));
        attempt.connectionId = key(deliver.connection());
        attempt.connection = connections.number(attempt.connectionId).orElse(attempt.connection);
        attempt.startMillis = OptionalLong.of(now);
        connections.takes(attempt.connectionId, now);
        tell("connection " + attempt.connection + ": " + title(deliver.id()) + " to " + attempt.destination.name + ", "
                + attempt.recipients.size() + (attempt.recipients.size() == 1 ? " recipient" : " recipients"));
    }

    // An outcome without a reply: the last connection failed or broke, or no host was left to try.
    private void records(QmgrOrder.RecordOutcome record) {
        int first = record.recipients().getFirst().number();
        unfinished.getOrDefault(record.id(), List.of()).stream().filter(attempt -> attempt.recipients.contains(first))
                .findFirst().ifPresent(attempt -> {
                    unseated.remove(attempt);
                    ends(attempt, AttemptOutcome.TROUBLE, 0);
                });
    }

    // ---- events

    @Override
    public void happened(long nowMillis, QmgrEvent event) {
        now = nowMillis;
        switch (event) {
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> done(result);
            case QmgrEvent.ConnectionReady ready -> connections.isReady(key(ready.connection()), now);
            case QmgrEvent.ConnectionFailed failed -> failed(failed);
            case QmgrEvent.ConnectionLost lost -> connections.ends(key(lost.connection()), "closed by the server", now);
            case QmgrEvent.ConnectionDepth _,QmgrEvent.PipelinesBadly _ -> {
                // The record shows the deliveries under way instead.
            }
            case QmgrEvent.MessageQueued queued -> arrives(queued.message().id());
            case QmgrEvent.ScanDone _,QmgrEvent.RecipientsRead _,QmgrEvent.MessageDamaged _,QmgrEvent.RouteKnown _,QmgrEvent.RouteFailed _,QmgrEvent.OutcomeRecorded _,QmgrEvent.Notified _,QmgrEvent.Filed _,QmgrEvent.Instructed _,QmgrEvent.Alarm _,QmgrEvent.ArrivalsMissed _,QmgrEvent.Stopping _,QmgrEvent.SettingsChanged _,QmgrEvent.Operator _,QmgrEvent.HostsLearned _,QmgrEvent.LeaseEvent _,QmgrEvent.LimitsShared _,QmgrEvent.ShardHeld _,QmgrEvent.MovedOut _,QmgrEvent.MovedIn _ -> {
                // The consequences of these answers are recorded.
            }
        }
    }

    @Override
    public void crashed(long nowMillis) {
        now = nowMillis;
        tell("the server is killed and starts again");
        unfinished.values().stream().flatMap(List::stream).toList()
                .forEach(attempt -> ends(attempt, AttemptOutcome.TROUBLE, 0));
        unseated.clear();
        opening.clear();
        connections.endAll(_ -> true, "the server was killed", now);
        numbered.clear();
    }

    @Override
    public void ofShard(int number) {
        shard = number;
    }

    @Override
    public void started(long nowMillis, int number) {
        shards.opened(number, nowMillis);
        restarted(nowMillis, number);
    }

    @Override
    public void closed(long nowMillis, int number) {
        now = nowMillis;
        shards.closed(number, nowMillis);
        numbered.remove(number);
        tell("shard " + number + " is closed");
    }

    /// The deliveries under way of one shard among several are lost.
    private void restarted(long nowMillis, int number) {
        if (numbered.remove(number) == null) {
            return;
        }
        now = nowMillis;
        tell("shard " + number + " is killed and starts again");
        unfinished.values().stream().flatMap(List::stream).filter(attempt -> attempt.shard == number).toList()
                .forEach(attempt -> ends(attempt, AttemptOutcome.TROUBLE, 0));
        unseated.removeIf(attempt -> attempt.shard == number);
        opening.values().removeIf(attempt -> attempt.shard == number);
        connections.endAll(connection -> connection / OF_SHARD == number, "the shard was killed", now);
    }

    private OpenAttempt attempt(long delivery) {
        return numbered.get(shard).get((int) delivery - 1);
    }

    /// The number of a connection of this shard among those of all shards.
    private long key(long connection) {
        return shard * OF_SHARD + connection;
    }

    private void arrives(QueueId id) {
        if (isOfFile(id)) {
            shards.takes(shard);
            queue.arrives(id, name(id), file.scenario().mails().get((int) id.value() - 1).recipients().size(), now);
        }
        tell(title(id) + " arrives");
    }

    private void failed(QmgrEvent.ConnectionFailed failed) {
        Optional<OpenAttempt> attempt = Optional.ofNullable(opening.remove(key(failed.connection())));
        connections.number(key(failed.connection())).ifPresent(number -> tell("connection " + number + ": "
                + attempt.map(each -> each.name + " to " + each.destination.name).orElse("to " + failed.remote()) + ": "
                + failed.reason()));
        connections.ends(key(failed.connection()), failed.reason().toString(), now);
    }

    private void done(DeliveryResult result) {
        OpenAttempt attempt = attempt(result.delivery());
        if (attempt.connectionId != key(result.connection())) {
            return; // an event of an ended connection
        }
        switch (result) {
            case DeliveryResult.Answered answered -> answered(attempt, answered);
            case DeliveryResult.Unanswered back -> unanswered(attempt, back.reason(), false);
            case DeliveryResult.OwnFailure own -> unanswered(attempt, own.reason(), own.usable());
        }
    }

    private void unanswered(OpenAttempt attempt, Reply reason, boolean usable) {
        tell("connection " + attempt.connection + ": " + attempt.name + " to " + attempt.destination.name + ": "
                + reason);
        connections.answers(attempt.connectionId, now, now);
        if (!usable) {
            connections.ends(attempt.connectionId, reason.toString(), now);
        }
    }

    private void answered(OpenAttempt attempt, DeliveryResult.Answered answered) {
        int delivered = 0;
        int failed = 0;
        for (RecipientOutcome each : answered.outcomes()) {
            delivered += each.outcome() instanceof Outcome.Delivered ? 1 : 0;
            failed += each.outcome() instanceof Outcome.Failed ? 1 : 0;
        }
        count(attempt, delivered, failed);
        attempt.startMillis = OptionalLong
                .of(connections.answers(attempt.connectionId, attempt.startMillis.orElse(now), now));
        ends(attempt, delivered > 0
                ? AttemptOutcome.DELIVERED
                : failed == answered.outcomes().size() ? AttemptOutcome.REFUSED : AttemptOutcome.DEFERRED,
                delivered + failed);
        if (attempt.result != AttemptOutcome.DELIVERED) {
            tell("connection " + attempt.connection + ": " + attempt.name + " to " + attempt.destination.name + ": "
                    + answered.outcomes().getFirst().outcome().reply());
        }
        if (!answered.usable()) {
            connections.ends(attempt.connectionId, "broken", now);
        }
    }

    private void count(OpenAttempt attempt, int delivered, int failed) {
        attempt.id.map(messages::get).ifPresent(message -> {
            message.delivered += delivered;
            message.failed += failed;
            if (delivered > 0) {
                message.first = message.first.isPresent() ? message.first : OptionalLong.of(now);
                message.last = OptionalLong.of(now);
            }
        });
    }

    /// @param settled recipients that were delivered or have failed
    private void ends(OpenAttempt attempt, AttemptOutcome result, int settled) {
        attempt.id.ifPresent(id -> queue.ends(id, attempt.name, attempt.recipients.size(), settled, now));
        unfinished.get(attempt.message).remove(attempt);
        attempt.result = result;
        attempt.endMillis = now;
        attempt.destination.running--;
        shards.ends(attempt.shard);
        attempt.destination.troubled += result == AttemptOutcome.TROUBLE ? 1 : 0;
    }

    @Override
    public void settled(long nowMillis, DestDb hosts) {
        connections.recordHosts(hosts, nowMillis);
        reached.accept(nowMillis);
    }

    // ---- names

    private boolean isOfFile(QueueId id) {
        return file.messages().containsKey(id);
    }

    private String name(QueueId id) {
        return isOfFile(id) ? file.messages().get(id).name() : REPORT;
    }

    private String title(QueueId id) {
        return isOfFile(id) ? file.messages().get(id).toString() : REPORT;
    }

    private String destinationName(Route route) {
        return route.transport() + "/" + route.nextHop();
    }

    private DestinationTotals destination(Route route) {
        return destinations.computeIfAbsent(destinationName(route), DestinationTotals::new);
    }

    private void tell(String what) {
        events.accept("%10s  %s".formatted(TimeAxis.seconds(now), what));
    }
}
