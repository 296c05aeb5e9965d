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
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.qmgr.sched.Choice;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Gate;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.sched.SchedTrace;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.sched.ServiceRules;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// Measures selections per second with 100, 10,000 and 100,000 jobs in the list.
///
/// Nine messages of ten are singles, the others have up to 2,000 entries; a hundred deliveries run
/// at once to a thousand destinations. One operation is one selection with all that belongs to it:
/// choose an entry, finish the one that has run longest, and when a message is done bring in
/// another of the same size. So the list keeps its length and its mixture: with sizes drawn again
/// singles would leave sooner than they come, the list would fill with large messages, and memory
/// would grow as long as the benchmark runs.
///
/// With `blocked` the same number of jobs stands in front and waits for one slow destination, at
/// which every fiftieth selection finds one delivery done: Postfix's search would step over these
/// jobs one by one.
///
/// Collector and object headers are those of the server (`./mta run`).
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 4)
@Measurement(iterations = 10, time = 8)
@Fork(value = 1, jvmArgsAppend = {"-XX:+UseParallelGC", "-XX:+UseCompactObjectHeaders", "-Xms2g", "-Xmx2g",
        "-XX:+AlwaysPreTouch"})
public class Selections {
    private static final int AGENTS = 100;
    private static final int DESTINATIONS = 1_000;
    private static final int MOST_ENTRIES = 2_100;

    /// The id of a message holds its size.
    private static final int SIZES = MOST_ENTRIES + 1;
    private static final Gate.GateAnswer<Boolean> FREE = new Gate.GateAnswer.Free<>(true);
    private static final Gate<Boolean> OPEN = (_, _) -> FREE;

    @Param({"100", "10000", "100000"})
    int jobs;

    @Param({"false", "true"})
    boolean blocked;

    private final List<Recipient> recipients = IntStream.rangeClosed(1, MOST_ENTRIES)
            .mapToObj(n -> new Recipient(n, Address.of("r" + n + "@example.org"), Optional.empty(), Set.of())).toList();
    private final List<Scheduler.PlacedRecipient> placements = new ArrayList<>();
    private final ArrayDeque<Entry> running = new ArrayDeque<>();
    private final ArrayDeque<Entry> runningSlowly = new ArrayDeque<>();
    private final List<DestinationQueue> lines = new ArrayList<>();
    private Random random;
    private Scheduler scheduler;
    private DestinationQueue slow;
    private long now;
    private long messages;

    @Setup(Level.Trial)
    public void fill() {
        random = new Random(1);
        ServiceRules rules = new ServiceRules(5, 3, 50, 3, 1, 20_000, 1_000, 100, 5_000);
        scheduler = new Scheduler(Integer.MAX_VALUE / 2, 10, 100_000, _ -> rules, OrderPolicy.PREEMPTIVE,
                new SchedTrace() {});
        for (int i = 0; i < DESTINATIONS; i++) {
            lines.add(line("d" + i));
        }
        slow = line("slow");
        for (int i = 0; i < (blocked ? jobs : 0); i++) {
            single(slow);
        }
        for (int i = 0; i < jobs; i++) {
            arrive(random.nextInt(10) > 0 ? 1 : 2 + (int) Math.pow(2_000, random.nextDouble()));
        }
    }

    private DestinationQueue line(String name) {
        DestinationQueue line = scheduler.queue(new Route.Smtp(name, List.of(new Route.Host(name + ".example", 25, 0))),
                name);
        scheduler.allow(line, 20);
        return line;
    }

    private void single(DestinationQueue line) {
        placements.clear();
        placements.add(new Scheduler.PlacedRecipient(recipients.getFirst(), line));
        take(1);
    }

    private void arrive(int size) {
        int start = random.nextInt(DESTINATIONS);
        placements.clear();
        for (int i = 0; i < size; i++) {
            placements
                    .add(new Scheduler.PlacedRecipient(recipients.get(i), lines.get((start + i % 20) % DESTINATIONS)));
        }
        take(size);
    }

    private void take(int size) {
        Message message = scheduler.admit(new QueueId(++messages * SIZES + size), now, size, size);
        scheduler.nextRead();
        scheduler.batchRead(message, recipients.subList(0, size), true, now);
        scheduler.place(message, placements);
    }

    @Benchmark
    public Entry select() {
        if (!(scheduler.choose(OPEN, now) instanceof Choice.Taken(Entry entry, _))) {
            throw new IllegalStateException("nothing to select");
        }
        (entry.queue() == slow ? runningSlowly : running).add(entry);
        if (!runningSlowly.isEmpty() && now % 50 == 0) {
            finish(runningSlowly.poll());
        }
        if (running.size() > AGENTS) {
            finish(running.poll());
        }
        now++;
        return entry;
    }

    private void finish(Entry done) {
        scheduler.finished(done);
        scheduler.mayGo(done.queue(), false);
        if (done.message().isExhausted()) {
            scheduler.forget(done.message());
            if (done.queue() == slow) {
                single(slow);
            } else {
                arrive((int) (done.message().id().value() % SIZES));
            }
        }
    }
}
