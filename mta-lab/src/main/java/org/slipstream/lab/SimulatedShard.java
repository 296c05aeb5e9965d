package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.SimulatedSpool.SpoolRow;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.qmgr.trace.QmgrSnapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// A shard of a simulated world: a queue manager with a spool and connections of its own. All shards
/// of a world share its clock and the servers that receive.
///
/// It delivers events to the queue manager, executes the orders, and checks both.
final class SimulatedShard {
    /// The world around a shard.
    interface ShardSurroundings {
        /// An event is delivered now.
        void happened(int shard, QmgrEvent event);

        void ordered(int shard, QmgrOrder order);

        /// The queue manager starts, perhaps again.
        void started(int shard);

        /// The shard was killed and is about to start again.
        void crashed(int shard);

        void move(int shard, QmgrOrder.MoveOut order);

        void lease(int shard, QmgrOrder.LeaseOrder order);

        /// The shard has learned about hosts.
        void learned(int shard, List<HostRow.Change> changes);

        /// A report to this sender was composed and enters the queue.
        void reported(Address sender, ReplyScript script);
    }

    final int number;
    final InvariantChecker invariants;
    final SimulatedSpool spool;
    final SimulatedNetwork network;
    ShardMode mode = ShardMode.NORMAL;
    private final Scenario scenario;
    private boolean leased;
    private final ShardCosts costs;
    private final EventList clock;
    private final RandomGenerator chance;
    private final WorldObserver observer;
    private final ShardSurroundings surroundings;
    private final List<QmgrEvent> arrived = new ArrayList<>();
    private DestDb hosts;
    private QueueManager queueManager;
    private Optional<QmgrEvent> last = Optional.empty();
    private boolean checksEveryState = true;
    private long alarmMillis;
    private boolean thinking;
    private long busySum;

    /// The parts of a world that its shards share.
    ///
    /// @param leased whether limits are leased, because there are several shards
    /// @param disks for the logs, in turn
    record SharedParts(Scenario scenario, boolean leased, ShardCosts costs, ReceivingSide receivers,
            ConnectionLimits limits, List<SimulatedStation> disks,
            EventList clock, RandomGenerator chance, WorldObserver observer) {}

    SimulatedShard(int number, SharedParts shared, ShardSurroundings surroundings) {
        this.number = number;
        this.scenario = shared.scenario();
        this.leased = shared.leased() || number > 1;
        this.costs = shared.costs();
        this.clock = shared.clock();
        this.chance = shared.chance();
        this.observer = shared.observer();
        this.surroundings = surroundings;
        this.invariants = new InvariantChecker(scenario.config(), scenario.placement());
        SimulatedStation disk = shared.disks().get((number - 1) % shared.disks().size());
        this.spool = new SimulatedSpool(clock, scenario.ownServer(),
                new SimulatedLog(clock, scenario.ownServer().writeMillis(), costs, disk), invariants);
        this.network = new SimulatedNetwork(scenario, shared.receivers(), clock, chance);
        invariants.attach(spool, network, shared.limits());
        start();
    }

    /// Before the first event of the world.
    void startAgainWith(QmgrConfig former) {
        start(former, QueueManagers.oneAtATime(former));
        queueManager.absorb(new QmgrEvent.SettingsChanged(new ChangedSettings(scenario.config(), scenario.placement())),
                clock.now(),
                order -> {
                    throw new AssertionError("without mail: " + order);
                });
    }

    private void start() {
        start(scenario.config(), scenario.placement());
    }

    private void start(QmgrConfig config, PlaceRules smtp) {
        hosts = new DestDb(smtp.memory());
        queueManager = QueueManagers.of(config, smtp, hosts, HostKeys.BY_NAME,
                scenario.seed(), observer, changes -> surroundings.learned(number, changes),
                leased ? Leases.shared() : Leases.whole());
        surroundings.started(number);
        alarmMillis = queueManager.nextAlarmMillis();
        thinking = false;
    }

    /// Kills the shard and starts it again on its spool. Its connections are cut.
    void crash() {
        arrived.clear();
        spool.crash();
        network.crash();
        invariants.crash();
        surroundings.crashed(number);
        start();
    }

    /// Other shards use the limits from now on, also after a crash.
    void share() {
        leased = true;
        post(new QmgrEvent.LimitsShared(Map.of()));
    }

    boolean isLeased() {
        return leased;
    }

    void withoutStateChecks() {
        checksEveryState = false;
    }

    void withoutTimes() {
        invariants.withoutTimes();
    }

    /// A message comes in. It is acknowledged when it is in the log.
    void arrive(SimulatedMail mail) {
        if (costs.groupsCommits()) {
            spool.log().write(() -> acknowledge(mail));
        } else {
            acknowledge(mail);
        }
    }

    private void acknowledge(SimulatedMail mail) {
        var summary = spool.commit(mail);
        invariants.accepted().acknowledged(mail);
        post(chance.nextDouble() < scenario.ownServer().arrivalsMissed()
                ? new QmgrEvent.ArrivalsMissed()
                : new QmgrEvent.MessageQueued(summary));
    }

    void post(QmgrEvent event) {
        arrived.add(event);
    }

    /// The time of the next alarm. A queue manager that has just started asks for an alarm in the
    /// past; time does not go back.
    long alarmMillis() {
        return thinking ? Long.MAX_VALUE : Math.max(clock.now(), alarmMillis);
    }

    /// All mail is removed or held, and nothing is under way.
    boolean isFinished() {
        return arrived.isEmpty() && spool.rows.values().stream().allMatch(row -> row.held) && queueManager.isQuiet()
                && snapshot().messages().isEmpty();
    }

    boolean isEmpty() {
        return spool.rows.isEmpty();
    }

    QueueQueries queries() {
        return queueManager.queries();
    }

    QmgrSnapshot snapshot() {
        return queries().snapshot(clock.now());
    }

    /// The load by which new mail is placed.
    ShardLoad load() {
        return load(1);
    }

    /// The load as the server computes it.
    ///
    /// @param shards that run: each has its share of the limits
    ShardLoad load(int shards) {
        var inUse = queueManager.queries().inUse();
        return new ShardLoad(number,
                new ConcurrencyInUse(inUse.local(), share("local", shards)),
                new ConcurrencyInUse(inUse.remote(), share("smtp", shards)), mode, isEmpty());
    }

    private int share(String transport, int shards) {
        return Math.ceilDiv(scenario.config().transport(transport).processLimit(), shards);
    }

    /// Delivers the events that have come, and executes the orders.
    void deliverEvents() {
        if (arrived.isEmpty() || thinking) {
            return;
        }
        List<QmgrEvent> batch = List.copyOf(arrived);
        arrived.clear();
        if (costs.perEvent() == 0) {
            deliver(batch);
            return;
        }
        thinking = true;
        clock.after(batch.size() * costs.perEvent(), unlessCrashed(() -> {
            thinking = false;
            busySum += batch.size() * costs.perEvent();
            deliver(batch);
        }));
    }

    private void deliver(List<QmgrEvent> batch) {
        observer.ofShard(number);
        List<QmgrOrder> orders = new ArrayList<>();
        for (QmgrEvent event : batch) {
            last = Optional.of(event);
            surroundings.happened(number, event);
            invariants.happened(event, clock.now());
            observer.happened(clock.now(), event);
            if (scenario.batching()) {
                queueManager.absorb(event, clock.now(), orders::add);
            } else {
                queueManager.step(event, clock.now(), orders::add);
            }
            carryOut(orders);
        }
        if (scenario.batching()) {
            observer.pumps(clock.now());
            queueManager.pump(clock.now(), orders::add);
            carryOut(orders);
        }
        if (checksEveryState) {
            invariants.check(snapshot(), clock.now());
            invariants.checkOverlooked(queueManager, clock.now());
        }
        alarmMillis = queueManager.nextAlarmMillis();
        observer.settled(clock.now(), hosts);
    }

    /// The time that the queue manager's thread was at work.
    long busySum() {
        return busySum;
    }

    private void carryOut(List<QmgrOrder> orders) {
        for (QmgrOrder order : orders) {
            surroundings.ordered(number, order);
            invariants.ordered(order, clock.now());
            observer.ordered(clock.now(), order);
            carryOut(order);
        }
        orders.clear();
    }

    private void carryOut(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan scan -> spool.scan(scan, this::post);
            case QmgrOrder.ReadRecipients read -> spool.read(read, this::post);
            case QmgrOrder.FindRoute find -> network.find(find, this::post);
            case QmgrOrder.Open open -> network.open(open, this::post);
            case QmgrOrder.Deliver deliver -> network.deliver(deliver, this::post);
            case QmgrOrder.Close close -> network.close(close, this::post);
            case QmgrOrder.RecordOutcome record -> spool.record(record, this::post);
            case QmgrOrder.Notify notify -> report(notify);
            case QmgrOrder.Defer defer -> spool.defer(defer, this::post);
            case QmgrOrder.Remove remove -> spool.remove(remove, this::post);
            case QmgrOrder.SetHold hold -> spool.hold(hold, this::post);
            case QmgrOrder.MakeDue due -> spool.makeDue(due, this::post);
            case QmgrOrder.TakeUp takeUp -> spool.takeUp(takeUp, this::post);
            case QmgrOrder.Instruct instruct -> spool.instruct(instruct, this::post);
            case QmgrOrder.MoveOut move -> surroundings.move(number, move);
            case QmgrOrder.LeaseOrder lease -> surroundings.lease(number, lease);
            case QmgrOrder.Answered _,QmgrOrder.Verified _ -> {
                // The invariants count these answers.
            }
        }
    }

    // A report is a message with the null sender. The report is in the spool before the answer is
    // sent.
    private void report(QmgrOrder.Notify notify) {
        if (chance.nextDouble() < scenario.ownServer().reportFailures()) {
            clock.after(scenario.ownServer().readMillis(),
                    unlessCrashed(() -> post(new QmgrEvent.Notified(notify, false))));
            return;
        }
        clock.after(scenario.ownServer().readMillis(), unlessCrashed(() -> {
            ReplyScript script = chance.nextDouble() < scenario.ownServer().reportsUnwanted()
                    ? new ReplyScript.Never()
                    : new ReplyScript.Welcome();
            var sender = spool.rows.get(notify.id()).mail.sender().orElseThrow();
            invariants.accepted().reported(notify.id());
            surroundings.reported(sender, script);
            spool.reported(notify, this::post);
        }));
    }

    // A task that began before a crash has no effect after it.
    private Runnable unlessCrashed(Runnable action) {
        QueueManager manager = queueManager;
        return () -> {
            if (queueManager == manager) {
                action.run();
            }
        };
    }

    /// Checks the state at the end of a run.
    void end() {
        invariants.end(queueManager, clock.now());
    }

    Optional<SpoolRow> row(QueueId id) {
        return Optional.ofNullable(spool.rows.get(id)).or(() -> Optional.ofNullable(spool.removed.get(id)));
    }

    /// The state of the queue manager, for the text of a failure.
    String describe() {
        QmgrSnapshot snapshot = snapshot();
        StringBuilder text = new StringBuilder("the last: " + last.map(Object::toString).orElse("none"));
        snapshot.messages().forEach(message -> text.append("\n  queue=").append(message.id()).append(" waiting=")
                .append(message.waiting()).append(" running=").append(message.running()).append(" why=")
                .append(message.why()));
        snapshot.destinations().forEach(each -> text.append("\n  to=").append(each.transport()).append('/')
                .append(each.nextHop()).append(" waiting=").append(each.waiting()).append(" running=")
                .append(each.running()).append(" connections=").append(each.lanes()));
        return text.toString();
    }

    Optional<QmgrEvent> last() {
        return last;
    }
}
