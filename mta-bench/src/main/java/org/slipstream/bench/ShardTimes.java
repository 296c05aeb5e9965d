package org.slipstream.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.LeaseBroker;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseMessage;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardRules;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/// Measures the costs that only a server with several shards has: the choice of the shard of a new
/// message, and the exchange of lanes.
///
/// [#place] is paid once for each message. An exchange is paid when a shard lacks a lane, and not for
/// each delivery. [#askAndReturn] is a shard that gets a free lane of a destination and returns it.
/// [#askAndRecall] has no free lane: another shard is asked for one, and it returns that at once.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 10, time = 2)
@Fork(value = 1, jvmArgsAppend = {"-XX:+UseParallelGC", "-XX:+UseCompactObjectHeaders", "-Xms1g", "-Xmx1g"})
public class ShardTimes {
    private static final int LANES = 100;
    private static final int DESTINATIONS = 1_000;

    @Param({"2", "8", "64"})
    int shards;

    private final List<LimitKey> keys = new ArrayList<>();
    private final List<ShardLoad> loads = new ArrayList<>();
    private final Deque<LeaseMessage> toShards = new ArrayDeque<>();
    private Random random;
    private LeaseBroker free;
    private LeaseBroker full;
    private long next;

    @Setup(Level.Trial)
    public void fill() {
        random = new Random(1);
        free = new LeaseBroker();
        full = new LeaseBroker();
        for (int shard = 1; shard <= shards; shard++) {
            loads.add(new ShardLoad(shard, new ConcurrencyInUse(random.nextInt(10), 10),
                    new ConcurrencyInUse(random.nextInt(LANES), LANES), ShardLoad.ShardMode.NORMAL, false));
            free.join(shard);
            full.join(shard);
        }
        for (int i = 0; i < DESTINATIONS; i++) {
            keys.add(LimitKey.destination("smtp/d" + i + ".example"));
            full.ask(1, new QmgrOrder.AskLease(keys.getLast(), LANES, LANES));
        }
    }

    /// The least loaded shard, and a draw among equals.
    @Benchmark
    public Object place() {
        return new ShardRules(ShardRules.Growth.DYNAMIC, shards, 90).place(loads, random);
    }

    /// A fixed number of shards: a draw.
    @Benchmark
    public Object placeStatic() {
        return new ShardRules(ShardRules.Growth.STATIC, shards, 90).place(loads, random);
    }

    @Benchmark
    public Object askAndReturn() {
        LimitKey key = keys.get((int) (next++ % DESTINATIONS));
        int shard = 1 + (int) (next % shards);
        List<LeaseMessage> granted = free.ask(shard, new QmgrOrder.AskLease(key, LANES, 1));
        if (granted.isEmpty()) {
            throw new IllegalStateException("no lane was free");
        }
        return free.returned(shard, new QmgrOrder.ReturnLease(key, 1));
    }

    /// Every lane of the destination is held, so each grant follows a return.
    @Benchmark
    public int askAndRecall() {
        LimitKey key = keys.get((int) (next++ % DESTINATIONS));
        toShards.addAll(full.ask(1 + (int) (next % shards), new QmgrOrder.AskLease(key, LANES, LANES / shards)));
        int grants = 0;
        for (LeaseMessage message = toShards.poll(); message != null; message = toShards.poll()) {
            switch (message.event()) {
                case QmgrEvent.LeaseGranted _ -> grants++;
                case QmgrEvent.LeaseRecalled recalled when recalled.lanes() > 0 ->
                    toShards.addAll(full.returned(message.shard(),
                            new QmgrOrder.ReturnLease(recalled.key(), recalled.lanes())));
                case QmgrEvent.LeaseRecalled _ -> {
                    // Only lanes that are not needed.
                }
            }
        }
        return grants;
    }
}
