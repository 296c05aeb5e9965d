package org.slipstream.spool.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// The hints of one segment: what a start has to know of its records, without envelopes and contents.
/// The idea is that of the hint files of Bitcask: a start reads some 30 octets for each record in place
/// of the whole log.
///
/// ```
/// chunk    0  magic and version   "SLIPHNT" 2
///          8  number              of the segment
///         16  salt                of the segment
///         24  from                offset in the segment
///         28  to                  the hints are those of the records between both offsets
///         32  length              of the hints
///         36  crc                 of the 36 bytes before and of the hints
///         40  hints               [HintCodec]
/// ```
///
/// **Nothing depends on them.** A chunk is written when its records are durable, and is never synced.
/// Where it is missing, torn, of another log, or goes on behind the end of its segment, the segment
/// itself is read.
final class Hints {
    static final long MAGIC = 0x534c4950484e5402L;
    static final int HEADER = 40;
    private static final int CRC_OFFSET = 36;
    /// A start reads at most so much of the log without hints.
    private static final int LOG_BYTES = 4 << 20;
    private static final int MOST_BYTES = 1 << 20;
    private static final Logger log = LoggerFactory.getLogger(Hints.class);

    private final LogStore store;
    private final long number;
    private final long salt;
    private final ByteOutput hints = new ByteOutput(1 << 10);
    private int from = RecordFormat.SEGMENT_HEADER;
    /// Hints before are those of durable records.
    private int durable;
    private int to = from;
    private int latest;
    private boolean failed;

    /// The hints of a segment that begins now.
    Hints(LogStore store, long number, long salt) {
        this.store = store;
        this.number = number;
        this.salt = salt;
    }

    /// Belongs to the log thread.
    ///
    /// @param offset where the record begins
    synchronized void add(LogRecord record, long offset) {
        if (failed) {
            return;
        }
        if (offset != latest) {
            latest = (int) offset;
            HintCodec.at(hints, latest);
        }
        HintCodec.encode(hints, record);
    }

    /// Everything that was added is durable.
    ///
    /// @param end of the segment
    synchronized void synced(long end) {
        durable = hints.length();
        to = (int) end;
    }

    /// As [#synced], and writes a chunk when it is large enough.
    synchronized void keep(long end) {
        synced(end);
        if (to - from >= LOG_BYTES || durable >= MOST_BYTES) {
            write();
        }
    }

    /// Writes what is durable. A full disk costs the next start time, and nothing else.
    synchronized void write() {
        if (to == from || failed) {
            return;
        }
        ByteBuffer chunk = ByteBuffer.allocate(HEADER + durable).putLong(MAGIC).putLong(number).putLong(salt)
                .putInt(from)
                .putInt(to).putInt(durable).putInt(0).put(hints.view(durable)).flip();
        chunk.putInt(CRC_OFFSET, crc(chunk));
        boolean first = from == RecordFormat.SEGMENT_HEADER;
        try {
            store.addHints(number, first, chunk);
        } catch (IOException e) {
            log.debug("event=hints-not-written segment={} error=\"{}\"", number, e.toString());
            failed = true;
            return;
        }
        byte[] later = new byte[hints.length() - durable];
        hints.view(hints.length()).get(durable, later);
        hints.cut(0);
        hints.append(later);
        durable = 0;
        from = to;
    }

    private static int crc(ByteBuffer chunk) {
        CRC32C crc = new CRC32C();
        crc.update(chunk.slice(0, CRC_OFFSET));
        crc.update(chunk.slice(HEADER, chunk.limit() - HEADER));
        return (int) crc.getValue();
    }

    long number() {
        return number;
    }

    /// Tells the hints in memory.
    ///
    /// @param after the records before this offset have been told
    /// @return the end of the durable records; 0 when records before those in memory have not been told
    synchronized int tell(long after, LogChanges changes) throws IOException {
        if (failed || after < from && from > RecordFormat.SEGMENT_HEADER) {
            return 0;
        }
        HintCodec.decode(hints.view(durable), number, after, changes);
        return to;
    }

    /// Tells the hints that the store has.
    ///
    /// @param after the records before this offset have been told
    /// @param segmentBytes length of the segment
    /// @return where the records without a hint begin
    static int read(LogStore store, long number, long salt, long after, long segmentBytes, LogChanges changes)
            throws IOException {
        int reached = RecordFormat.SEGMENT_HEADER;
        ByteBuffer bytes = store.hints(number, MOST_BYTES + 2 * segmentBytes);
        try {
            while (bytes.remaining() >= HEADER) {
                ByteBuffer header = bytes.slice();
                int length = header.getInt(32);
                int to = header.getInt(28);
                if (header.getLong(0) != MAGIC || header.getLong(8) != number || header.getLong(16) != salt
                        || header.getInt(24) != reached || to < reached || to > segmentBytes || length < 0
                        || length > header.limit() - HEADER
                        || crc(header.slice(0, HEADER + length)) != header.getInt(CRC_OFFSET)) {
                    return reached;
                }
                if (to > after) {
                    HintCodec.decode(header.slice(HEADER, length), number, after, changes);
                }
                reached = to;
                bytes.position(bytes.position() + HEADER + length);
            }
        } catch (DamagedMessageException | NewerLogException e) {
            log.debug("event=hints-not-read segment={} error=\"{}\"", number, e.toString());
        }
        return reached;
    }
}
