package org.slipstream.spool.log;

import org.slipstream.core.Content;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// The message log: every message with its content, and every record of what became of it, in the order in which it happened.
///
/// What is appended and synced is committed; nothing else is. [#append], [#sync], [#end] and [#abandon] belong to the log thread (and
/// to the start, before there is one). All other methods may be called by any thread.
public interface MessageLog extends AutoCloseable {
    /// Adds a message; it is safe only after [#sync].
    RecordPlace append(NewMessage message) throws IOException;

    /// Adds records that say what became of messages; they are safe only after [#sync].
    void append(List<LogRecord> records) throws IOException;

    /// Returns when all that was appended survives a power cut.
    void sync() throws IOException;

    /// Behind all that was appended.
    Position end();

    /// Forgets what was appended since the last sync, as far as the disk allows, and goes on in a fresh segment. Never throws: it is
    /// called when the disk is in trouble already.
    void abandon();

    /// A new file for the content of a large message, written by the session's own thread.
    OwnFile ownFile(QueueId id) throws IOException;

    /// The content of the message at a place. Opening or reading a damaged one throws [DamagedMessageException], after `damaged` has
    /// run.
    Content content(QueueId id, RecordPlace place, long sizeBytes, Runnable damaged);

    /// The message at a place, to be appended once more.
    ///
    /// @throws DamagedLetterException when its record is damaged
    NewMessage read(LogRecord.Stored stored) throws IOException;

    /// What lies in the log between two positions, in order. Segments that are missing are passed over.
    void scan(Position from, Position to, Consumer<Found> found) throws IOException;

    /// What a scan meets.
    sealed interface Found {
        /// A sound record.
        ///
        /// @param at where it begins; records that were appended together begin at the same place
        record Sound(LogRecord record, Position at) implements Found {}

        /// Messages that an earlier version appended and then refused.
        ///
        /// @param first the sequence number of the first one, @param last of the last one
        record Withdrawn(long first, long last) implements Found {}

        /// Bytes that make no sense although something sound, or a whole record's length, follows.
        ///
        /// @param copy where they have been set aside
        record Damaged(long segment, long offset, long bytes, String copy) implements Found {}

        /// The segment's beginning is damaged, and its records could be read all the same.
        ///
        /// @param copy where the damaged bytes have been set aside
        record Headless(long segment, String copy) implements Found {}

        /// The segment ends inside a record: here the machine stopped, and no client heard that this message was safe.
        record Torn(long segment, long offset, long bytes) implements Found {}
    }

    /// Numbers of the segments that exist, in order.
    Set<Long> segments() throws IOException;

    /// Segments up to this number were deleted in order, so no message in them was queued. A missing segment with a greater number is
    /// a loss.
    long deletedUpTo();

    /// Deletes a segment in which no message is queued, and which the index has left behind for good.
    void delete(long segment) throws IOException;

    Set<QueueId> ownFiles() throws IOException;

    void deleteOwnFile(QueueId id) throws IOException;

    /// At the start: new segments get greater numbers than this and than all that exist.
    void startAfter(long segment) throws IOException;

    @Override
    void close();
}
