package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.Draft;
import org.slipstream.spool.MovableMessages;
import org.slipstream.spool.MovingMessage;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail that moves between two spools while outcomes are recorded, and the states that each message
/// may have at each moment.
///
/// A moment is a pair: the events of one disk and those of the other, as they were at one instant.
/// The history of a message is a list of versions. Each has the moment at which it was ordered (none
/// of it is on a disk before) and the moment of the answer (all of it is, from then on).
final class MoveScript {
    private static final int NEVER = Integer.MAX_VALUE;
    private static final int WORKERS = 4;
    private static final int GONE = -1;
    private static final Outcome TAKEN = outcome(250, "2.0.0");
    private static final Outcome BUSY = outcome(451, "4.3.2");
    private static final Outcome REFUSED = outcome(550, "5.1.1");

    /// The part of a message that must be equal in every copy.
    record State(List<RecipientStatus> recipients, List<Integer> replies, int attempts, int pastAttempts, boolean held,
            long nextMillis, int priority, int delayReports) {
        boolean isDelivered() {
            return recipients.stream().allMatch(RecipientStatus.DELIVERED::equals);
        }

        static State of(MessageDetails there, int pastAttempts) {
            return new State(there.recipients().stream().map(RecipientState::state).toList(),
                    there.recipients().stream().map(each -> each.last().map(last -> last.reply().code()).orElse(0))
                            .toList(),
                    there.summary().attempts(), pastAttempts, there.summary().held(), there.nextAttemptMillis(),
                    there.summary().options().priority(), there.summary().delayReports());
        }
    }

    /// @param spool where it is; [#GONE] when it is removed
    private static final class Version {
        final State state;
        final int spool;
        final int asked;
        volatile int answered = NEVER;

        Version(State state, int spool, int asked) {
            this.state = state;
            this.spool = spool;
            this.asked = asked;
        }
    }

    private static final class Mail {
        final QueueId id;
        final byte[] body;
        final List<Version> versions = Collections.synchronizedList(new ArrayList<>());
        boolean busy;

        Mail(QueueId id, byte[] body) {
            this.id = id;
            this.body = body;
        }

        Version latest() {
            return versions.getLast();
        }
    }

    private final List<CrashWorld> worlds;
    private final List<Spool> spools = new ArrayList<>();
    /// Events of both disks at each moment.
    private final List<int[]> moments = new ArrayList<>();
    private final List<Mail> mails = new ArrayList<>();
    private final Random random;
    private int moves;
    private int refusedMoves;

    MoveScript(List<CrashWorld> worlds, long seed) {
        this.worlds = worlds;
        random = new Random(seed);
        worlds.forEach(world -> world.log.watch(this::happened));
        happened();
    }

    private static Outcome outcome(int code, String status) {
        return Outcome.of(Reply.of(code, status, "so it is"), "mx.example.net[192.0.2.1]:25");
    }

    private synchronized void happened() {
        moments.add(worlds.stream().mapToInt(world -> world.log.recorded()).toArray());
    }

    /// The number of moments so far.
    synchronized int now() {
        return moments.size() - 1;
    }

    synchronized int[] moment(int at) {
        return moments.get(at);
    }

    /// Index of the disk that had the last event before this moment.
    synchronized int changed(int at) {
        return moments.get(at)[0] != moments.get(at - 1)[0] ? 0 : 1;
    }

    String summary() {
        return mails.size() + " messages, " + moves + " moves, " + refusedMoves + " refused, " + now() + " moments";
    }

    void run(int messages, int steps) throws Exception {
        for (CrashWorld world : worlds) {
            spools.add(world.open());
        }
        try {
            for (int i = 0; i < messages; i++) {
                commit(i % 4 == 3 ? 1 : 0);
            }
            work(steps);
            // The target's disk fails for a while.
            worlds.get(1).log.fail(Optional.of("segment"));
            refused();
            worlds.get(1).log.fail(Optional.empty());
            Awaitility.await().atMost(Duration.ofSeconds(90)).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> commit(1).latest().answered != NEVER);
            for (int i = 0; i < messages / 2; i++) {
                commit(i % 2);
            }
            work(steps);
            // The drained spool is emptied.
            for (Mail mail : mails) {
                if (mail.latest().spool == 0 && !mail.latest().state.isDelivered() && random.nextInt(4) > 0) {
                    move(mail);
                }
            }
            Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(this::pastAttemptsMovedAlong);
        } finally {
            spools.forEach(Spool::close);
        }
    }

    /// A message that was delivered at its first attempt is gone already.
    private void pastAttemptsMovedAlong() throws IOException {
        for (Mail mail : mails) {
            Version latest = mail.latest();
            if (latest.spool != GONE && !latest.state.isDelivered()) {
                assertThat(spools.get(latest.spool).attempts(mail.id)).as("%s", mail.id)
                        .hasSize(latest.state.pastAttempts());
            }
        }
    }

    private void refused() {
        List<Mail> here = mails.stream()
                .filter(mail -> mail.latest().spool == 0 && !mail.latest().state.isDelivered()).limit(4).toList();
        here.forEach(this::move);
        here.forEach(mail -> change(mail, random.nextInt(4)));
    }

    private void work(int steps) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(WORKERS);
        List<Throwable> broken = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < WORKERS; i++) {
            Thread.ofVirtual().start(() -> {
                try {
                    for (int step = 0; step < steps; step++) {
                        step();
                    }
                } catch (IOException | RuntimeException | Error e) {
                    broken.add(e);
                } finally {
                    done.countDown();
                }
            });
        }
        done.await();
        if (!broken.isEmpty()) {
            throw new AssertionError(broken.getFirst());
        }
    }

    private void step() throws IOException {
        int what;
        Optional<Mail> free;
        synchronized (this) {
            what = random.nextInt(12);
            List<Mail> idle = mails.stream().filter(mail -> !mail.busy && mail.latest().spool != GONE).toList();
            free = idle.isEmpty() ? Optional.empty() : Optional.of(idle.get(random.nextInt(idle.size())));
            free.ifPresent(mail -> mail.busy = true);
        }
        if (free.isEmpty()) {
            commit(what % 2);
            return;
        }
        try {
            Mail mail = free.get();
            if (mail.latest().state.isDelivered()) {
                remove(mail);
            } else if (what < 6) {
                move(mail);
            } else if (what == 6) {
                remove(mail);
            } else {
                change(mail, what);
            }
        } finally {
            synchronized (this) {
                free.get().busy = false;
            }
        }
    }

    private int chance(int bound) {
        synchronized (this) {
            return random.nextInt(bound);
        }
    }

    private Mail commit(int spool) throws IOException {
        worlds.get(spool).clock.advanceMillis(3);
        int recipients = 1 + chance(3);
        String[] names = new String[recipients];
        Arrays.setAll(names, i -> "user" + i + "@d" + chance(5) + ".example.net");
        byte[] body = TestMessages.body(chance(6) == 0 ? 6_000 : 1 + chance(1_200), chance(1_000));
        try (Draft draft = spools.get(spool).draft()) {
            Mail mail = new Mail(draft.id(), body);
            // The clock stands still until the commit has its time.
            draft.write(body, 0, body.length);
            int asked = now();
            long created = draft.commit(TestMessages.envelope(names)).createdMillis();
            Version first = new Version(
                    new State(Collections.nCopies(recipients, RecipientStatus.OPEN), Collections.nCopies(recipients, 0),
                            0, 0, false, created, 0, 0),
                    spool, asked);
            mail.versions.add(first);
            first.answered = now();
            synchronized (this) {
                mails.add(mail);
            }
            return mail;
        }
    }

    private void next(Mail mail, State state, Consumer<Runnable> order) {
        Version version = new Version(state, mail.latest().spool, now());
        mail.versions.add(version);
        TestMessages.done(then -> order.accept(() -> {
            version.answered = now();
            then.run();
        }));
    }

    private void change(Mail mail, int what) {
        State before = mail.latest().state;
        Spool spool = spools.get(mail.latest().spool);
        // A release of a deferred message would make it due at a time that another thread advances.
        boolean deferred = before.nextMillis() > worlds.getFirst().clock.millis();
        switch (what % 5 == 0 && before.held() && deferred ? 1 : what % 5) {
            case 0 -> next(mail, with(before, !before.held(), before.nextMillis(), before.priority(),
                    before.delayReports()), then -> spool.hold(mail.id, !before.held(), then));
            case 1 -> {
                int priority = 1 + chance(8);
                next(mail, with(before, before.held(), before.nextMillis(), priority, before.delayReports()),
                        then -> spool.instruct(mail.id, new Instruction.Priority(priority), then));
            }
            case 2 -> {
                long until = before.nextMillis() + 1_000_000 + chance(1_000);
                next(mail, with(before, before.held(), until, before.priority(), before.delayReports()),
                        then -> spool.defer(mail.id, until, then));
            }
            default -> outcome(mail, before, spool);
        }
    }

    private static State with(State state, boolean held, long next, int priority, int delays) {
        return new State(state.recipients(), state.replies(), state.attempts(), state.pastAttempts(), held, next,
                priority, delays);
    }

    private void outcome(Mail mail, State before, Spool spool) {
        int index = before.recipients().indexOf(RecipientStatus.OPEN);
        if (index < 0) {
            next(mail, new State(before.recipients().stream()
                    .map(each -> each == RecipientStatus.FAILED ? RecipientStatus.FAILED_AND_REPORTED : each).toList(),
                    before.replies(), before.attempts(), before.pastAttempts(), before.held(), before.nextMillis(),
                    before.priority(), before.delayReports()), then -> spool.failuresReported(mail.id, then));
            return;
        }
        Outcome outcome = List.of(TAKEN, TAKEN, BUSY, REFUSED).get(chance(4));
        List<RecipientStatus> states = new ArrayList<>(before.recipients());
        states.set(index, switch (outcome) {
            case Outcome.Delivered _ -> RecipientStatus.DELIVERED;
            case Outcome.Failed _ -> RecipientStatus.FAILED;
            case Outcome.Deferred _ -> RecipientStatus.OPEN;
        });
        List<Integer> replies = new ArrayList<>(before.replies());
        replies.set(index, outcome.reply().code());
        // Attempts of one time and recipient are one row.
        worlds.getFirst().clock.advanceMillis(1);
        RecipientOutcome tried = new RecipientOutcome(index + 1, outcome,
                new RecipientOutcome.Reached(Optional.of(QueuePhase.Code.RCPT), 40));
        next(mail, new State(states, replies, before.attempts() + 1, before.pastAttempts() + 1, before.held(),
                before.nextMillis(), before.priority(), before.delayReports()),
                then -> spool.record(mail.id, List.of(tried), true, then));
    }

    private void remove(Mail mail) {
        Version gone = new Version(mail.latest().state, GONE, now());
        Spool spool = spools.get(mail.latest().spool);
        mail.versions.add(gone);
        TestMessages.done(then -> spool.remove(mail.id, () -> {
            gone.answered = now();
            then.run();
        }));
    }

    /// As the mover of the server does it.
    private void move(Mail mail) {
        Version here = mail.latest();
        Spool from = spools.get(here.spool);
        Spool to = spools.get(1 - here.spool);
        Version there = new Version(here.state, 1 - here.spool, now());
        mail.versions.add(there);
        MovableMessages.Exported exported = Moving.export(from, mail.id, OptionalLong.empty());
        if (!(exported instanceof MovableMessages.Exported.Ready(MovingMessage message))) {
            throw new AssertionError(mail.id + " is not exported: " + exported);
        }
        boolean taken = Moving.take(to, message).isEmpty();
        synchronized (this) {
            moves++;
            refusedMoves += taken ? 0 : 1;
        }
        if (taken) {
            TestMessages.done(then -> from.left(mail.id, () -> {
                there.answered = now();
                to.arrived(mail.id);
                then.run();
            }));
        } else {
            from.stays(mail.id);
            Version stays = new Version(here.state, here.spool, there.asked);
            stays.answered = now();
            mail.versions.add(stays);
        }
    }

    // ---- what must be kept

    /// The promises that two spools, opened from images of this moment and swept, have not kept.
    List<String> check(List<Spool> opened, int at) throws IOException {
        List<String> broken = new ArrayList<>();
        Map<QueueId, Integer> found = new HashMap<>();
        for (int i = 0; i < opened.size(); i++) {
            for (QueueId id : opened.get(i).ids(Optional.empty(), 10_000)) {
                if (found.put(id, i) != null) {
                    broken.add(id + " is in both");
                }
            }
            long listed = opened.get(i).list(Optional.empty(), 10_000).size();
            if (opened.get(i).counts().messages() != listed) {
                broken.add("counts " + opened.get(i).counts() + " and lists " + listed);
            }
        }
        for (Mail mail : mails) {
            check(opened, mail, Optional.ofNullable(found.get(mail.id)), at, broken);
        }
        return broken;
    }

    private static void check(List<Spool> opened, Mail mail, Optional<Integer> where, int at,
            List<String> broken) throws IOException {
        List<Version> possible = possible(mail, at);
        boolean mayBeAbsent = mail.versions.getFirst().answered > at
                || possible.stream().anyMatch(each -> each.spool == GONE || each.state.isDelivered());
        if (where.isEmpty()) {
            if (!mayBeAbsent) {
                broken.add(mail.id + " is lost");
            }
            return;
        }
        Spool spool = opened.get(where.get());
        if (spool.sound(List.of(mail.id)).isEmpty()) {
            // Of a message that was not acknowledged, the record may be there without its file.
            if (mail.versions.getFirst().answered <= at) {
                broken.add(mail.id + " is set aside");
            }
            return;
        }
        State is = State.of(spool.details(mail.id).orElseThrow(), spool.attempts(mail.id).size());
        boolean right = possible.stream().anyMatch(each -> each.spool == where.get()
                && each.state.equals(is));
        if (!right) {
            broken.add(mail.id + " in spool " + where.get() + " is " + is + " and not one of " + possible.stream()
                    .map(each -> each.spool + " " + each.state).toList());
        }
        if (!Arrays.equals(TestMessages.read(spool, mail.id), mail.body)) {
            broken.add(mail.id + " has another content");
        }
    }

    private static List<Version> possible(Mail mail, int at) {
        List<Version> possible = new ArrayList<>();
        for (Version each : mail.versions) {
            if (each.answered <= at) {
                possible.clear();
            }
            if (each.asked < at || each.answered <= at) {
                possible.add(each);
            }
        }
        return possible;
    }

    Set<QueueId> ids() {
        Set<QueueId> ids = new java.util.TreeSet<>();
        mails.forEach(mail -> ids.add(mail.id));
        return ids;
    }
}
