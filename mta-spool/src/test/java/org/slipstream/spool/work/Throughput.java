package org.slipstream.spool.work;

import com.sun.management.OperatingSystemMXBean;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// Not a test: prints how many 4 KiB messages per second are committed at 1, 16 and 100 sessions,
/// and how many are committed, get an outcome and are removed, as mail that is delivered at once;
/// with the processor time of the whole process per message. Arguments: directory, seconds per
/// line.
///
/// `mvn -o -q -pl mta-spool test-compile exec:exec -Dexec.executable=java -Dexec.args="-cp
/// %classpath org.slipstream.spool.work.Throughput"`
final class Throughput {
    private static final List<RecipientOutcome> DELIVERED = List.of(new RecipientOutcome(1,
            new Outcome.Delivered(Reply.of(250, "2.0.0", "taken"), "mx.example.net")));

    private Throughput() {}

    public static void main(String[] arguments) throws Exception {
        Path parent = arguments.length > 0 ? Path.of(arguments[0]) : Files.createTempDirectory("throughput");
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        System.out.println("sessions  delivered messages/s   p50 ms   p99 ms CPU ms/message");
        run(parent.resolve("warm-up"), 16, true, 2);
        for (boolean removing : new boolean[]{false, true}) {
            for (int sessions : new int[]{1, 16, 100}) {
                System.out.println(run(parent.resolve(sessions + "-" + removing), sessions, removing, seconds));
            }
        }
    }

    private static String run(Path directory, int sessions, boolean removing, int seconds) throws Exception {
        byte[] body = TestMessages.body(4096, 1);
        Envelope envelope = TestMessages.envelope("bob@example.net");
        AtomicLong messages = new AtomicLong();
        ConcurrentLinkedQueue<long[]> latencies = new ConcurrentLinkedQueue<>();
        long cpuBefore = cpuNanos();
        try (Spool spool = Spools.open(SpoolConfig.at(directory), System::currentTimeMillis)) {
            long end = System.nanoTime() + seconds * 1_000_000_000L;
            CountDownLatch running = new CountDownLatch(sessions);
            for (int i = 0; i < sessions; i++) {
                Thread.ofVirtual().start(() -> {
                    long[] mine = new long[1 << 20];
                    int count = 0;
                    try {
                        for (long now = System.nanoTime(); now < end;) {
                            QueueId id = commit(spool, envelope, body);
                            if (removing) {
                                spool.record(id, DELIVERED, () -> spool.remove(id, () -> {}));
                            }
                            long after = System.nanoTime();
                            mine[count++ & mine.length - 1] = after - now;
                            now = after;
                        }
                    } catch (Exception e) {
                        e.printStackTrace();
                    }
                    messages.addAndGet(count);
                    latencies.add(java.util.Arrays.copyOf(mine, Math.min(count, mine.length)));
                    running.countDown();
                });
            }
            running.await();
        }
        long[] all = latencies.stream().flatMapToLong(java.util.Arrays::stream).sorted().toArray();
        return String.format(Locale.ROOT, "%8d  %9s  %9d  %7.2f  %7.2f  %13.3f", sessions, removing ? "yes" : "no",
                messages.get() / seconds, all[all.length / 2] / 1e6, all[(int) (all.length * 0.99)] / 1e6,
                (cpuNanos() - cpuBefore) / 1e6 / messages.get());
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static QueueId commit(Spool spool, Envelope envelope, byte[] body) throws Exception {
        try (Draft draft = spool.draft()) {
            draft.write(body, 0, body.length);
            return draft.commit(envelope).id();
        }
    }
}
