package org.slipstream.spool.log;

import org.slipstream.core.Content;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// The message log: every message with its content, and every later change of it, in the order of
/// the changes.
///
/// Records that are appended and synced are committed; no others are. [#append], [#sync], [#end]
/// and [#abandon] belong to the log thread (and to the start, before that thread runs). All other
/// methods may be called by any thread.
public interface MessageLog extends AutoCloseable {
    /// Appends a message; it is durable only after [#sync].
    RecordPlace append(NewMessage message) throws IOException;

    /// Appends records of changes; they are durable only after [#sync].
    void append(List<LogRecord> records) throws IOException;

    /// As [LogStore#moves], for what is synced next.
    void moves(Set<QueueId> in, Set<QueueId> withdrawn);

    /// Makes everything that was appended survive a power cut.
    void sync() throws IOException;

    /// The position after the last appended record.
    Position end();

    /// Discards what was appended since the last sync, as far as the disk allows, and continues in
    /// a new segment. Never throws, because it is called when the disk has failed already.
    void abandon();

    /// Keeps space for records that make the queue shorter. Belongs to the log thread.
    ///
    /// @throws IOException when there is no space for it, and so none for new mail
    void keepReserve() throws IOException;

    /// The disk is full: gives the kept space to such records.
    void releaseReserve() throws IOException;

    /// Opens a new place for the content of a large message; the session's own thread writes it.
    LargeContent ownFile(QueueId id) throws IOException;

    /// The content of the message at a place. Opening or reading damaged content throws
    /// [DamagedMessageException] after `damaged` has run.
    Content content(QueueId id, RecordPlace place, long sizeBytes, Runnable damaged);

    /// Reads the message at a place, without its state, so that it can be appended once more.
    ///
    /// @throws DamagedMessageException when its record is damaged
    NewMessage read(QueueId id, RecordPlace place) throws IOException;

    /// Reads the log between two positions, in order. Missing segments are skipped, and those that
    /// were deleted in order and put back.
    void scan(Position from, Position to, Consumer<ScannedRecord> found) throws IOException;

    /// Tells the changes from a position on, without contents. They come from hints where there are
    /// some, so the octets of the records are not checked.
    ///
    /// @return the end of the durable log
    Position changes(Position from, LogChanges changes) throws IOException;

    /// The message at a place, without its content and its state.
    ///
    /// @throws DamagedMessageException when its record is damaged
    StoredMessage message(QueueId id, RecordPlace place, long sizeBytes) throws IOException;

    /// The records that were appended together at a position, or the state of the message there.
    ///
    /// @throws DamagedMessageException when there are no valid records
    List<LogRecord> records(Position at) throws IOException;

    /// A result of a scan.
    sealed interface ScannedRecord {
        /// A valid record.
        ///
        /// @param at where it begins; records that were appended together have the same position
        record Sound(LogRecord record, Position at) implements ScannedRecord {}

        /// Invalid bytes that are followed by a valid record, or that are not the beginning of a record.
        ///
        /// @param copy file to which they have been copied
        record Damaged(long segment, long offset, long bytes, String copy) implements ScannedRecord {}

        /// The segment's header is damaged, and its records could still be read.
        ///
        /// @param copy file to which the damaged bytes have been copied
        record Headless(long segment, String copy) implements ScannedRecord {}

        /// The segment ends with the beginning of a record: the machine stopped here, and no client got a
        /// 250 for this message.
        record Torn(long segment, long offset, long bytes) implements ScannedRecord {}
    }

    /// A segment of which something is lost.
    ///
    /// @param bytes that are left; 0 when its file is missing
    /// @param sound length of the part that is known to have been sound; 0: not known
    /// @param whole true when `sound` is the whole length; otherwise more may have followed
    record Gap(long segment, long bytes, long sound, boolean whole) {
        public String sentence() {
            return bytes == 0
                    ? "Segment " + segment + " is missing or empty."
                    : "Segment " + segment + " has " + bytes + " bytes; it had at least " + sound + ".";
        }
    }

    /// The losses that no start has reported yet. Reads the headers of the segments only.
    List<Gap> gaps() throws IOException;

    /// Remembers that a loss was reported.
    void reported(Gap gap) throws IOException;

    /// Segments of which more is here than when their loss was reported. The index does not have their records, so they
    /// must not be deleted.
    Set<Long> returned() throws IOException;

    /// The index was made again from the whole log, so it has the segments that returned.
    void returnedAreIndexed() throws IOException;

    /// True when the loss of a part of the log was reported and that part has not returned.
    boolean lacksSegments();

    /// Keeps lines for the operator in a file of `corrupt/`.
    void note(String name, List<String> lines) throws IOException;

    /// Numbers of the existing segments, in order.
    Set<Long> segments() throws IOException;

    /// Segments up to this number were deleted in order, so no message in them was queued. A
    /// missing segment with a greater number is lost.
    long deletedUpTo();

    /// Deletes a segment that holds no queued message and that the index has passed for good.
    void delete(long segment) throws IOException;

    Set<QueueId> ownFiles() throws IOException;

    /// True when the content of this message has, or had until now, a file of its own.
    boolean hasOwnFile(QueueId id) throws IOException;

    void deleteOwnFile(QueueId id) throws IOException;

    /// Moves the file into `corrupt/`.
    void setOwnFileAside(QueueId id) throws IOException;

    /// Moves the file back from `corrupt/`. @return false when there is none
    boolean restoreOwnFile(QueueId id) throws IOException;

    /// Asked from time to time: what endangers what was committed, in the operator's words; empty: nothing that is
    /// known. Keeps the claim of a log that has an end.
    Optional<String> danger() throws IOException;

    /// As [LogStore#isClaimedSince].
    boolean isClaimedSince() throws IOException;

    /// At the start: the log reached `known` at least, as the index says. New segments get greater numbers than
    /// that one and than all existing ones.
    void startAfter(Position known) throws IOException;

    /// Later: an index says that the log reached this position.
    void reached(Position known);

    /// On the log thread: nothing more is appended. The log can be read until [#close].
    void endWriting();

    @Override
    void close();
}
