package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.lab.ShardPlan.ShardAction;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.qmgr.shard.ShardRules.CountChange;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

/// The shards of a simulated world, with the server's rules of placement.
final class SimulatedShards {
    private static final long DRAIN_MILLIS = 10_000;

    private final ShardPlan plan;
    private final EventList clock;
    private final IntFunction<SimulatedShard> maker;
    private final IntConsumer gone;
    private final RandomGenerator lots;
    private final Map<Integer, SimulatedShard> running = new TreeMap<>();
    private final SimulatedMover mover = new SimulatedMover(this::target);
    private long tickets;
    /// Shards that begin when the first one shares its limits.
    private int dividing;

    /// Running and removed ones: removed ones have the records of their mail.
    private final List<SimulatedShard> all = new ArrayList<>();

    /// @param maker of the shard with a number
    /// @param gone called when the shard with a number was removed
    SimulatedShards(ShardPlan plan, EventList clock, long seed, IntFunction<SimulatedShard> maker,
            IntConsumer gone) {
        this.gone = gone;
        this.plan = plan;
        this.clock = clock;
        this.maker = maker;
        // A generator of its own, so that the placement changes no other random number.
        this.lots = new Random(seed);
        for (int i = 0; i < plan.shards(); i++) {
            add();
        }
        plan.actions().forEach(action -> clock.at(action.atMillis(), () -> carryOut(action)));
    }

    private void carryOut(ShardAction action) {
        switch (action) {
            case ShardAction.Kill(long _, int shard) -> open(shard).crash();
            case ShardAction.SetMode(long _, int shard, ShardMode mode) -> {
                SimulatedShard set = open(shard);
                if ((set.mode == ShardMode.HELD) != (mode == ShardMode.HELD)) {
                    set.post(new QmgrEvent.ShardHeld(shard, mode == ShardMode.HELD));
                }
                set.mode = mode;
                drain(set);
            }
            case ShardAction.Add _ -> divideOrAdd();
            case ShardAction.Follow _ -> follow();
            case ShardAction.Remove(long _, int shard) -> remove(shard);
        }
    }

    private SimulatedShard open(int number) {
        return Optional.ofNullable(running.get(number))
                .orElseThrow(() -> new AssertionError("an order for shard " + number + ", which is not open"));
    }

    /// Looks at the loads again and again, until all mail is done and the number of shards stays.
    ///
    /// @param lastArrivalMillis after which no mail comes
    void follow(long everyMillis, long lastArrivalMillis) {
        clock.after(everyMillis, () -> {
            int before = running.size();
            boolean idle = areFinished() && clock.now() > lastArrivalMillis;
            follow();
            if (!idle || running.size() != before) {
                follow(everyMillis, lastArrivalMillis);
            }
        });
    }

    private void follow() {
        follow(plan.rules().change(running.values().stream().map(shard -> shard.load(running.size())).toList()));
    }

    private void follow(CountChange change) {
        switch (change) {
            case CountChange.Add _ -> divideOrAdd();
            case CountChange.Remove(List<Integer> numbers) ->
                numbers.stream().filter(each -> running.get(each).isFinished()).forEach(this::remove);
            case CountChange.None _,CountChange.Kept _ -> {
                // The number stays.
            }
        }
    }

    // The next shard begins when the only one has told which lanes it uses.
    private void divideOrAdd() {
        if (first().isLeased() && dividing == 0) {
            add();
        } else if (dividing++ == 0) {
            first().share();
        }
    }

    void divided() {
        for (; dividing > 0; dividing--) {
            add();
        }
    }

    SimulatedShard add() {
        SimulatedShard shard = maker.apply(running.keySet().stream().mapToInt(n -> n).max().orElse(0) + 1);
        running.put(shard.number, shard);
        all.add(shard);
        return shard;
    }

    // Mail that could not move is asked to move again.
    private void drain(SimulatedShard shard) {
        if (shard.mode != ShardMode.DRAINED || shard.isEmpty()) {
            return;
        }
        shard.spool.rows.keySet().forEach(
                id -> shard.post(new QmgrEvent.Operator(new OperatorCommand.OfMessage(id, new MessageOrder.Move()),
                        ++tickets)));
        clock.after(DRAIN_MILLIS, () -> drain(shard));
    }

    void move(int source, QmgrOrder.MoveOut order) {
        mover.move(running.get(source), order);
    }

    void crashed(int number) {
        // It holds nothing when it starts again, with leases.
        divided();
        mover.restarted(running.get(number));
    }

    private void remove(int number) {
        SimulatedShard shard = running.get(number);
        if (!shard.isFinished()) {
            throw new AssertionError("removed with mail: shard " + number);
        }
        running.remove(number);
        shard.network.crash();
        gone.accept(number);
    }

    /// An event for a shard that may be gone.
    void post(int number, QmgrEvent event) {
        Optional.ofNullable(running.get(number)).ifPresent(shard -> shard.post(event));
    }

    /// The knowledge of one shard about hosts goes to all others.
    void learned(int source, List<HostRow.Change> changes) {
        running.values().stream().filter(shard -> shard.number != source)
                .forEach(shard -> shard.post(new QmgrEvent.HostsLearned(changes)));
    }

    void withoutStateChecks() {
        all.forEach(SimulatedShard::withoutStateChecks);
    }

    SimulatedShard first() {
        return all.getFirst();
    }

    Collection<SimulatedShard> running() {
        return running.values();
    }

    List<SimulatedShard> all() {
        return all;
    }

    /// The shard that takes the next message.
    SimulatedShard place() {
        return running.size() == 1 ? running.values().iterator().next() : place(running.values()).orElseThrow();
    }

    private Optional<SimulatedShard> place(Collection<SimulatedShard> among) {
        return plan.rules().place(among.stream().map(SimulatedShard::load).toList(), lots).map(running::get);
    }

    // For mail that leaves another shard.
    private Optional<SimulatedShard> target(SimulatedShard source) {
        return place(running.values().stream().filter(shard -> shard != source).toList());
    }

    /// The shard in whose spool the message is.
    Optional<SimulatedShard> holder(QueueId id) {
        return running.values().stream().filter(shard -> shard.spool.rows.containsKey(id)).findFirst();
    }

    /// A command for one message goes to its shard, any other command to all shards.
    void command(OperatorCommand command) {
        Optional<QueueId> id = command instanceof OperatorCommand.OfMessage(QueueId named, _)
                ? Optional.of(named)
                : Optional.empty();
        Collection<SimulatedShard> concerned = id.isPresent()
                ? List.of(id.flatMap(this::holder).orElseGet(this::first))
                : running.values();
        concerned.forEach(shard -> shard.post(new QmgrEvent.Operator(command, ++tickets)));
    }

    boolean areFinished() {
        return running.values().stream().allMatch(SimulatedShard::isFinished);
    }

    /// The time of the earliest alarm.
    long alarmMillis() {
        return running.values().stream().mapToLong(SimulatedShard::alarmMillis).min().orElse(Long.MAX_VALUE);
    }

    /// The alarms of this time.
    void alarm(long millis) {
        if (millis == Long.MAX_VALUE) {
            throw new AssertionError("messages wait and no event is scheduled: "
                    + all.stream().map(shard -> shard.spool.rows.keySet()).toList());
        }
        List<SimulatedShard> due = running.values().stream().filter(shard -> shard.alarmMillis() <= millis).toList();
        clock.advance(millis);
        due.forEach(shard -> shard.post(new QmgrEvent.Alarm()));
    }

    void deliverEvents() {
        running.values().forEach(SimulatedShard::deliverEvents);
    }

    void end() {
        all.forEach(SimulatedShard::end);
    }

    /// The state of the queue managers, for the text of a failure.
    String describe() {
        return all.size() == 1
                ? first().describe()
                : all.stream().map(shard -> "shard=" + shard.number + " " + shard.describe())
                        .reduce("", (one, other) -> one + "\n" + other);
    }
}
