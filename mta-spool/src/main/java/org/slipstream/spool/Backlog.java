package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.Note;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.Register;
import org.slipstream.spool.register.RegisterException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// What the writer owes the register, and how it pays when the disk is full, slow or gone. Belongs to the writer thread.
///
/// A client that hears 451 comes again with its letter. Nobody says an outcome, a removal, a lease or a hold twice, so what could
/// not be written of them is kept here until it is. Three kinds of debts:
///
/// - **Retained**: tasks whose transaction failed, or which came while the register was down. Twice a second they are written
///   again, *one by one*: a single one that can never succeed (its values are to blame, SQLSTATE 22 and 23) keeps only its own
///   message waiting. Whatever comes later about a message for which something is retained queues up behind it; about all
///   others mail goes on.
/// - **Unsynced**: tasks that were answered on the strength of their notes in the box, and whose transaction has not been synced
///   yet. That happens with the next group of letters or within a second. Should the register be opened anew before, it may open
///   without them, and they are written once more, silently.
/// - **Withdrawn**: letters that had been appended to the box when the register failed. Their clients were told to come again, so
///   a withdrawal is appended behind them, and their ids are deleted with the next transaction that succeeds: the failed one may
///   have been executed after all. Without the withdrawal a crash right now would let the next start deliver what the client will
///   send again. Should even that fail, the letter may arrive twice; it is never lost.
///
/// **Written twice is harmless, forgotten is not.** Each change says what is so, not what to add, so that a doubtful one is simply
/// written again. (The count of attempts may be one too high then.) Only a claim asks a question: once it has been answered,
/// what is retained of it are the leases that it took, because asked again it would not find what it has leased itself.
///
/// **Down and up.** After a failed write an embedded database stays closed for this process, so the register is opened anew
/// before anything is written again. While it is down, letters are refused at once. One that comes back without letters that
/// were acknowledged is not taken: only a start knows how to enter them from the box.
final class Backlog {
    private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SYNC_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LAST_TRIES = 3;

    private final LetterBox box;
    private final Register register;
    private final Freed freed;
    private final LongSupplier clock;
    private final Troubles troubles;
    private final List<Task.Lasting> retained = new ArrayList<>();
    private final List<Task.Lasting> unsynced = new ArrayList<>();
    private final List<QueueId> withdrawn = new ArrayList<>();
    private Optional<Throwable> down = Optional.empty();
    private long retryNanos;
    private long syncNanos;
    private long safeSeq;

    /// @param safeSeq the greatest number in the register
    Backlog(LetterBox box, Register register, Freed freed, LongSupplier clock, long safeSeq,
            Troubles troubles) {
        this.box = box;
        this.register = register;
        this.freed = freed;
        this.clock = clock;
        this.safeSeq = safeSeq;
        this.troubles = troubles;
    }

    /// Why nothing can be written now.
    Optional<Throwable> down() {
        return down;
    }

    /// How long the writer may sleep; Long.MAX_VALUE when nothing is owed.
    long waitNanos() {
        long now = System.nanoTime();
        long nanos = owesWrites() ? Math.max(0, retryNanos - now) : Long.MAX_VALUE;
        return unsynced.isEmpty() ? nanos : Math.min(nanos, Math.max(0, syncNanos - now));
    }

    private boolean owesWrites() {
        return down.isPresent() || !retained.isEmpty();
    }

    void retain(Task.Lasting task) {
        retained.add(task.cautious());
    }

    /// Retains the tasks for whose messages an earlier one is retained. @return the others
    List<Task.Lasting> withoutBlocked(List<Task.Lasting> tasks) {
        if (retained.isEmpty()) {
            return tasks;
        }
        Set<QueueId> blocked = new HashSet<>();
        retained.forEach(task -> blocked.addAll(task.ids()));
        List<Task.Lasting> free = new ArrayList<>();
        for (Task.Lasting task : tasks) {
            if (task.ids().stream().anyMatch(blocked::contains)) {
                retain(task);
            } else {
                free.add(task);
            }
        }
        return free;
    }

    /// To be written with the next transaction, before its letters.
    Optional<Change> withdrawal() {
        return withdrawn.isEmpty() ? Optional.empty() : Optional.of(new Change.Withdraw(List.copyOf(withdrawn)));
    }

    /// These letters lie in the box and not in the register, and their clients will hear so.
    void withdraw(List<Change.Enter> letters) {
        if (letters.isEmpty()) {
            return;
        }
        letters.forEach(letter -> withdrawn.add(letter.id()));
        try {
            box.withdraw(letters.getFirst().seq(), letters.getLast().seq());
        } catch (IOException | RuntimeException e) {
            LOG.warn("event=letters-not-withdrawn letters={} error=\"{}\"", letters.size(), e.toString());
            box.abandon();
        }
    }

    /// The register has these letters and the box could not be synced, so their clients will hear that they were not taken.
    void takeBack(List<Change.Enter> letters) {
        if (letters.isEmpty()) {
            return;
        }
        withdraw(letters);
        try {
            register.write(List.of(new Change.Withdraw(List.copyOf(withdrawn))));
            sync();
            withdrawn.clear();
        } catch (IOException | RuntimeException | Error e) {
            failed(e);
        }
    }

    /// A transaction without letters was executed and not synced; its notes are safe.
    void unsynced(List<Task.Lasting> tasks) {
        syncNanos = unsynced.isEmpty() ? System.nanoTime() + SYNC_NANOS : syncNanos;
        tasks.forEach(task -> unsynced.add(task.cautious()));
    }

    /// Makes all safe that was written; only now may the box know what has become free.
    void sync() throws IOException {
        register.barrier();
        unsynced.clear();
        freed.release(clock.getAsLong());
    }

    /// A group went through.
    ///
    /// @param lastSeq the number of its last letter, or less
    void settled(long lastSeq) {
        withdrawn.clear();
        troubles.over(Spool.What.REGISTER);
        safeSeq = Math.max(safeSeq, lastSeq);
    }

    void failed(Throwable e) {
        retryNanos = System.nanoTime() + RETRY_NANOS;
        if (e instanceof RegisterException register && register.aboutData()) {
            LOG.error("event=change-not-possible error=\"{}\"", LogText.text(e.toString()));
            return;
        }
        if (down.isEmpty()) {
            LOG.error("event=register-down retained={} error=\"{}\"", retained.size(), LogText.text(e.toString()));
        }
        down = Optional.of(e);
        troubles.met(Spool.What.REGISTER, e);
    }

    /// Writes again what is retained, when it is time.
    void retryIfDue() {
        if (owesWrites() && System.nanoTime() - retryNanos >= 0) {
            retry();
        }
    }

    void syncIfDue() {
        if (!unsynced.isEmpty() && System.nanoTime() - syncNanos >= 0) {
            try {
                sync();
            } catch (IOException | RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    private void retry() {
        retryNanos = System.nanoTime() + RETRY_NANOS;
        try {
            if (down.isPresent()) {
                reconnect();
            }
            writeRetained();
        } catch (IOException | RuntimeException | Error e) {
            failed(e);
        }
    }

    private void reconnect() throws IOException {
        // The register is opened anew, perhaps without what was not synced; nobody is answered a second time.
        retained.addAll(0,
                unsynced.stream().<Task.Lasting>map(task -> new Task.Alteration(task.changes(), () -> {})).toList());
        unsynced.clear();
        Register.Standing standing = register.recover();
        if (standing.lastSeq() < safeSeq) {
            // Letters that were acknowledged are missing in it.
            throw new IOException("the register went back from letter " + safeSeq + " to " + standing.lastSeq()
                    + ": start the server again");
        }
        LOG.info("event=register-up retained={}", retained.size());
        down = Optional.empty();
    }

    private void writeRetained() throws IOException {
        note();
        Set<Task.Lasting> done = writeOneByOne();
        sync();
        troubles.over(Spool.What.REGISTER);
        withdrawn.clear();
        List<Task.Lasting> all = List.copyOf(retained);
        retained.clear();
        for (Task.Lasting task : all) {
            if (done.contains(task)) {
                task.answer();
            } else {
                retained.add(task);
            }
        }
    }

    /// Without its note a removal still counts, unless the register is lost.
    private void note() {
        List<Note> notes = Notes.of(retained);
        try {
            if (!notes.isEmpty()) {
                box.note(notes);
                box.barrier();
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.warn("event=box-failed notes={} error=\"{}\"", notes.size(), e.toString());
            box.abandon();
        }
    }

    /// Those that were written stay here, answered by the register but not to their owners, until they are synced.
    private Set<Task.Lasting> writeOneByOne() throws RegisterException {
        Optional<Change> withdrawal = withdrawal();
        if (withdrawal.isPresent()) {
            register.write(List.of(withdrawal.get()));
        }
        Set<Task.Lasting> done = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<QueueId> blocked = new HashSet<>();
        for (int i = 0; i < retained.size(); i++) {
            Task.Lasting task = retained.get(i);
            Set<QueueId> ids = task.ids();
            if (ids.stream().anyMatch(blocked::contains)) {
                continue;
            }
            troubles.writeBegins();
            try {
                Register.Written written = register.write(task.changes());
                freed.add(written.freed());
                // Kept as answered now, so that a failing barrier does not make it claim again.
                Task.Lasting answered = Task.Lasting.answered(List.of(task), written.claims()).getFirst();
                retained.set(i, answered);
                done.add(answered);
            } catch (RegisterException e) {
                if (!e.aboutData()) {
                    throw e;
                }
                LOG.error("event=change-not-possible changes=\"{}\" error=\"{}\"",
                        LogText.text(task.changes().toString()), LogText.text(e.toString()));
                blocked.addAll(ids);
            }
        }
        return done;
    }

    /// Without it the next start looks once more whether the last letters are in the box.
    private void sayAllSafe() {
        try {
            register.write(List.of(new Change.AllSafe()));
        } catch (IOException | RuntimeException e) {
            LOG.debug("event=last-word-not-written error=\"{}\"", e.toString());
        }
    }

    /// The server stops.
    void lastTries() {
        for (int i = 0; i < LAST_TRIES && !retained.isEmpty(); i++) {
            retry();
        }
        if (down.isEmpty() && withdrawn.isEmpty()) {
            sayAllSafe();
        }
        for (Task.Lasting task : retained) {
            LOG.error("event=change-lost-at-stop changes=\"{}\"", LogText.text(task.changes().toString()));
        }
    }
}
