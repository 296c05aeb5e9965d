package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// How many selections a second, with 100, 10,000 and 100,000 jobs in the list? Not a test.
///
/// ```
/// mvn -q -Pselections -pl mta-core,mta-qmgr test -DskipTests
/// ```
///
/// Nine messages of ten are singles, the others have up to 2,000 entries; a hundred deliveries run at once to a thousand
/// destinations. One selection is: choose an entry, finish the one that has run longest, and bring in a new message for each
/// that is done, so that the list keeps its length. The time of all that is counted. With the argument `blocked` as many jobs more stand
/// in front and wait for one slow destination, at which every fiftieth selection finds one delivery done.
public final class SelectionBenchmark {
    private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 400_000;
    private static final int MEASURED = 2_000_000;
    private static final int AGENTS = 100;

    private final Random random = new Random(1);
    private final Scheduler scheduler;
    private final List<Line> lines = new ArrayList<>();
    private final ArrayDeque<Entry> running = new ArrayDeque<>();
    private final List<Scheduler.Placement> placements = new ArrayList<>();
    private long now;
    private long messages;

    /// A destination that takes little: its mail stands at the head of the list and cannot go.
    private final Line slow;
    private final ArrayDeque<Entry> slowRunning = new ArrayDeque<>();

    private SelectionBenchmark(int jobs, int blocked, boolean plain) {
        ServiceRules rules = new ServiceRules(5, 3, 50, 3, 1, 20_000, 1_000, 100, 5_000);
        scheduler = new Scheduler(Integer.MAX_VALUE / 2, 10, 100_000, _ -> rules, OrderPolicy.PREEMPTIVE,
                new SchedTrace() {},
                plain ? PlainSearch::new : SizeSearch::new, true);
        for (int i = 0; i < 1_000; i++) {
            Line line = scheduler.line(Counter.smtp("d" + i), "d" + i);
            scheduler.allow(line, 20);
            lines.add(line);
        }
        slow = scheduler.line(Counter.smtp("slow"), "slow");
        scheduler.allow(slow, 20);
        for (int i = 0; i < blocked; i++) {
            arriveSlow();
        }
        for (int i = 0; i < jobs; i++) {
            arrive();
        }
    }

    private void arriveSlow() {
        Message message = scheduler.admit(new QueueId(++messages), now, 1, 1);
        scheduler.nextRead();
        scheduler.batchRead(message, RECIPIENTS.subList(0, 1), true, now);
        scheduler.place(message, List.of(new Scheduler.Placement(RECIPIENTS.getFirst(), slow)));
    }

    private void arrive() {
        int size = random.nextInt(10) > 0 ? 1 : 2 + (int) Math.pow(2_000, random.nextDouble());
        Message message = scheduler.admit(new QueueId(++messages), now, size, size);
        scheduler.nextRead();
        var recipients = RECIPIENTS.subList(0, size);
        scheduler.batchRead(message, recipients, true, now);
        placements.clear();
        int start = random.nextInt(1_000);
        for (int i = 0; i < size; i++) {
            placements.add(new Scheduler.Placement(recipients.get(i), lines.get((start + i % 20) % 1_000)));
        }
        scheduler.place(message, placements);
    }

    private static final List<org.slipstream.core.Recipient> RECIPIENTS = Counter.recipients(1, 2_100);

    private void run(int selections) {
        for (int i = 0; i < selections; i++) {
            if (!(scheduler.choose(Counter.OPEN, now) instanceof Scheduler.Choice.Taken(Entry entry))) {
                throw new IllegalStateException("nothing to select");
            }
            if (entry.line() == slow) {
                slowRunning.add(entry);
            } else {
                running.add(entry);
            }
            if (!slowRunning.isEmpty() && i % 50 == 0) {
                Entry done = slowRunning.poll();
                scheduler.finished(done);
                scheduler.mayGo(slow, false);
                scheduler.forget(done.message());
                arriveSlow();
            }
            if (running.size() > AGENTS) {
                Entry done = running.poll();
                scheduler.finished(done);
                scheduler.mayGo(done.line(), false);
                if (done.message().isExhausted()) {
                    scheduler.forget(done.message());
                    arrive();
                }
            }
            now++;
        }
    }

    public static void main(String[] arguments) {
        boolean plain = List.of(arguments).contains("plain");
        boolean blocked = List.of(arguments).contains("blocked");
        for (int jobs : new int[]{100, 10_000, 100_000}) {
            Runtime.getRuntime().gc();
            SelectionBenchmark benchmark = new SelectionBenchmark(jobs, blocked ? jobs : 0, plain);
            benchmark.run(WARM_UP);
            // The thread's own time: the machine may be busy with other things.
            long start = THREAD.getCurrentThreadCpuTime();
            benchmark.run(MEASURED);
            long nanos = THREAD.getCurrentThreadCpuTime() - start;
            System.out.printf("%,9d jobs  %,12d selections/s%n", jobs, MEASURED * 1_000_000_000L / nanos);
        }
    }
}
