package org.slipstream.spool.work;

import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// Fills the spool of a stopped server with deferred mail through the ordinary commit, for
/// measurements with a long queue.
///
/// It stands beside the spool's tests, which use it, too. The test kit knows no module of the
/// program, because the tests of all modules depend on the kit.
///
/// `java -cp 'mta-spool/target/test-classes:mta-dist/target/slipstream/lib/*'
/// org.slipstream.spool.work.FillQueue DIRECTORY MESSAGES [BYTES [DUE-IN-SECONDS]]`
public final class FillQueue {
    private static final int SESSIONS = 256;
    private static final int ANSWERS_OUTSTANDING = 20_000;
    private static final List<RecipientOutcome> BUSY = List.of(new RecipientOutcome(1,
            Outcome.of(Reply.of(451, "4.3.2", "busy, come again"), "mx.example.net[192.0.2.1]:25")));

    private FillQueue() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        long messages = Long.parseLong(arguments[1]);
        byte[] body = body(arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1024);
        long dueMillis = System.currentTimeMillis()
                + 1000 * (arguments.length > 3 ? Long.parseLong(arguments[3]) : 86_400);
        long begin = System.nanoTime();
        try (Spool spool = Spools.open(SpoolConfig.at(directory), System::currentTimeMillis)) {
            fill(spool, messages, body, dueMillis);
        }
        System.out.printf("filled=%d seconds=%.1f%n", messages, (System.nanoTime() - begin) / 1e9);
    }

    private static byte[] body(int size) {
        byte[] body = new byte[size];
        Arrays.fill(body, (byte) 'x');
        byte[] header = "Subject: one of many\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(header, 0, body, 0, Math.min(size, header.length));
        return body;
    }

    static void fill(Spool spool, long messages, byte[] body, long dueMillis) throws InterruptedException {
        AtomicLong next = new AtomicLong();
        Semaphore answers = new Semaphore(ANSWERS_OUTSTANDING);
        List<Thread> sessions = java.util.stream.IntStream.range(0, SESSIONS)
                .mapToObj(_ -> Thread.ofVirtual().start(() -> {
                    for (long n = next.getAndIncrement(); n < messages; n = next.getAndIncrement()) {
                        answers.acquireUninterruptibly();
                        QueueId id = commit(spool, n, body);
                        spool.record(id, BUSY, () -> {});
                        spool.defer(id, dueMillis + n % 3600, answers::release);
                    }
                })).toList();
        for (Thread session : sessions) {
            session.join();
        }
        answers.acquire(ANSWERS_OUTSTANDING);
    }

    private static QueueId commit(Spool spool, long n, byte[] body) {
        Envelope envelope = Envelope.of(Optional.of(Address.of("ann@example.org")),
                List.of(Address.of("user" + n + "@d" + n % 1000 + ".example.net")));
        try (Draft draft = spool.draft()) {
            draft.write(body, 0, body.length);
            return draft.commit(envelope).id();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
