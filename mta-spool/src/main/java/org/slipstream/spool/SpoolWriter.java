package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.NewLetter;
import org.slipstream.spool.box.Note;
import org.slipstream.spool.box.Place;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.Register;
import org.slipstream.spool.register.RegisterException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// The thread `spool-writer-0`: the only one that writes box and register. Nobody interrupts it, and nothing ends it but
/// [#close].
///
/// **Group commit.** A sync costs the same for one letter and for a hundred, so the writer takes whatever waits, appends the
/// letters, begins to sync the box ([BoxSync]), runs one transaction, syncs the register meanwhile, and answers all of them.
/// Nobody waits for a group to fill: while one group is written, the next one gathers by itself. A lone letter on an idle
/// server is a group of one and pays two syncs; a hundred sessions pay two syncs together.
///
/// **The promise.** Both syncs before the first answer: "250" is never said of something that a power cut can take away. They run
/// side by side, so a kill or a power cut may leave either without the other. A letter without a row is entered by the next
/// start. A row without a letter is of the last group; the register says which those are, and a start forgets them
/// ([Register.Doubt]). What became of letters is noted in the box, too; a group without letters and leases is safe with its
/// notes, and the register is synced with the next one or within a second. Until then its changes are kept here, should the
/// register have to be opened anew.
///
/// What became of letters need not wait for the running group to be safe from a kill of the process: [EarlyNotes].
///
/// **When it fails.** Letters are *refused*: their clients get 451 or 452 and come again. Everything else (outcomes, removals,
/// leases, holds) is owed, and the [Backlog] writes it again until it succeeds.
///
/// - The box fails: the group's letters are refused, what was appended is cut off, rows that the register has taken of them are deleted
///   again, the next letters go to a fresh segment; the group's other tasks go on into the register (removals without their
///   note in the box, which matters only should the register be lost).
/// - The register fails: the letters lie in the box already, so they are withdrawn. While the register is down, letters are
///   refused at once and everything else waits.
final class SpoolWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpoolWriter.class);

    private final LetterBox box;
    private final Register register;
    private final FreshLetters fresh;
    private final SpaceGuard space;
    private final LongSupplier clock;
    private final TaskQueue queue = new TaskQueue();
    private final EarlyNotes early;
    private final BoxSync boxSync;
    private final Cleaner cleaner;
    private final Troubles troubles;
    private final Thread thread;

    // From here on: the writer thread's own.
    private final Freed freed;
    private final Backlog backlog;
    private long nextSweepMillis;
    private long nextSeq;
    private boolean cleaning;

    /// @param lastSeq the greatest number in box or register; @param safeSeq the greatest in the register
    SpoolWriter(LetterBox box, Register register, FreshLetters fresh, SpaceGuard space, LongSupplier clock,
            long lastSeq, long safeSeq, Cleaner cleaner, Troubles troubles) {
        this.box = box;
        this.register = register;
        this.fresh = fresh;
        this.space = space;
        this.clock = clock;
        nextSeq = lastSeq + 1;
        this.cleaner = cleaner;
        early = new EarlyNotes(box, queue);
        boxSync = new BoxSync(box);
        freed = new Freed(box);
        this.troubles = troubles;
        backlog = new Backlog(box, register, freed, clock, safeSeq, troubles);
        thread = Thread.ofPlatform().daemon().name("spool-writer-0").unstarted(this::run);
    }

    void start() {
        early.start();
        thread.start();
    }

    /// Any thread. @return false when the writer takes nothing more
    boolean add(Task task) {
        boolean taken = queue.add(task);
        if (taken) {
            early.consider(task);
        }
        return taken;
    }

    /// Any thread: the sessions of letters that it has not taken by then are told so.
    void giveUp(long sinceBeforeNanos, Consumer<Task.Deposit> then) {
        queue.giveUp(sinceBeforeNanos, then);
    }

    /// Any thread: true when it takes nothing more.
    boolean isStopping() {
        return queue.isClosed();
    }

    /// Any thread: what this one has met and not seen end.
    List<Spool.Trouble> troubles() {
        return troubles.now();
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
                troubles.writeBegins();
                round(group);
                clean();
                nextSweepMillis = box.sweep(clock.getAsLong(), space.isLow());
            } catch (Throwable e) {
                // Not foreseen; whatever it was, mail goes on.
                LOG.error("event=writer-failed", e);
                endBoxSync();
                refuse(deposits(group), e);
            } finally {
                troubles.writeEnds();
            }
        }
        early.close();
        backlog.lastTries();
        boxSync.close();
        box.close();
        register.close();
    }

    private long waitNanos() {
        if (cleaning) {
            return 0;
        }
        long cleanerNanos = backlog.down().isPresent() ? Long.MAX_VALUE : cleaner.waitNanos(freed.released());
        return Math.min(Math.min(backlog.waitNanos(), cleanerNanos), nextSweepMillis == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : TimeUnit.MILLISECONDS.toNanos(Math.max(0, nextSweepMillis - clock.getAsLong())));
    }

    private void round(List<Task> group) {
        backlog.retryIfDue();
        List<Task.Deposit> deposits = deposits(group);
        List<Task.Lasting> lasting = lasting(group);
        if (backlog.down().isPresent()) {
            lasting.forEach(backlog::retain);
            refuse(deposits, backlog.down().get());
            return;
        }
        write(deposits, backlog.withoutBlocked(lasting));
        backlog.syncIfDue();
    }

    /// Trouble here is the disk's or the register's, and the next group meets it, too; what was appended and not entered is
    /// taken for a move at the next start.
    private void clean() {
        if (backlog.down().isPresent()) {
            return;
        }
        try {
            if (cleaner.isDue(freed.released())) {
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
                backlog.failed(e);
            }
        }
    }

    private static List<Task.Deposit> deposits(List<Task> group) {
        return group.stream().filter(Task.Deposit.class::isInstance).map(Task.Deposit.class::cast).toList();
    }

    private static List<Task.Lasting> lasting(List<Task> group) {
        return group.stream().filter(Task.Lasting.class::isInstance).map(Task.Lasting.class::cast).toList();
    }

    private void write(List<Task.Deposit> candidates, List<Task.Lasting> lasting) {
        List<Note> notes = Notes.of(lasting);
        Optional<List<Change.Enter>> appended = intoBox(candidates, notes);
        List<Change.Enter> letters = appended.orElse(List.of());
        boolean noted = letters.isEmpty() && appended.isPresent() && lasting.stream().allMatch(Notes::suffice);
        List<Task.Deposit> deposits = letters.isEmpty() ? List.of() : candidates;
        List<Change> changes = new ArrayList<>(letters.size() + lasting.size() + 1);
        backlog.withdrawal().ifPresent(changes::add);
        changes.addAll(letters);
        lasting.forEach(task -> changes.addAll(whereItLies(task).changes()));
        if (changes.isEmpty()) {
            lasting.forEach(Task.Lasting::answer);
            return;
        }
        List<Task.Lasting> again = lasting;
        Optional<Throwable> boxTrouble = Optional.empty();
        try {
            Register.Written written = register.write(changes);
            freed.add(written.freed());
            again = Task.Lasting.answered(lasting, written.claims());
            if (!noted) {
                backlog.sync();
            }
            boxTrouble = endBoxSync();
            if (noted && boxTrouble.isPresent()) {
                backlog.sync();
            }
        } catch (IOException | RuntimeException | Error e) {
            endBoxSync();
            again.forEach(backlog::retain);
            backlog.failed(e);
            backlog.withdraw(letters);
            refuse(deposits, e);
            return;
        }
        if (boxTrouble.isPresent()) {
            backlog.settled(0);
            backlog.takeBack(letters);
            refuse(deposits, boxTrouble.get());
        } else {
            if (noted) {
                backlog.unsynced(lasting);
            }
            settle(letters, deposits);
        }
        again.forEach(Task.Lasting::answer);
    }

    /// The box is the writer's again. @return what its sync ran into; then nothing of the group is in it
    private Optional<Throwable> endBoxSync() {
        try {
            if (boxSync.end()) {
                troubles.over(Spool.What.BOX);
            }
            return Optional.empty();
        } catch (IOException | RuntimeException | Error e) {
            boxFailed(e);
            return Optional.of(e);
        }
    }

    private void boxFailed(Throwable e) {
        LOG.warn("event=box-failed error=\"{}\"", e.toString());
        box.abandon();
        troubles.met(Spool.What.BOX, e);
    }

    private Task.Lasting whereItLies(Task.Lasting task) {
        boolean stale = task.changes().stream().anyMatch(change -> change instanceof Change.Remove remove
                && remove.located().filter(there -> cleaner.mayHaveMoved(there.place())).isPresent());
        return stale ? task.cautious() : task;
    }

    /// Appends and begins to sync; empty when nothing could be appended.
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
            boxSync.begin();
            return Optional.of(letters);
        } catch (IOException | RuntimeException | Error e) {
            boxFailed(e);
            refuse(deposits, e);
            return Optional.empty();
        }
    }

    /// The group is safe.
    private void settle(List<Change.Enter> letters, List<Task.Deposit> deposits) {
        letters.forEach(letter -> box.entered(letter.id(), letter.place()));
        backlog.settled(letters.isEmpty() ? 0 : letters.getLast().seq());
        if (!deposits.isEmpty()) {
            fresh.add(deposits.stream().map(Task.Deposit::letter).toList(),
                    letters.stream().map(Change.Enter::place).toList());
            deposits.forEach(deposit -> {
                space.wrote(deposit.letter().content() instanceof NewLetter.OwnFile);
                deposit.safe().complete(null);
            });
        }
    }

    private void refuse(List<Task.Deposit> deposits, Throwable cause) {
        if (SpaceGuard.isNoSpace(cause)) {
            space.ranOut(false);
        }
        deposits.forEach(deposit -> deposit.safe().completeExceptionally(cause));
    }
}
