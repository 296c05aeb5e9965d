package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.NewLetter;
import org.slipstream.spool.box.Note;
import org.slipstream.spool.box.Place;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.Register;
import org.slipstream.spool.register.RegisterException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// The thread `spool-writer-0`: the only one that writes box and register. Nobody interrupts it, and nothing ends it but
/// [#close].
///
/// **Group commit.** A sync costs the same for one letter and for a hundred, so the writer takes whatever waits, appends the
/// letters, syncs the box, runs one transaction, syncs the register, and answers all of them. Nobody waits for a group to
/// fill: while one group is written, the next one gathers by itself. A lone letter on an idle server is a group of one and
/// pays two syncs; a hundred sessions pay two syncs together.
///
/// **The order is the promise.** Box before register: a row always has its letter. Both syncs before the first answer:
/// "250" is never said of something that a power cut can take away. What became of letters is noted in the box, too; a group
/// without letters and leases is safe with its notes, and the register is synced with the next one or within a second.
/// Until then its changes are kept here, should the register have to be opened anew.
///
/// **When it fails.** Letters are *refused*: their clients get 451 or 452 and come again. Everything else (outcomes,
/// removals, leases, holds) is *retained* and written again until it succeeds, because nobody would say it twice.
///
/// - The box fails: the group's letters are refused, what was appended is cut off, the next letters go to a fresh segment; the
///   group's other tasks go on into the register (removals without their note in the box, which matters only should the
///   register be lost).
/// - The register fails: the letters lie in the box already, so a withdrawal is appended behind them, and their ids are
///   deleted from the register with the next transaction that succeeds (the failed one may have been executed after all).
///   Without the withdrawal a crash right now would let the next start deliver what the client was told to send again.
///   Should even that fail, the letter may arrive twice; it is never lost.
/// - While the register is down, letters are refused at once and everything else waits; twice a second it is tried again.
/// - Retained tasks are written one by one: a single one that can never succeed keeps only its own message waiting.
final class SpoolWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpoolWriter.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SYNC_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LAST_TRIES = 3;

    private final LetterBox box;
    private final Register register;
    private final FreshLetters fresh;
    private final SpaceGuard space;
    private final LongSupplier clock;
    private final TaskQueue queue = new TaskQueue();
    private final Cleaner cleaner;
    private final Thread thread;

    // From here on: the writer thread's own.
    private final List<Task.Lasting> retained = new ArrayList<>();
    private final List<QueueId> withdrawn = new ArrayList<>();
    private final Map<QueueId, Place> freed = new LinkedHashMap<>();
    private Optional<Throwable> registerDown = Optional.empty();
    private long retryNanos;
    private long nextSweepMillis;
    private long nextSeq;
    private long safeSeq;
    private final List<Task.Lasting> unsynced = new ArrayList<>();
    private long syncNanos;
    private boolean cleaning;

    /// @param lastSeq the greatest number in box or register; @param safeSeq the greatest in the register
    SpoolWriter(LetterBox box, Register register, FreshLetters fresh, SpaceGuard space, LongSupplier clock,
            long lastSeq, long safeSeq, Cleaner cleaner) {
        this.box = box;
        this.register = register;
        this.fresh = fresh;
        this.space = space;
        this.clock = clock;
        nextSeq = lastSeq + 1;
        this.safeSeq = safeSeq;
        this.cleaner = cleaner;
        thread = Thread.ofPlatform().daemon().name("spool-writer-0").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /// Any thread. @return false when the writer takes nothing more
    boolean add(Task task) {
        return queue.add(task);
    }

    /// Any thread: the sessions of letters that it has not taken by then are told so.
    void giveUp(long sinceBeforeNanos, Consumer<Task.Deposit> then) {
        queue.giveUp(sinceBeforeNanos, then);
    }

    /// Writes what waits and closes the register, on its own thread: the caller's may carry an interrupt, which would reach
    /// into the database.
    @Override
    public void close() {
        queue.close();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        nextSweepMillis = clock.getAsLong();
        while (!queue.hasEnded()) {
            List<Task> group = List.of();
            try {
                group = queue.nextGroup(waitNanos());
                round(group);
                clean();
                nextSweepMillis = box.sweep(clock.getAsLong(), space.isLow());
            } catch (Throwable e) {
                // Not foreseen; whatever it was, mail goes on.
                LOG.error("event=writer-failed", e);
                refuse(deposits(group), e);
            }
        }
        lastTries();
        box.close();
        register.close();
    }

    private long waitNanos() {
        if (cleaning) {
            return 0;
        }
        long nanos = Long.MAX_VALUE;
        if (nextSweepMillis != Long.MAX_VALUE) {
            nanos = TimeUnit.MILLISECONDS.toNanos(Math.max(0, nextSweepMillis - clock.getAsLong()));
        }
        if (registerDown.isPresent() || !retained.isEmpty()) {
            nanos = Math.min(nanos, Math.max(0, retryNanos - System.nanoTime()));
        }
        if (!unsynced.isEmpty()) {
            nanos = Math.min(nanos, Math.max(0, syncNanos - System.nanoTime()));
        }
        return nanos;
    }

    private void round(List<Task> group) {
        if ((registerDown.isPresent() || !retained.isEmpty()) && System.nanoTime() - retryNanos >= 0) {
            retry();
        }
        List<Task.Deposit> deposits = deposits(group);
        List<Task.Lasting> lasting = lasting(group);
        if (registerDown.isPresent()) {
            lasting.forEach(this::retain);
            refuse(deposits, registerDown.get());
            return;
        }
        write(deposits, withoutBlocked(lasting));
        if (!unsynced.isEmpty() && System.nanoTime() - syncNanos >= 0) {
            sync();
        }
    }

    /// Trouble here is the disk's or the register's, and the next group meets it, too; what was appended and not entered is
    /// taken for a move at the next start.
    private void clean() {
        if (registerDown.isPresent()) {
            return;
        }
        try {
            if (cleaner.isDue()) {
                nextSeq = cleaner.step(nextSeq);
                cleaning = true;
            } else {
                cleaning = false;
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("event=box-not-cleaned error=\"{}\"", e.toString());
            // Numbers are used up even when the letters that have them are cut off.
            nextSeq += TaskQueue.GROUP_TASKS;
            cleaning = false;
            box.abandon();
            if (e instanceof RegisterException) {
                registerFailed(e);
            }
        }
    }

    /// What was answered on the strength of its notes becomes safe in the register, too.
    private void sync() {
        try {
            register.barrier();
            unsynced.clear();
        } catch (IOException | RuntimeException | Error e) {
            registerFailed(e);
        }
    }

    private static List<Task.Deposit> deposits(List<Task> group) {
        return group.stream().filter(Task.Deposit.class::isInstance).map(Task.Deposit.class::cast).toList();
    }

    private static List<Task.Lasting> lasting(List<Task> group) {
        return group.stream().filter(Task.Lasting.class::isInstance).map(Task.Lasting.class::cast).toList();
    }

    /// Changes of a message for which an earlier one is retained queue up behind it.
    private List<Task.Lasting> withoutBlocked(List<Task.Lasting> lasting) {
        if (retained.isEmpty()) {
            return lasting;
        }
        Set<QueueId> blocked = new HashSet<>();
        retained.forEach(task -> blocked.addAll(ids(task)));
        List<Task.Lasting> free = new ArrayList<>();
        for (Task.Lasting task : lasting) {
            if (ids(task).stream().anyMatch(blocked::contains)) {
                retain(task);
            } else {
                free.add(task);
            }
        }
        return free;
    }

    private static Set<QueueId> ids(Task.Lasting task) {
        Set<QueueId> ids = new HashSet<>();
        for (Change change : task.changes()) {
            change.message().ifPresent(ids::add);
        }
        return ids;
    }

    private void write(List<Task.Deposit> candidates, List<Task.Lasting> lasting) {
        long firstSeq = nextSeq;
        List<Note> notes = Notes.of(lasting);
        Optional<List<Change.Enter>> appended = intoBox(candidates, notes);
        List<Change.Enter> letters = appended.orElse(List.of());
        boolean safeByNotes = letters.isEmpty() && appended.isPresent() && lasting.stream().allMatch(Notes::suffice);
        List<Task.Deposit> deposits = letters.isEmpty() ? List.of() : candidates;
        List<Change> changes = new ArrayList<>(letters.size() + lasting.size() + 1);
        if (!withdrawn.isEmpty()) {
            changes.add(new Change.Withdraw(List.copyOf(withdrawn)));
        }
        changes.addAll(letters);
        lasting.forEach(task -> changes.addAll(whereItLies(task).changes()));
        if (changes.isEmpty()) {
            lasting.forEach(SpoolWriter::answer);
            return;
        }
        List<Task.Lasting> again = lasting;
        try {
            Register.Written written = register.write(changes);
            freed.putAll(written.freed());
            again = answered(lasting, written.claims());
            if (!safeByNotes) {
                register.barrier();
                unsynced.clear();
            }
        } catch (IOException | RuntimeException | Error e) {
            again.forEach(this::retain);
            registerFailed(e);
            withdraw(firstSeq, letters);
            refuse(deposits, e);
            return;
        }
        if (safeByNotes) {
            syncNanos = unsynced.isEmpty() ? System.nanoTime() + SYNC_NANOS : syncNanos;
            lasting.forEach(task -> unsynced.add(cautious(task)));
        }
        settle(letters, deposits);
        again.forEach(SpoolWriter::answer);
    }

    private void retain(Task.Lasting task) {
        retained.add(cautious(task));
    }

    private Task.Lasting whereItLies(Task.Lasting task) {
        boolean stale = task.changes().stream().anyMatch(change -> change instanceof Change.Remove remove
                && remove.located().filter(there -> cleaner.mayHaveMoved(there.place())).isPresent());
        return stale ? cautious(task) : task;
    }

    /// Where a letter lay is asked anew: the transaction that failed may have been executed after all.
    private static Task.Lasting cautious(Task.Lasting task) {
        return switch (task) {
            case Task.Alteration(List<Change> changes, Runnable then) -> new Task.Alteration(changes.stream()
                    .<Change>map(change -> change instanceof Change.Remove remove
                            ? new Change.Remove(remove.id())
                            : change)
                    .toList(), then);
            case Task.Claiming claiming -> claiming;
        };
    }

    /// Appends and syncs; empty when that failed.
    private Optional<List<Change.Enter>> intoBox(List<Task.Deposit> deposits, List<Note> notes) {
        List<Change.Enter> letters = new ArrayList<>(deposits.size());
        if (deposits.isEmpty() && notes.isEmpty()) {
            return Optional.of(letters);
        }
        try {
            for (Task.Deposit deposit : deposits) {
                NewLetter letter = deposit.letter();
                Place place = box.append(nextSeq, letter);
                letters.add(new Change.Enter(letter.id(), nextSeq, place, letter.content().sizeBytes(),
                        letter.createdMillis(), letter.envelope(), letter.envelopeBytes()));
                nextSeq++;
            }
            if (!notes.isEmpty()) {
                box.note(notes);
            }
            box.barrier();
            return Optional.of(letters);
        } catch (IOException | RuntimeException | Error e) {
            LOG.warn("event=box-failed letters={} error=\"{}\"", deposits.size(), e.toString());
            box.abandon();
            refuse(deposits, e);
            return Optional.empty();
        }
    }

    private static List<Task.Lasting> answered(List<Task.Lasting> lasting, List<Register.Claims> claims) {
        List<Task.Lasting> answered = new ArrayList<>(lasting.size());
        int next = 0;
        for (Task.Lasting task : lasting) {
            answered.add(task instanceof Task.Claiming claiming ? claiming.answered(claims.get(next++)) : task);
        }
        return answered;
    }

    /// The group is safe.
    private void settle(List<Change.Enter> letters, List<Task.Deposit> deposits) {
        withdrawn.clear();
        for (Change.Enter letter : letters) {
            box.entered(letter.id(), letter.place());
            safeSeq = letter.seq();
        }
        release();
        if (!deposits.isEmpty()) {
            fresh.add(deposits.stream().map(Task.Deposit::letter).toList(),
                    letters.stream().map(Change.Enter::place).toList());
            deposits.forEach(deposit -> deposit.safe().complete(null));
        }
    }

    private void release() {
        long now = clock.getAsLong();
        freed.forEach((id, place) -> {
            try {
                box.released(id, place, now);
            } catch (IllegalStateException e) {
                // The segment stays longer than it had to; the next start counts anew.
                LOG.error("event=box-miscounted queue={}", id, e);
            }
        });
        freed.clear();
    }

    private static void answer(Task.Lasting task) {
        try {
            switch (task) {
                case Task.Alteration alteration -> alteration.then().run();
                case Task.Claiming _ -> throw new IllegalStateException("a claim without an answer");
            }
        } catch (Throwable e) {
            LOG.error("event=callback-failed", e);
        }
    }

    private void registerFailed(Throwable e) {
        retryNanos = System.nanoTime() + RETRY_NANOS;
        if (e instanceof RegisterException register && register.aboutData()) {
            LOG.error("event=change-not-possible error=\"{}\"", e.toString());
            return;
        }
        if (registerDown.isEmpty()) {
            LOG.error("event=register-down retained={} error=\"{}\"", retained.size(), e.toString());
        }
        registerDown = Optional.of(e);
    }

    /// The register is opened anew, perhaps without what was not synced. Everything in here may be written twice; nobody is
    /// answered a second time.
    private void retainUnsynced() {
        retained.addAll(0,
                unsynced.stream().<Task.Lasting>map(task -> new Task.Alteration(task.changes(), () -> {})).toList());
        unsynced.clear();
    }

    private void withdraw(long firstSeq, List<Change.Enter> letters) {
        if (letters.isEmpty()) {
            return;
        }
        letters.forEach(letter -> withdrawn.add(letter.id()));
        try {
            box.withdraw(firstSeq, letters.getLast().seq());
        } catch (IOException | RuntimeException e) {
            LOG.warn("event=letters-not-withdrawn letters={} error=\"{}\"", letters.size(), e.toString());
            box.abandon();
        }
    }

    private void refuse(List<Task.Deposit> deposits, Throwable cause) {
        if (SpaceGuard.isNoSpace(cause)) {
            space.ranOut();
        }
        deposits.forEach(deposit -> deposit.safe().completeExceptionally(cause));
    }

    /// Connects again when needed, then writes what was retained, one by one, with one barrier behind it.
    private void retry() {
        retryNanos = System.nanoTime() + RETRY_NANOS;
        try {
            if (registerDown.isPresent()) {
                reconnect();
            }
            writeRetained();
        } catch (IOException | RuntimeException | Error e) {
            registerFailed(e);
        }
    }

    private void reconnect() throws IOException {
        retainUnsynced();
        Register.Standing standing = register.recover();
        if (standing.lastSeq() < safeSeq) {
            // Letters that were acknowledged are missing in it. Only a start knows how to enter them again.
            throw new IOException("the register went back from letter " + safeSeq + " to " + standing.lastSeq()
                    + ": start the server again");
        }
        LOG.info("event=register-up retained={}", retained.size());
        registerDown = Optional.empty();
    }

    private void writeRetained() throws RegisterException {
        Set<Task.Lasting> done = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<QueueId> blocked = new HashSet<>();
        List<Task.Lasting> waiting = new ArrayList<>(retained);
        intoBox(List.of(), Notes.of(waiting));
        try {
            if (!withdrawn.isEmpty()) {
                register.write(List.of(new Change.Withdraw(List.copyOf(withdrawn))));
            }
            for (int i = 0; i < waiting.size(); i++) {
                Task.Lasting task = waiting.get(i);
                Set<QueueId> ids = ids(task);
                if (ids.stream().anyMatch(blocked::contains)) {
                    continue;
                }
                try {
                    Register.Written written = register.write(task.changes());
                    freed.putAll(written.freed());
                    // Answered now, so that a failing barrier does not make it claim again.
                    Task.Lasting answered = answered(List.of(task), written.claims()).getFirst();
                    waiting.set(i, answered);
                    done.add(answered);
                } catch (RegisterException e) {
                    if (!e.aboutData()) {
                        throw e;
                    }
                    LOG.error("event=change-not-possible changes={} error=\"{}\"", task.changes(), e.toString());
                    blocked.addAll(ids);
                }
            }
        } finally {
            retained.clear();
            retained.addAll(waiting);
        }
        register.barrier();
        unsynced.clear();
        withdrawn.clear();
        release();
        retained.clear();
        for (Task.Lasting task : waiting) {
            if (done.contains(task)) {
                answer(task);
            } else {
                retained.add(task);
            }
        }
    }

    private void lastTries() {
        for (int i = 0; i < LAST_TRIES && !retained.isEmpty(); i++) {
            retry();
        }
        for (Task.Lasting task : retained) {
            LOG.error("event=change-lost-at-stop changes={}", task.changes());
        }
    }
}
