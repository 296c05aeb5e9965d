package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.spool.box.DamagedLetterException;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.LetterBox.Found;
import org.slipstream.spool.box.Note;
import org.slipstream.spool.box.Note.What;
import org.slipstream.spool.box.Place;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.DamagedRowsException;
import org.slipstream.spool.register.Register;
import org.slipstream.spool.register.RegisterException;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Keeps the box in proportion to the queue. Belongs to the writer thread, between its groups.
///
/// The box is a log: letters and notes are appended at its end, and segments are deleted from its beginning only, because a
/// note must outlive the letter it speaks of. So one letter that waits for days would hold everything behind it. When the
/// box has more than twice the segments that the queue would fill (and four to begin with), the letters that are still
/// queued in the first segment are appended once more at the end, with their notes, and the first segment is empty.
///
/// A letter is copied at most once while the box turns over, and the box turns over once per queue's size of new mail: the cost
/// is at most one byte copied for each byte taken in, and next to nothing while the queue is short. This is the cleaner of a
/// log-structured file system (Rosenblum and Ousterhout 1992) with the oldest segment as its only choice.
///
/// The copy follows the rule of every letter: box synced, then register synced, then the old place is free.
final class Cleaner {
    private static final Logger LOG = LoggerFactory.getLogger(Cleaner.class);
    private static final int AT_ONCE = 256;
    private static final long SPARE_SEGMENTS = 4;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LetterBox box;
    private final Register register;
    private final FreshLetters fresh;
    private final long segmentBytes;
    private final Deque<Found.Stored> waiting = new ArrayDeque<>();
    private long segments;
    private long wanted = Long.MAX_VALUE;
    private long movedUpTo;
    private long releasedBefore;
    private long lookNanos = System.nanoTime();

    Cleaner(LetterBox box, Register register, FreshLetters fresh, long segmentBytes) {
        this.box = box;
        this.register = register;
        this.fresh = fresh;
        this.segmentBytes = segmentBytes;
    }

    /// True when a letter may have left this place since somebody remembered it.
    boolean mayHaveMoved(Place place) {
        return place.segment() <= movedUpTo;
    }

    /// @param released letters that have left the box, ever
    boolean isDue(long released) throws RegisterException {
        long now = box.closedSegments();
        // Asked once for each segment that comes or goes. An operator may delete nine letters of ten without any of that, and no
        // mail may come for days: then once a second is often enough.
        if (now != segments || waitNanos(released) == 0) {
            segments = now;
            releasedBefore = released;
            lookNanos = System.nanoTime();
            wanted = now <= SPARE_SEGMENTS
                    ? Long.MAX_VALUE
                    : SPARE_SEGMENTS + 2 * register.totals().sizeBytes() / segmentBytes;
        }
        return !waiting.isEmpty() || segments > wanted;
    }

    /// How long until [#isDue] has to be asked though nothing comes; Long.MAX_VALUE when it has not.
    long waitNanos(long released) {
        return released == releasedBefore || segments <= SPARE_SEGMENTS
                ? Long.MAX_VALUE
                : Math.max(0, LOOK_NANOS - (System.nanoTime() - lookNanos));
    }

    /// Moves some letters. @return the first number that is still free
    long step(long nextSeq) throws IOException {
        if (waiting.isEmpty() && !begin()) {
            wanted = Long.MAX_VALUE;
            return nextSeq;
        }
        long seq = nextSeq;
        List<Change> moves = new ArrayList<>();
        List<Note> notes = new ArrayList<>();
        for (Found.Stored letter : queuedOfNext()) {
            Optional<Register.Located> there = register.locate(letter.letter().id());
            if (there.isPresent() && there.get().place().equals(letter.place())
                    && !fresh.isLeaving(letter.letter().id())) {
                Place to;
                try {
                    to = box.copy(seq, letter);
                } catch (DamagedLetterException e) {
                    // It stays where it is, with all behind it, until somebody reads it, sees it set aside and deletes it.
                    LOG.warn("event=letter-not-moved queue={} reason=\"{}\"", letter.letter().id(), e.getMessage());
                    continue;
                }
                moves.add(new Change.Move(letter.letter().id(), seq, letter.place(), to, there.get().sizeBytes()));
                note(letter.letter().id(), notes);
                seq++;
            }
        }
        if (!moves.isEmpty()) {
            write(moves, notes);
        }
        return seq;
    }

    private boolean begin() throws IOException {
        Optional<Long> first = box.firstSegment();
        if (first.isEmpty()) {
            return false;
        }
        movedUpTo = Math.max(movedUpTo, first.get());
        box.scanOne(first.get(), 0, found -> {
            if (found instanceof Found.Stored stored) {
                waiting.add(stored);
            }
        });
        LOG.debug("event=segment-cleaned segment={} letters={}", first.get(), waiting.size());
        return !waiting.isEmpty();
    }

    private List<Found.Stored> queuedOfNext() throws IOException {
        List<Found.Stored> next = new ArrayList<>();
        while (next.size() < AT_ONCE && !waiting.isEmpty()) {
            next.add(waiting.poll());
        }
        Set<QueueId> known = new HashSet<>(register.known(next.stream().map(each -> each.letter().id()).toList()));
        return next.stream().filter(each -> known.contains(each.letter().id())).toList();
    }

    /// What was noted of the letter in segments that will go before its copy does.
    private void note(QueueId id, List<Note> notes) throws IOException {
        try {
            register.message(id).ifPresent(message -> {
                message.recipients().forEach(each -> {
                    switch (each.status()) {
                        case OPEN -> {
                        }
                        case DELIVERED -> notes.add(new Note(What.DELIVERED, id, each.recipient().number()));
                        case FAILED, FAILED_AND_REPORTED ->
                            notes.add(new Note(What.FAILED, id, each.recipient().number()));
                    }
                });
                if (message.recipients().stream()
                        .anyMatch(each -> each
                                .status() == org.slipstream.spool.register.RecipientStatus.FAILED_AND_REPORTED)) {
                    notes.add(new Note(What.REPORTED, id));
                }
                if (message.summary().held()) {
                    notes.add(new Note(What.HELD, id));
                }
            });
        } catch (DamagedRowsException e) {
            LOG.debug("event=no-notes queue={} reason=\"{}\"", id, e.getMessage());
        }
    }

    private void write(List<Change> moves, List<Note> notes) throws IOException {
        if (!notes.isEmpty()) {
            box.note(notes);
        }
        box.barrier();
        register.write(moves);
        register.barrier();
        for (Change change : moves) {
            if (change instanceof Change.Move move) {
                box.moved(move.from(), move.to());
                fresh.moved(move.id(), move.to());
            }
        }
    }
}
