package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrSnapshot;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A simulated environment of the queue manager: a queue index in memory, DNS, hosts that are up or
/// down. Orders are answered at once, in order, except for the kinds that the test
/// [withholds][#withhold].
final class Story {
    static final Reply OK = Reply.of(250, "2.0.0", "ok");
    static final Reply NO_SUCH_USER = Reply.of(550, "5.1.1", "no such user");
    static final Reply TRY_LATER = Reply.of(450, "4.2.0", "try later");
    static final Reply SUPPRESSED = Reply.of(550, "5.7.1", "the recipient is suppressed");
    static final Reply NO_SOURCE = Reply.of(451, "4.3.0", "source a cannot be used");
    static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");

    /// A row of the queue index.
    static final class Row {
        QueueId id;
        Optional<Address> sender = Optional.of(Address.of("sender@here.example"));
        long createdMillis;
        long nextMillis;
        boolean held;

        /// Leased, deferred or held since its arrival.
        boolean putOff;
        int delayReports;
        final Map<Integer, Recipient> open = new TreeMap<>();
        final Map<Integer, Outcome> last = new TreeMap<>();
        int recipients;
        int failed;
        int attempts;
        DeliveryOptions options = DeliveryOptions.NONE;
        Instructions instructions = Instructions.NONE;

        QueueName queue() {
            return attempts == 0 && !putOff ? QueueName.INCOMING : QueueName.DEFERRED;
        }

        void putOff(long untilMillis) {
            nextMillis = untilMillis;
            putOff = true;
        }

        MessageSummary summary() {
            return new MessageSummary(id, sender, createdMillis, 1_000, recipients, open.size(), failed, attempts, held,
                    delayReports, options, instructions);
        }
    }

    final QmgrConfig config;
    QueueManager manager;

    /// Operators change its hosts between two events.
    Seating seating;
    long now;
    final Map<QueueId, Row> index = new TreeMap<>();
    final List<QmgrOrder> orders = new ArrayList<>();
    final Map<QueueId, String> removed = new TreeMap<>();
    final Map<String, Route> routes = new TreeMap<>();
    final Map<String, Reply> dnsFailures = new TreeMap<>();

    /// The replies for recipients of this domain, or this address; 250 otherwise.
    final Map<String, Reply> replies = new TreeMap<>();

    /// Addresses that get no mail.
    final Set<String> suppressed = new HashSet<>();

    /// Next hops whose source is gone.
    final Set<String> withoutSource = new HashSet<>();

    /// Next hops that are down, and the reason.
    final Map<String, Reply> down = new TreeMap<>();
    boolean reportsFail;

    /// Other shards take messages.
    boolean shardsTake = true;
    final Map<QueueId, Row> moved = new TreeMap<>();

    /// Local delivery fails.
    boolean broken;
    private final Set<Class<? extends QmgrOrder>> withheld = new HashSet<>();
    private final List<QmgrOrder> unanswered = new ArrayList<>();
    private final Deque<QmgrEvent> answers = new ArrayDeque<>();
    private final Map<Long, String> connections = new TreeMap<>();

    private long tickets;
    final Map<Long, QmgrOrder.Result> results = new TreeMap<>();

    private final QmgrTrace trace;

    Story(UnaryOperator<Settings> settings) {
        this(settings, QmgrTrace.SILENT);
    }

    Story(UnaryOperator<Settings> settings, QmgrTrace trace) {
        this.trace = trace;
        config = Settings.of(settings);
        restart();
    }

    Story() {
        this(s -> s);
    }

    /// A restart: only the queue index remains.
    void restart() {
        seating = config.plainSeating(new Random(1));
        manager = new QueueManager(config, seating, new Random(1), trace);
        answers.clear();
        unanswered.clear();
        connections.clear();
    }

    // ---- what happens

    /// A message for these recipients, committed and announced.
    QueueId queue(String... recipients) {
        return queue(row(recipients));
    }

    QueueId queue(Row row) {
        happens(new QmgrEvent.MessageQueued(row.summary()));
        return row.id;
    }

    /// A message in the queue index that was not announced.
    Row row(String... recipients) {
        Row row = new Row();
        row.id = new QueueId(index.size() + removed.size() + 1);
        row.createdMillis = now;
        row.nextMillis = now;
        row.recipients = recipients.length;
        for (String recipient : recipients) {
            row.open.put(row.open.size() + 1, new Recipient(row.open.size() + 1, Address.of(recipient)));
        }
        index.put(row.id, row);
        return row;
    }

    void happens(QmgrEvent event) {
        answers.add(event);
        while (!answers.isEmpty()) {
            manager.step(answers.poll(), now, this::order);
        }
    }

    /// The command that holds the message, as an operator gives it.
    static OperatorCommand hold(QueueId id) {
        return new OperatorCommand.OfMessage(id, new MessageOrder.Hold("", "operator"));
    }

    /// @return the ticket under which the answer is found in [#results]
    long command(OperatorCommand command) {
        happens(new QmgrEvent.Operator(command, ++tickets));
        return tickets;
    }

    void start() {
        happens(new QmgrEvent.Alarm());
    }

    /// Advances the time, with the alarms that were requested.
    void until(long millis) {
        for (int rings = 0; manager.nextAlarmMillis() <= millis; rings++) {
            if (rings > 100_000) {
                throw new AssertionError("the alarm rings without end at " + now);
            }
            now = Math.max(now, manager.nextAlarmMillis());
            happens(new QmgrEvent.Alarm());
        }
        now = millis;
    }

    void after(long millis) {
        until(now + millis);
    }

    // ---- holding answers back

    void withhold(Class<? extends QmgrOrder> kind) {
        withheld.add(kind);
    }

    /// Orders of this kind without an answer.
    <T extends QmgrOrder> List<T> waiting(Class<T> kind) {
        return unanswered.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    void answer(QmgrOrder order) {
        if (!unanswered.remove(order)) {
            throw new AssertionError("not waiting for an answer: " + order);
        }
        carryOut(order);
        happens(answers.poll());
    }

    /// Answers the oldest of this kind.
    void answerNext(Class<? extends QmgrOrder> kind) {
        answer(waiting(kind).getFirst());
    }

    /// Answers all of this kind that wait, and from now on at once.
    void answerAll(Class<? extends QmgrOrder> kind) {
        withheld.remove(kind);
        while (!waiting(kind).isEmpty()) {
            answerNext(kind);
        }
    }

    // ---- what is seen

    <T extends QmgrOrder> List<T> ordered(Class<T> kind) {
        return orders.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /// `message>domain` of each delivery, in order.
    List<String> deliveries() {
        return ordered(QmgrOrder.Deliver.class).stream().map(d -> d.id().value() + ">" + d.route().nextHop()).toList();
    }

    String why(QueueId id) {
        return about(id).why();
    }

    QmgrSnapshot.ActiveMessage about(QueueId id) {
        return manager.queries().about(id, now).orElseThrow();
    }

    Set<QueueId> active() {
        return manager.queries().snapshot(now).messages().stream().map(QmgrSnapshot.ActiveMessage::id)
                .collect(Collectors.toSet());
    }

    // ---- the environment

    private void order(QmgrOrder order) {
        orders.add(order);
        if (withheld.contains(order.getClass())) {
            unanswered.add(order);
        } else {
            carryOut(order);
        }
    }

    private void carryOut(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan scan -> scan(scan);
            case QmgrOrder.ReadRecipients read -> read(read);
            case QmgrOrder.FindRoute find -> answers.add(dnsFailures.containsKey(find.domain())
                    ? new QmgrEvent.RouteFailed(find.domain(), dnsFailures.get(find.domain()))
                    : new QmgrEvent.RouteKnown(find.domain(), routes.getOrDefault(find.domain(), smtp(find.domain()))));
            case QmgrOrder.Open open -> open(open);
            case QmgrOrder.Deliver deliver -> deliver(deliver);
            case QmgrOrder.Close close -> connections.remove(close.connection());
            case QmgrOrder.RecordOutcome record -> record(record);
            case QmgrOrder.Notify notify -> notify(notify);
            case QmgrOrder.Defer defer -> {
                index.get(defer.id()).putOff(defer.nextAttemptMillis());
                answers.add(new QmgrEvent.Filed(Optional.of(defer.id())));
            }
            case QmgrOrder.Remove remove -> {
                index.remove(remove.id());
                removed.put(remove.id(), remove.reason());
                answers.add(new QmgrEvent.Filed(Optional.of(remove.id())));
            }
            case QmgrOrder.SetHold hold -> {
                index.get(hold.id()).held = hold.held();
                index.get(hold.id()).putOff = true;
                index.get(hold.id()).nextMillis = Math.min(index.get(hold.id()).nextMillis, now);
                answers.add(new QmgrEvent.Filed(Optional.of(hold.id())));
            }
            case QmgrOrder.MakeDue due -> {
                index.values().stream().filter(row -> concerns(due, row))
                        .forEach(row -> row.nextMillis = due.nowMillis());
                answers.add(new QmgrEvent.Filed(due.id()));
            }
            case QmgrOrder.TakeUp takeUp -> {
                index.get(takeUp.id()).held = false;
                index.get(takeUp.id()).putOff(takeUp.nowMillis());
                answers.add(new QmgrEvent.Filed(Optional.of(takeUp.id())));
            }
            case QmgrOrder.Instruct instruct -> {
                instruct(instruct);
                answers.add(new QmgrEvent.Instructed(instruct.id(), instruct.ticket()));
            }
            case QmgrOrder.MoveOut move -> moveOut(move);
            case QmgrOrder.Answered answered -> answered(answered);
            case QmgrOrder.Verified _,QmgrOrder.LeaseOrder _ -> {
                // The test reads it among the orders.
            }
        }
    }

    private void moveOut(QmgrOrder.MoveOut move) {
        boolean takes = shardsTake && index.containsKey(move.id());
        if (takes) {
            Row row = index.remove(move.id());
            move.dueMillis().ifPresent(due -> row.nextMillis = due);
            moved.put(move.id(), row);
        }
        answers.add(new QmgrEvent.MovedOut(move.id(), takes));
    }

    private void instruct(QmgrOrder.Instruct instruct) {
        Row row = index.get(instruct.id());
        if (row == null) {
            return;
        }
        row.instructions = row.instructions.with(instruct.instruction());
        if (instruct.instruction() instanceof Instruction.Hold(Optional<Instruction.HoldNote> note)) {
            row.held = note.isPresent();
        }
        row.options = row.options.withPriority(row.instructions.priority().orElse(row.options.priority()));
    }

    private void answered(QmgrOrder.Answered answered) {
        if (answered.ticket() > tickets || results.put(answered.ticket(), answered.result()) != null) {
            throw new AssertionError("no such question: " + answered);
        }
    }

    private static boolean concerns(QmgrOrder.MakeDue due, Row row) {
        return due.id().map(row.id::equals).orElse(true) && due.domain()
                .map(d -> row.open.values().stream().anyMatch(r -> r.address().domainKey().equals(d))).orElse(true)
                && due.reply().map(reply -> row.open.keySet().stream().anyMatch(number -> row.last.containsKey(number)
                        && (row.last.get(number).reply().text().equals(reply)
                                || row.last.get(number).remote().equals(reply))))
                        .orElse(true);
    }

    private void scan(QmgrOrder.Scan scan) {
        List<Row> queue = index.values().stream()
                .filter(row -> row.queue() == scan.queue()).toList();
        queue.stream().filter(row -> !row.held && row.nextMillis > scan.furthestMillis()
                && row.options.holdUntilMillis().orElse(0) <= scan.furthestMillis())
                .forEach(row -> row.nextMillis = scan.furthestMillis());
        List<Row> due = queue.stream()
                .filter(row -> row.nextMillis <= scan.nowMillis()
                        && (!row.held || row.createdMillis < scan.createdBeforeMillis()))
                .sorted((a, b) -> Long.compare(a.nextMillis, b.nextMillis)).toList();
        List<Row> found = due.subList(0, Math.min(scan.limit(), due.size()));
        List<MessageSummary> summaries = found.stream().map(Row::summary).toList();
        found.forEach(row -> row.putOff(scan.leaseUntilMillis()));
        OptionalLong next = queue.stream().filter(row -> !found.contains(row) && !row.held)
                .mapToLong(row -> row.nextMillis).min();
        answers.add(new QmgrEvent.ScanDone(summaries, due.size() > found.size(), next));
    }

    private void read(QmgrOrder.ReadRecipients read) {
        List<Recipient> rest = index.get(read.id()).open.values().stream().filter(r -> r.number() > read.after())
                .toList();
        List<Recipient> batch = rest.subList(0, Math.min(read.limit(), rest.size()));
        answers.add(new QmgrEvent.RecipientsRead(read.id(), batch, batch.size() == rest.size(), !read.withReplies()
                ? List.of()
                : batch.stream().filter(r -> index.get(read.id()).last.containsKey(r.number()))
                        .map(r -> new RecipientOutcome(r.number(), index.get(read.id()).last.get(r.number())))
                        .toList(),
                batch.stream().filter(r -> read.sender().isPresent() && suppressed.contains(r.address().toString()))
                        .map(r -> RecipientOutcome.untried(r.number(), new Outcome.Failed(SUPPRESSED, "local"),
                                QueuePhase.Code.SUPPRESSED))
                        .toList()));
    }

    static Route smtp(String domain) {
        return new Route.Smtp(domain, List.of(new Route.Host("mx." + domain, 25, 10)));
    }

    private void open(QmgrOrder.Open open) {
        if (withoutSource.contains(open.route().nextHop())) {
            answers.add(new QmgrEvent.ConnectionFailed(open.connection(), NO_SOURCE, "local", true,
                    OptionalLong.empty(), Optional.of(QueuePhase.Code.SOURCE)));
            return;
        }
        Reply trouble = down.get(open.route().nextHop());
        if (trouble == null) {
            connections.put(open.connection(), open.route().nextHop());
            answers.add(new QmgrEvent.ConnectionReady(open.connection()));
        } else {
            answers.add(new QmgrEvent.ConnectionFailed(open.connection(), trouble, "mx." + open.route().nextHop()));
        }
    }

    private void deliver(QmgrOrder.Deliver deliver) {
        if (!connections.containsKey(deliver.connection())) {
            throw new AssertionError("no such connection: " + deliver);
        }
        List<RecipientOutcome> outcomes = deliver.recipients().stream()
                .map(r -> new RecipientOutcome(r.number(),
                        Outcome.of(reply(r.address()), "mx." + deliver.route().nextHop())))
                .toList();
        answers.add(new QmgrEvent.DeliveryDone(broken
                ? new DeliveryResult.OwnFailure(deliver.delivery().number(), deliver.connection(),
                        Reply.of(451, "4.3.0", "no sockets left"), DeliveryResult.Scope.TRANSPORT, true)
                : new DeliveryResult.Answered(deliver.delivery().number(), deliver.connection(), outcomes, true)));
    }

    private Reply reply(Address address) {
        return Stream.of(address.key(), address.domainKey()).filter(replies::containsKey).findFirst().map(replies::get)
                .orElse(OK);
    }

    private void record(QmgrOrder.RecordOutcome record) {
        Row row = index.get(record.id());
        row.attempts += record.attempt() ? 1 : 0;
        for (RecipientOutcome each : record.outcomes()) {
            row.last.put(each.number(), each.outcome());
            switch (each.outcome()) {
                case Outcome.Delivered _ -> row.open.remove(each.number());
                case Outcome.Deferred _ -> {
                    // It will be tried again.
                }
                case Outcome.Failed _ -> {
                    row.open.remove(each.number());
                    row.failed++;
                }
            }
        }
        answers.add(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
    }

    private void notify(QmgrOrder.Notify notify) {
        if (!reportsFail) {
            switch (notify.kind().about) {
                case FAILED -> index.get(notify.id()).failed = 0;
                case OPEN -> {
                    Row row = index.get(notify.id());
                    row.delayReports = Math.max(1, config.delayTimes().passed(row.createdMillis, now));
                }
                case DELIVERED, FAILED_AND_REPORTED -> {
                    // The message is removed next.
                }
            }
        }
        answers.add(new QmgrEvent.Notified(notify, !reportsFail));
    }
}
