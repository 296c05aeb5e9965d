package org.slipstream.spool;

import org.slipstream.core.Envelope;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.Note;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/// Not a test: how long after an outcome is known its note is written, so that a killed process does not send the letter again; by the
/// writer alone, and with [EarlyNotes]. Sessions commit letters of 4 KiB all the while, and each outcome comes up to 20 ms after its
/// letter. Arguments: directory, sessions, seconds.
final class OutcomeDelay implements Spools.Parts {
    private static final List<RecipientOutcome> DELIVERED = List.of(new RecipientOutcome(1,
            new Outcome.Delivered(Reply.of(250, "2.0.0", "taken"), "mx.example.net")));

    private final Map<QueueId, Long> known = new ConcurrentHashMap<>();
    private final Map<QueueId, Long> early = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<long[]> delays = new ConcurrentLinkedQueue<>();
    /// The writer thread's.
    private final List<Note> noted = new ArrayList<>();

    private OutcomeDelay() {}

    public static void main(String[] arguments) throws Exception {
        Path parent = arguments.length > 0 ? Path.of(arguments[0]) : Files.createTempDirectory("delay");
        int sessions = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
        int seconds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        new OutcomeDelay().run(parent.resolve("warm-up"), sessions, seconds);
        OutcomeDelay measured = new OutcomeDelay();
        measured.run(parent.resolve("measured"), sessions, seconds);
        System.out.println("written by              outcomes   p50 ms   p99 ms   worst");
        measured.print("the writer alone", 0);
        measured.print("whoever comes first", 1);
    }

    private void run(Path directory, int sessions, int seconds) throws Exception {
        Envelope envelope = Letters.envelope("bob@example.net");
        byte[] body = Letters.body(4096, 1);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        CountDownLatch running = new CountDownLatch(sessions);
        ScheduledExecutorService next = Executors.newSingleThreadScheduledExecutor();
        try (Spool spool = Spools.open(SpoolConfig.at(directory), System::currentTimeMillis, this)) {
            for (int i = 0; i < sessions; i++) {
                Thread.ofVirtual().start(() -> {
                    try {
                        while (System.nanoTime() < end) {
                            QueueId id = Letters.commit(spool, envelope, body).id();
                            next.schedule(() -> {
                                known.put(id, System.nanoTime());
                                spool.record(id, DELIVERED, () -> {});
                            }, ThreadLocalRandom.current().nextInt(20_000), TimeUnit.MICROSECONDS);
                        }
                    } catch (IOException e) {
                        e.printStackTrace();
                    } finally {
                        running.countDown();
                    }
                });
            }
            running.await();
            next.shutdown();
            next.awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    @Override
    public LetterBox box(SpoolConfig config) throws IOException {
        LetterBox real = Spools.Parts.super.box(config);
        return (LetterBox) Proxy.newProxyInstance(LetterBox.class.getClassLoader(), new Class<?>[]{LetterBox.class},
                (_, method, arguments) -> {
                    before(method.getName(), arguments);
                    try {
                        Object result = method.invoke(real, arguments);
                        after(method.getName(), arguments);
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /// The writer's notes are written at the beginning of the sync that follows.
    private void before(String call, Object[] arguments) {
        if (call.equals("note")) {
            noted.addAll(notes(arguments));
        } else if (call.equals("barrier")) {
            long now = System.nanoTime();
            for (Note note : noted) {
                Long since = known.remove(note.id());
                if (since != null) {
                    long first = Math.min(now, early.getOrDefault(note.id(), now));
                    delays.add(new long[]{now - since, first - since});
                }
            }
            noted.clear();
        }
    }

    private void after(String call, Object[] arguments) {
        if (call.equals("noteEarly")) {
            long now = System.nanoTime();
            notes(arguments).forEach(note -> early.put(note.id(), now));
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Note> notes(Object[] arguments) {
        return (List<Note>) arguments[0];
    }

    private void print(String who, int column) {
        long[] sorted = delays.stream().mapToLong(each -> each[column]).sorted().toArray();
        System.out.println(String.format(Locale.ROOT, "%-22s  %8d  %7.2f  %7.2f  %7.2f", who, sorted.length,
                sorted[sorted.length / 2] / 1e6, sorted[(int) (sorted.length * 0.99)] / 1e6,
                sorted[sorted.length - 1] / 1e6));
    }
}
