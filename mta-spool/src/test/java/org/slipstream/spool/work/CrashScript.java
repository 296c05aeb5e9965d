package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThatCode;

/// A day of a small server in a few dozen messages, and the promises with their moments.
///
/// Each promise is written down with two moments of the [DiskLog]: when it was *asked* for (before
/// that, nothing of it can be on the disk) and when it was *answered* (from then on, all of it must
/// be). Between the two both are correct. So one run defines the expected state at each of its
/// moments, and [#check] compares a spool that was opened from an image with it.
final class CrashScript {
    private static final int NEVER = Integer.MAX_VALUE;
    private static final Outcome TAKEN = outcome(250, "2.0.0");
    private static final Outcome BUSY = outcome(451, "4.3.2");
    private static final Outcome REFUSED = outcome(550, "5.1.1");

    /// @param answered NEVER while it is not
    private static final class Span {
        final int asked;
        volatile int answered = NEVER;

        Span(int asked) {
            this.asked = asked;
        }
    }

    /// One message with all its promises.
    private static final class Mail {
        final QueueId id;
        final Envelope envelope;
        final byte[] body;
        final Span commit;
        volatile int refused = NEVER;
        Optional<Span> removal = Optional.empty();
        Optional<Span> finished = Optional.empty();
        Optional<Mail> report = Optional.empty();
        final Map<Integer, Span> delivered = new HashMap<>();
        final Map<Integer, Span> failed = new HashMap<>();
        final List<Map.Entry<Boolean, Span>> holds = new ArrayList<>();

        Mail(QueueId id, Envelope envelope, byte[] body, Span commit) {
            this.id = id;
            this.envelope = envelope;
            this.body = body;
            this.commit = commit;
        }
    }

    private final CrashWorld world;
    private final DiskLog log;
    private final Random random;
    private final List<Mail> mails = new ArrayList<>();

    CrashScript(CrashWorld world, long seed) {
        this.world = world;
        log = world.log;
        random = new Random(seed);
    }

    private static Outcome outcome(int code, String status) {
        return Outcome.of(Reply.of(code, status, "so it is"), "mx.example.net");
    }

    int messages() {
        return mails.size();
    }

    Set<String> refused() {
        return mails.stream().filter(mail -> mail.refused != NEVER).map(mail -> mail.id.toString())
                .collect(java.util.stream.Collectors.toSet());
    }

    /// Three runs of the server, with an orderly stop between them.
    void run() throws Exception {
        try (Spool spool = world.open()) {
            List<Mail> kept = keepers(spool);
            hosts(spool);
            burst(spool);
            for (int i = 0; i < 12; i++) {
                passing(spool);
            }
            aFullDisk(spool, kept.get(0));
            anIndexThatFails(spool);
        }
        try (Spool spool = world.open()) {
            Mail later = mails.get(2);
            record(spool, later, 1, TAKEN);
            lease(spool);
            for (int i = 0; i < 30; i++) {
                passing(spool);
            }
            hold(spool, mails.get(1), false);
        }
        try (Spool spool = world.open()) {
            for (int i = 0; i < 6; i++) {
                passing(spool);
            }
            remove(spool, mails.get(4));
            spool.forgetHost("192.0.2.1", "host");
            burst(spool);
        }
    }

    /// Messages that stay for long: untried, held, tried in part, failed and reported, large.
    private List<Mail> keepers(Spool spool) throws IOException {
        List<Mail> kept = List.of(commit(spool, 3, 700), commit(spool, 1, 300), commit(spool, 2, 12_000),
                commit(spool, 4, 900), commit(spool, 1, 8_000), commit(spool, 1, 1));
        record(spool, kept.get(0), 2, TAKEN);
        hold(spool, kept.get(1), true);
        record(spool, kept.get(2), 1, BUSY);
        record(spool, kept.get(3), 1, REFUSED);
        record(spool, kept.get(3), 2, BUSY);
        record(spool, kept.get(3), 3, TAKEN);
        report(spool, kept.get(3));
        TestMessages.done(then -> spool.defer(kept.get(3).id, world.clock.millis() + 1_000, then));
        TestMessages.done(then -> spool.delayReported(kept.get(2).id, 1, then));
        return kept;
    }

    private void hosts(Spool spool) {
        spool.keepHost(new HostRecord("192.0.2.1", "host", "mx1.example.net", 1, 2, 3, "busy", ""));
        spool.keepHost(new HostRecord("192.0.2.2", "host", "mx2.example.net", 1, 2, 3, "down", ""));
    }

    private void lease(Spool spool) {
        TestMessages.claim(spool, world.clock.millis() + 10_000, 3, world.clock.millis() + 60_000);
        TestMessages
                .done(then -> spool.makeDue(Optional.empty(), Optional.of("example.net"), world.clock.millis(), then));
    }

    /// Several sessions at once: their messages share a group.
    private void burst(Spool spool) throws Exception {
        CountDownLatch done = new CountDownLatch(6);
        List<Mail> burst = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Envelope envelope = envelope(1 + i % 2);
            byte[] body = body(200 + 100 * i);
            Thread.ofVirtual().start(() -> {
                try {
                    Mail mail = commit(spool, envelope, body);
                    synchronized (burst) {
                        burst.add(mail);
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                } finally {
                    done.countDown();
                }
            });
        }
        done.await(90, TimeUnit.SECONDS);
        burst.forEach(mail -> finish(spool, mail, false));
        burst.forEach(mail -> finish(spool, mail, true));
    }

    /// Messages that are delivered at once, and some that are not.
    private void passing(Spool spool) throws IOException {
        world.clock.advanceMillis(1_000);
        if (random.nextInt(3) == 0) {
            // A reader brings the index up to the log.
            readerComes(spool);
        }
        Mail mail = commit(spool, 1 + random.nextInt(2), random.nextInt(8) == 0 ? 6_000 : 1 + random.nextInt(1_800));
        switch (random.nextInt(8)) {
            case 0 -> record(spool, mail, 1, BUSY);
            case 1 -> remove(spool, mail);
            default -> {
                finish(spool, mail, false);
                finish(spool, mail, true);
            }
        }
    }

    private void readerComes(Spool spool) throws IOException {
        try {
            spool.counts();
        } catch (IOException e) {
            if (!log.isFailing()) {
                throw e;
            }
        }
    }

    /// Every recipient has got it; then the queue manager orders its removal.
    private void finish(Spool spool, Mail mail, boolean removal) {
        if (removal) {
            remove(spool, mail);
            return;
        }
        Span span = new Span(log.now());
        List<RecipientOutcome> all = new ArrayList<>();
        mail.envelope.recipients().forEach(each -> {
            mail.delivered.put(each.number(), span);
            all.add(new RecipientOutcome(each.number(), TAKEN));
        });
        mail.finished = Optional.of(span);
        TestMessages.done(then -> spool.record(mail.id, all, answered(span, then)));
    }

    private void aFullDisk(Spool spool, Mail kept) {
        log.fail(Optional.of("segment"));
        refused(spool);
        Span span = new Span(log.now());
        kept.delivered.put(1, span);
        CountDownLatch recorded = new CountDownLatch(1);
        spool.record(kept.id, List.of(new RecipientOutcome(1, TAKEN)), answered(span, recorded::countDown));
        refused(spool);
        log.fail(Optional.empty());
        world.clock.advanceMillis(1_000);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> recorded.getCount() == 0);
        comesAgain(spool);
    }

    /// Mail continues without the index.
    private void anIndexThatFails(Spool spool) throws IOException {
        log.fail(Optional.of("index"));
        for (int i = 0; i < 4; i++) {
            passing(spool);
        }
        hold(spool, commit(spool, 2, 300), true);
        log.fail(Optional.empty());
        Awaitility.await().atMost(Duration.ofSeconds(90)).ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> spool.counts() != null);
    }

    private void refused(Spool spool) {
        try {
            commit(spool, 1, 400);
        } catch (IOException e) {
            return;
        }
        throw new AssertionError("taken by a disk that fails");
    }

    /// As a client does it.
    private void comesAgain(Spool spool) {
        Awaitility.await().atMost(Duration.ofSeconds(90)).ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> commit(spool, 1, 500) != null);
    }

    private Envelope envelope(int recipients) {
        String[] names = new String[recipients];
        Arrays.setAll(names, i -> "user" + random.nextInt(1000) + "@d" + i + ".example.net");
        return TestMessages.envelope(names);
    }

    private byte[] body(int size) {
        return TestMessages.body(size, random.nextLong());
    }

    private Mail commit(Spool spool, int recipients, int size) throws IOException {
        return commit(spool, envelope(recipients), body(size));
    }

    private Mail commit(Spool spool, Envelope envelope, byte[] body) throws IOException {
        return commit(spool.draft(), envelope, body);
    }

    private Mail commit(Draft begun, Envelope envelope, byte[] body) throws IOException {
        try (Draft draft = begun) {
            Mail mail = new Mail(draft.id(), envelope, body, new Span(log.now()));
            synchronized (mails) {
                mails.add(mail);
            }
            try {
                draft.write(body, 0, body.length);
                draft.commit(envelope);
            } catch (IOException e) {
                mail.refused = log.now();
                throw e;
            }
            mail.commit.answered = log.now();
            return mail;
        }
    }

    private Runnable answered(Span span, Runnable then) {
        return () -> {
            span.answered = log.now();
            then.run();
        };
    }

    private void record(Spool spool, Mail mail, int number, Outcome outcome) {
        Span span = new Span(log.now());
        switch (outcome) {
            case Outcome.Delivered _ -> mail.delivered.put(number, span);
            case Outcome.Failed _ -> mail.failed.put(number, span);
            case Outcome.Deferred _ -> {
            }
        }
        TestMessages.done(then -> spool.record(mail.id, List.of(new RecipientOutcome(number, outcome)),
                answered(span, then)));
    }

    private void report(Spool spool, Mail mail) throws IOException {
        mail.report = Optional.of(commit(spool.draftAbout(new LogRecord.FailuresReported(mail.id)), envelope(1),
                body(700)));
    }

    private void hold(Spool spool, Mail mail, boolean held) {
        Span span = new Span(log.now());
        mail.holds.add(Map.entry(held, span));
        TestMessages.done(then -> spool.hold(mail.id, held, answered(span, then)));
    }

    private void remove(Spool spool, Mail mail) {
        Span span = new Span(log.now());
        mail.removal = Optional.of(span);
        TestMessages.done(then -> spool.remove(mail.id, answered(span, then)));
    }

    /// The promises that a spool opened from an image of moment `n` has not kept; empty when all
    /// are kept.
    List<String> check(Spool spool, int n) throws IOException {
        List<String> broken = new ArrayList<>();
        // Damage that only a reader meets is repaired in the running server.
        Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(
                () -> assertThatCode(() -> spool.list(Optional.empty(), 1_000)).doesNotThrowAnyException());
        Map<QueueId, MessageDetails> queue = new HashMap<>();
        long bytes = 0;
        for (MessageDetails each : spool.list(Optional.empty(), 1_000)) {
            bytes += each.summary().sizeBytes();
            if (queue.put(each.summary().id(), each) != null) {
                broken.add(each.summary().id() + " is listed twice");
            }
        }
        Spool.Counts counts = spool.counts();
        if (counts.messages() != queue.size() || counts.sizeBytes() != bytes) {
            broken.add("counts " + counts + " and lists " + queue.size() + " of " + bytes + " bytes");
        }
        Set<QueueId> known = new HashSet<>();
        for (Mail mail : mails) {
            known.add(mail.id);
            MessageDetails there = queue.get(mail.id);
            if (there != null) {
                present(spool, mail, there, n, broken);
                mail.report.ifPresent(report -> reported(there, queue.containsKey(report.id), broken));
            } else if (mail.commit.answered <= n && !mayBeGone(mail, n)) {
                broken.add(mail.id + " is lost");
            }
        }
        queue.keySet().stream().filter(id -> !known.contains(id)).forEach(id -> broken.add(id + " is unknown"));
        setAside(spool, n, broken);
        return broken;
    }

    /// The messages that a start reports as lost. A message that was never acknowledged may be
    /// among them: its sender would get a report too many.
    private void setAside(Spool spool, int n, List<String> broken) throws IOException {
        Map<QueueId, Mail> byId = new HashMap<>();
        mails.forEach(mail -> byId.put(mail.id, mail));
        for (Spool.SetAside each : spool.setAside(Optional.empty(), 1_000)) {
            Mail mail = byId.get(each.id());
            if (mail == null || mail.commit.answered <= n) {
                broken.add(each.id() + " is set aside: " + each.reason());
            } else {
                System.out.println("CrashScript: not acknowledged and set aside: " + each.id() + ", " + each.reason());
            }
        }
    }

    /// The bodies of the messages that a server must still have that was stopped at moment `n`.
    Map<QueueId, byte[]> acknowledged(int n) {
        Map<QueueId, byte[]> bodies = new HashMap<>();
        mails.stream().filter(mail -> mail.commit.answered <= n && !mayBeGone(mail, n))
                .forEach(mail -> bodies.put(mail.id, mail.body));
        return bodies;
    }

    private static boolean mayBeGone(Mail mail, int n) {
        return mail.removal.filter(span -> span.asked < n).isPresent()
                || mail.finished.filter(span -> span.asked < n).isPresent();
    }

    private static void present(Spool spool, Mail mail, MessageDetails there, int n, List<String> broken)
            throws IOException {
        if (mail.commit.asked >= n || mail.refused <= n) {
            broken.add(mail.id + " was refused or not yet there");
        }
        if (mail.removal.filter(span -> span.answered <= n).isPresent()) {
            broken.add(mail.id + " came back");
        }
        if (!there.envelope().equals(mail.envelope)) {
            broken.add(mail.id + " has another envelope now: " + there.envelope());
        }
        try {
            if (!Arrays.equals(TestMessages.read(spool, mail.id), mail.body)) {
                broken.add(mail.id + " is another message now");
            }
        } catch (IOException e) {
            broken.add(mail.id + " cannot be read: " + e);
        }
        for (RecipientState each : there.recipients()) {
            int number = each.recipient().number();
            settled(mail, each, mail.delivered.get(number), Set.of(RecipientStatus.DELIVERED), n, broken);
            settled(mail, each, mail.failed.get(number),
                    Set.of(RecipientStatus.FAILED, RecipientStatus.FAILED_AND_REPORTED),
                    n, broken);
        }
        held(mail, there.summary().held(), n, broken);
    }

    /// One record has both.
    private static void reported(MessageDetails there, boolean report, List<String> broken) {
        for (RecipientState each : there.recipients()) {
            if (report && each.state() == RecipientStatus.FAILED) {
                broken.add(there.summary().id() + " would be reported twice");
            } else if (!report && each.state() == RecipientStatus.FAILED_AND_REPORTED) {
                broken.add(there.summary().id() + " counts as reported, and there is no report");
            }
        }
    }

    private static void settled(Mail mail, RecipientState there, Span span, Set<RecipientStatus> states, int n,
            List<String> broken) {
        boolean is = states.contains(there.state());
        if (span != null && span.answered <= n && !is) {
            broken.add(mail.id + " recipient " + there.recipient().number() + " is " + there.state());
        }
        if (is && (span == null || span.asked >= n)) {
            broken.add(mail.id + " recipient " + there.recipient().number() + " is " + there.state() + " too early");
        }
    }

    private static void held(Mail mail, boolean held, int n, List<String> broken) {
        boolean expected = false;
        for (Map.Entry<Boolean, Span> each : mail.holds) {
            if (each.getValue().asked < n && each.getValue().answered > n) {
                return;
            }
            expected = each.getValue().answered <= n ? each.getKey() : expected;
        }
        if (held != expected) {
            broken.add(mail.id + (held ? " is held" : " is not held any more"));
        }
    }
}
