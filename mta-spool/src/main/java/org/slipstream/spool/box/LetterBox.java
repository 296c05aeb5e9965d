package org.slipstream.spool.box;

import org.slipstream.core.Letter;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Where letters lie. The box knows bytes and places; what a letter is still good for is the register's business.
///
/// Appending, [#barrier], [#entered], [#released] and [#sweep] belong to the writer thread (and to start-up, before there is
/// one). [#letter], [#ownFile] and [#noteEarly] may be called by any thread.
///
/// The interface is the door to a cluster: nodes that share mail would fill it with rows instead of segments.
public interface LetterBox extends AutoCloseable {
    /// Adds a letter; it is safe only after [#barrier].
    ///
    /// @param seq greater than every one before, in this run and in all earlier ones
    Place append(long seq, NewLetter letter) throws IOException;

    /// Adds a note that the letters `first` to `last` were refused after they had been appended, and makes it safe.
    void withdraw(long first, long last) throws IOException;

    /// Adds notes; they are safe only after [#barrier].
    ///
    /// The register knows all that, too. The notes are for the moment in which the register is thrown back, by a power cut or
    /// altogether: without them, letters that have left would leave once more.
    void note(List<Note> notes) throws IOException;

    /// Any thread: writes notes behind what lies in the box, before they come again by [#note]. They survive the end of the process
    /// as soon as this returns; a power cut only after the next [#barrier], and [#abandon] may take them away. Never throws: what
    /// cannot be written is left out, and the writer hears of the trouble at its next [#barrier].
    void noteEarly(List<Note> notes);

    /// Returns when all that was appended survives a power cut.
    void barrier() throws IOException;

    /// Forgets what was appended since the last barrier, as far as the disk lets us, and goes on in a fresh segment. Never
    /// throws: it is called when the disk is in trouble already.
    void abandon();

    /// A new file for the content of a large letter, written by the session's own thread.
    OwnFile ownFile(QueueId id) throws IOException;

    /// The content of the letter at a place. Opening or reading a damaged one throws [DamagedLetterException], after
    /// `damaged` has run.
    Letter letter(QueueId id, Place place, long sizeBytes, Runnable damaged);

    /// The register names this letter from now on.
    void entered(QueueId id, Place place);

    /// The register names this letter no more.
    void released(QueueId id, Place place, long nowMillis);

    /// How many segments there are that take no more letters.
    long closedSegments();

    /// The oldest of them, when letters in it are still named.
    Optional<Long> firstSegment();

    /// Adds a letter that lies in the box already, under a new number; safe only after [#barrier].
    Place copy(long seq, Found.Stored letter) throws IOException;

    /// The register names a copy now.
    void moved(Place from, Place to);

    /// Deletes what nobody has named for the grace time; with `hurry` without waiting for it.
    ///
    /// @return when to sweep again; Long.MAX_VALUE when nothing waits
    long sweep(long nowMillis, boolean hurry);

    /// What lies in the box from a place on, in order: at start-up, before anything is appended.
    default void scan(long segment, long offset, Consumer<Found> found) throws IOException {
        for (long number : segments()) {
            if (number >= segment) {
                scanOne(number, number == segment ? offset : 0, found);
            }
        }
    }

    /// What lies in one closed segment from an offset on.
    void scanOne(long segment, long offset, Consumer<Found> found) throws IOException;

    /// What a scan meets.
    sealed interface Found {
        /// A sound letter.
        record Stored(StoredLetter letter, Place place) implements Found {}

        /// Letters that were refused after they had been appended.
        record Withdrawn(long first, long last) implements Found {}

        /// What became of letters that lie before it.
        record Noted(List<Note> notes) implements Found {}

        /// Bytes that make no sense although something sound, or a whole record's length, follows.
        ///
        /// @param copy where they have been set aside
        record Damaged(long segment, long offset, long bytes, String copy) implements Found {}

        /// The segment's beginning is damaged, and its records could be read all the same.
        ///
        /// @param copy where the damaged bytes have been set aside
        record Headless(long segment, String copy) implements Found {}

        /// The segment ends inside a record: here the machine stopped, and nobody was told that this letter was safe.
        record Torn(long segment, long offset, long bytes) implements Found {}
    }

    /// Start-up: numbers of the segments that exist.
    Set<Long> segments();

    /// Start-up: segments up to this number were deleted by [#sweep], so nothing in them was queued. A missing segment with a
    /// greater number is a loss.
    long sweptUpTo();

    /// Start-up: true when the letter's own file exists.
    boolean hasOwnFile(QueueId id);

    /// Start-up, after the replay: how many letters of each segment the register names, and which own files. Whatever
    /// else exists is thrown away after the grace time. New segments get numbers above `lastSegment`.
    void adopt(Map<Long, Long> named, Set<QueueId> ownFiles, long lastSegment, long nowMillis) throws IOException;

    @Override
    void close();
}
