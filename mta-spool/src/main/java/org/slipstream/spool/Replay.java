package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.spool.box.DamagedLetterException;
import org.slipstream.spool.box.EnvelopeCodec;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.LetterBox.Found;
import org.slipstream.spool.box.Note;
import org.slipstream.spool.box.StoredLetter;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.OldRegister;
import org.slipstream.spool.register.Register;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// *After a fire, enter what the box has and the register has not; throw away a box when the register names nothing in it.*
///
/// After a stop the box may hold letters that the register does not name. Each record carries a
/// sequence number, and the register knows the last one it entered and where it lies; from there on the box is read:
///
/// - a letter with a greater number is **entered again**. It may be one whose session was never told "250" (its client will
///   send it again, and it arrives twice), or, when a power cut threw the register back, one that was;
/// - a **withdrawal** names letters whose sessions were told "451" because the register failed after the box had
///   succeeded; rows of them, should there be any, are deleted;
/// - **notes** say what became of letters: finished, delivered to this recipient, held. They are entered where the register
///   does not know it, so a register that is lost altogether is made anew from the box, with every letter that was still
///   queued and without those that were delivered. (What is lost with it: replies, and how often was tried.)
/// - **damage** has been copied aside by the box, and is reported; the reading goes on behind it.
///
/// The other way round, a row of the last group may name a letter that never reached the disk, because box and register are synced at the
/// same time ([Register.Doubt]). Nobody was told that it was safe: the row goes.
///
/// Or a row may name a file that is missing. Its message **was finished** when a note in the box says so, or when the segment was
/// deleted in order ([LetterBox#sweptUpTo]): such a row comes from a register that was thrown back, and goes. Every other message has
/// **lost its letter**. Its row is set aside, with the sender and the recipients, until an operator has seen it.
///
/// Everything here may be done twice: a stop in the middle of a replay is followed by another replay.
final class Replay {
    private static final Logger LOG = LoggerFactory.getLogger(Replay.class);
    private static final int BATCH = 1000;
    private static final Outcome WAS_DELIVERED = Outcome
            .of(Reply.of(250, "2.0.0", "delivered; the reply was lost with the register"), "unknown");
    private static final Outcome HAD_FAILED = Outcome
            .of(Reply.of(550, "5.0.0", "refused; the reply was lost with the register"), "unknown");

    private final LetterBox box;
    private final Register register;
    private final Register.Standing standing;
    private final Map<QueueId, Change.Enter> waiting = new LinkedHashMap<>();
    private final List<Note> noted = new ArrayList<>();
    private final Optional<Path> old;
    private final long nowMillis;
    private long lastSeq;
    private long lastId;
    private int entered;

    private Replay(LetterBox box, Register register, Optional<Path> old, long nowMillis) throws IOException {
        this.box = box;
        this.register = register;
        this.old = old;
        this.nowMillis = nowMillis;
        standing = register.standing();
        lastSeq = standing.lastSeq();
        lastId = standing.lastId();
    }

    /// @param lastSeq the greatest number in box and register; @param lastId the greatest queue id
    record Result(long lastSeq, long lastId, int entered) {}

    /// @param old a register in whose place this one was made, kept for what the box does not know
    static Result run(LetterBox box, Register register, Optional<Path> old, long nowMillis) throws IOException {
        try {
            Replay replay = new Replay(box, register, old, nowMillis);
            replay.forgetWhatNobodyWasTold();
            replay.enterYounger();
            replay.carryOver();
            Register.Named named = replay.withoutMissing();
            register.barrier();
            replay.adopt(named, nowMillis);
            return new Result(replay.lastSeq, Math.max(replay.lastId, register.standing().lastId()), replay.entered);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /// Rows of the last group whose letters a power cut has kept from the box.
    private void forgetWhatNobodyWasTold() throws IOException {
        List<QueueId> lost = new ArrayList<>();
        Set<Long> present = box.segments();
        register.inDoubt().forEach((id, where) -> {
            // The name of a segment is on disk before its first record is: no power cut explains that it is missing.
            if (present.contains(where.place().segment()) && !isInBox(id, where)) {
                LOG.warn(
                        "event=row-dropped queue={} reason=\"its letter is not in the box: the machine stopped before it was"
                                + " safe, and its client was not told that it was\"",
                        id);
                lost.add(id);
            }
        });
        if (!lost.isEmpty()) {
            register.write(List.of(new Change.Withdraw(lost)));
        }
    }

    private boolean isInBox(QueueId id, Register.Located where) {
        try (InputStream _ = box.letter(id, where.place(), where.sizeBytes(), () -> {}).open()) {
            return true;
        } catch (DamagedLetterException | NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            // The disk is in trouble, which says nothing about the letter; whoever delivers it will see.
            return true;
        }
    }

    private void enterYounger() throws IOException {
        box.scan(standing.segment(), standing.offset(), found -> {
            try {
                meet(found);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        enterWaiting();
        if (entered > 0) {
            LOG.info("event=replayed letters={}", entered);
        }
    }

    private void meet(Found found) throws IOException {
        switch (found) {
            case Found.Stored stored -> meet(stored);
            case Found.Withdrawn(long first, long last) -> {
                enterWaiting();
                register.write(List.of(new Change.WithdrawRange(first, last)));
                lastSeq = Math.max(lastSeq, last);
            }
            case Found.Noted(List<Note> notes) -> meet(notes);
            case Found.Damaged(long segment, long offset, long bytes, String copy) ->
                LOG.warn("event=record-set-aside segment={} offset={} bytes={} copy={}", segment, offset, bytes, copy);
            case Found.Headless(long segment, String copy) ->
                LOG.warn("event=segment-header-damaged segment={} copy={} records=\"read all the same\"", segment,
                        copy);
            case Found.Torn(long segment, long offset, long bytes) ->
                LOG.info("event=box-ends-inside-a-record segment={} offset={} bytes={}", segment, offset, bytes);
        }
    }

    private void meet(Found.Stored stored) throws IOException {
        StoredLetter letter = stored.letter();
        lastId = Math.max(lastId, letter.id().value());
        if (letter.seq() <= standing.lastSeq()) {
            return;
        }
        lastSeq = Math.max(lastSeq, letter.seq());
        // A sound register knows every letter that was acknowledged, so this one was not. One that is made anew knows none.
        if (standing.lastSeq() > 0 && stored.place().ownFile() && !box.hasOwnFile(letter.id())) {
            LOG.info("event=letter-not-entered queue={} reason=\"its file is missing: finished or refused\"",
                    letter.id());
            return;
        }
        waiting.put(letter.id(), new Change.Enter(letter.id(), letter.seq(), stored.place(), letter.sizeBytes(),
                letter.createdMillis(), letter.envelope(),
                EnvelopeCodec.encode(letter.envelope())));
        if (waiting.size() >= BATCH) {
            enterWaiting();
        }
    }

    private void meet(List<Note> notes) throws IOException {
        for (Note note : notes) {
            // A letter that came and left since the register's last word never gets a row.
            if (note.what() != Note.What.FINISHED || waiting.remove(note.id()) == null) {
                noted.add(note);
            }
        }
        if (noted.size() >= BATCH) {
            enterWaiting();
        }
    }

    private void enterWaiting() throws IOException {
        if (waiting.isEmpty() && noted.isEmpty()) {
            return;
        }
        List<Change> changes = new ArrayList<>(waiting.size() + noted.size());
        Set<QueueId> known = register.known(List.copyOf(waiting.keySet()));
        for (Change.Enter enter : waiting.values()) {
            if (known.contains(enter.id())) {
                moved(enter, changes);
            } else {
                changes.add(enter);
                entered++;
                LOG.debug("event=entered-again queue={} recipients={} bytes={}", enter.id(),
                        enter.envelope().recipients().size(), enter.sizeBytes());
            }
        }
        known.addAll(waiting.keySet());
        known.addAll(register.known(noted.stream().map(Note::id).distinct().toList()));
        noted.stream().filter(note -> known.contains(note.id())).forEach(note -> changes.add(change(note)));
        register.write(changes);
        waiting.clear();
        noted.clear();
    }

    /// The register names it already and further up: there it lies now.
    private void moved(Change.Enter letter, List<Change> changes) throws IOException {
        register.locate(letter.id()).filter(there -> !there.place().equals(letter.place()))
                .ifPresent(there -> changes.add(new Change.Move(letter.id(), letter.seq(), there.place(),
                        letter.place(), there.sizeBytes())));
    }

    private Change change(Note note) {
        return switch (note.what()) {
            case FINISHED -> {
                LOG.debug("event=row-dropped queue={} reason=\"was finished\"", note.id());
                yield new Change.Remove(note.id());
            }
            case DELIVERED ->
                new Change.Noted(note.id(), new RecipientOutcome(note.number(), WAS_DELIVERED), nowMillis);
            case FAILED -> new Change.Noted(note.id(), new RecipientOutcome(note.number(), HAD_FAILED), nowMillis);
            case REPORTED -> new Change.FailuresReported(note.id());
            case HELD -> new Change.Hold(note.id(), true);
            case RELEASED -> new Change.Hold(note.id(), false);
        };
    }

    /// What only the old register knows. A letter that only it names is lost, unless the box notes that it was finished.
    private void carryOver() throws IOException {
        if (old.isEmpty()) {
            return;
        }
        Set<QueueId> lost = OldRegister.carryOver(old.get(), register, box, nowMillis);
        if (lost.isEmpty()) {
            return;
        }
        Set<QueueId> finished = new HashSet<>();
        box.scan(0, 0, found -> {
            if (found instanceof Found.Noted(List<Note> notes)) {
                notes.stream().filter(note -> lost.contains(note.id())).forEach(note -> {
                    noted.add(note);
                    if (note.what() == Note.What.FINISHED) {
                        finished.add(note.id());
                    }
                });
            }
        });
        enterWaiting();
        lost.stream().filter(id -> !finished.contains(id))
                .forEach(id -> warnOfLoss(id,
                        "only the old register names it: its record in the box is damaged or missing"));
    }

    /// @return what is still named
    private Register.Named withoutMissing() throws IOException {
        Register.Named named = register.named();
        Set<Long> present = box.segments();
        boolean dropped = false;
        for (Map.Entry<Long, Long> each : named.letters().entrySet()) {
            long segment = each.getKey();
            if (present.contains(segment) || each.getValue() <= named.setAside().getOrDefault(segment, 0L)) {
                continue;
            }
            if (segment <= box.sweptUpTo()) {
                drop(register.inSegment(segment), "segment " + segment + " was deleted, so it was finished");
                dropped = true;
            } else {
                setAside(register.inSegment(segment), "segment " + segment + " is missing");
            }
        }
        List<QueueId> withoutFile = named.ownFiles().stream().filter(id -> !box.hasOwnFile(id)).toList();
        for (int from = 0; from < withoutFile.size(); from += BATCH) {
            setAside(register.queued(withoutFile.subList(from, Math.min(from + BATCH, withoutFile.size()))),
                    "its file in large/ is missing");
        }
        return dropped ? register.named() : named;
    }

    private void drop(Set<QueueId> ids, String reason) throws IOException {
        ids.forEach(id -> LOG.warn("event=row-dropped queue={} reason=\"{}\"", id, reason));
        write(ids.stream().<Change>map(Change.Remove::new).toList());
    }

    private void setAside(Set<QueueId> ids, String reason) throws IOException {
        ids.forEach(id -> warnOfLoss(id, reason));
        write(ids.stream().<Change>map(Change.SetAside::new).toList());
    }

    private static void warnOfLoss(QueueId id, String reason) {
        LOG.warn("event=message-set-aside queue={} reason=\"{}\" next=\"mta spool corrupt list\"", id, reason);
    }

    private void write(List<Change> changes) throws IOException {
        for (int from = 0; from < changes.size(); from += BATCH) {
            register.write(changes.subList(from, Math.min(from + BATCH, changes.size())));
        }
    }

    private void adopt(Register.Named named, long nowMillis) throws IOException {
        long lastSegment = named.letters().keySet().stream().reduce(standing.segment(), Math::max);
        box.adopt(named.letters(), named.ownFiles(), lastSegment, nowMillis);
    }
}
