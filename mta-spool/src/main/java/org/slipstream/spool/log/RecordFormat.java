package org.slipstream.spool.log;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/// The format of a segment, byte by byte. Numbers are big-endian.
///
/// ```
/// segment  0  magic and version   "SLIPLOG" 1
///          8  number              as in the file's name
///         16  salt                random
///         24  length              of the sound part of the segment with the number before; 0: not known
///         28  crc                 of the 28 bytes before
///         32  records …
///
/// record   0  magic               "RECD"
///          4  length              of the envelope and what follows it
///          8  crc                 of the salt and of the whole record but these four bytes
///         12  kind                1 records without content · 2 message · 3 message with a file of its own ·
///                                 4, 5 as 2, 3: a message from another spool, with its state, or a report with the change
///                                 of the message that it is about
///         16  queue id            2 to 5
///         24  created             2 to 5: milliseconds since 1970
///         32  envelope length
///         36  envelope, then      1: records ([RecordCodec]) · 2: facts (17), content · 3: facts (17), size (8), crc of the
///                                 content (4) · 4, 5: facts (17), length (4) and records of the state, the rest as 2, 3
/// ```
///
/// **Why a salt.** After damage the scan looks for the next record in the bytes that follow, and
/// those may be the content of a mail. Without a secret number in every checksum, a mail that
/// contains the image of a record could put messages into the queue. The salt also keeps old disk
/// blocks from being taken for records.
final class RecordFormat {
    static final long SEGMENT_MAGIC = 0x534c49504c4f4701L;
    static final int SEGMENT_HEADER = 32;
    static final int SALT_OFFSET = 16;
    static final int BEFORE_OFFSET = 24;
    static final int SEGMENT_CRC_OFFSET = 28;
    static final int RECORD_MAGIC = 0x52454344;
    static final int RECORD_HEADER = 36;
    private static final int LENGTH_OFFSET = 4;
    static final int CRC_OFFSET = 8;
    static final int AFTER_CRC = 12;
    static final int OWN_FILE_TAIL = 12;
    static final int STATE_LENGTH = 4;

    enum Kind {
        RECORDS(1), MESSAGE(2), OWN_FILE(3), MOVED_MESSAGE(4), MOVED_OWN_FILE(5);

        final int code;

        Kind(int code) {
            this.code = code;
        }

        /// @throws NewerLogException when no kind has that number
        static Kind of(int code) throws NewerLogException {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new NewerLogException("a record of unknown kind " + code);
        }

        boolean isMessage() {
            return this == MESSAGE || this == MOVED_MESSAGE || hasOwnFile();
        }

        boolean hasOwnFile() {
            return this == OWN_FILE || this == MOVED_OWN_FILE;
        }

        boolean hasState() {
            return this == MOVED_MESSAGE || this == MOVED_OWN_FILE;
        }
    }

    /// A record's fixed part.
    record RecordHeader(int length, int crc, int kind, long id, long createdMillis, int envelopeLength) {
        long recordBytes() {
            return (long) RECORD_HEADER + length;
        }

        /// True when the lengths agree with each other and fit into `available` bytes from the
        /// record's start.
        boolean isPlausible(long available) {
            return length >= 0 && envelopeLength >= 0 && envelopeLength <= length && recordBytes() <= available;
        }

        /// True when some record has such a header, apart from its checksum.
        boolean isPossible() {
            return isPlausible(Long.MAX_VALUE) && switch (kind) {
                case 1 -> id == 0 && createdMillis == 0 && envelopeLength == 0;
                case 2, 3, 4, 5 -> true;
                default -> false;
            };
        }
    }

    /// Octets between the envelope and the content.
    ///
    /// @param rest what follows the envelope
    static int beforeContent(Kind kind, ByteBuffer rest) {
        int facts = RecordCodec.FACTS_BYTES;
        return facts + (kind.hasState() ? STATE_LENGTH + rest.getInt(rest.position() + facts) : 0);
    }

    /// The octets of the records of its state.
    ///
    /// @param rest what follows the envelope
    static ByteBuffer state(Kind kind, ByteBuffer rest) {
        int from = RecordCodec.FACTS_BYTES + STATE_LENGTH;
        return rest.slice(from, beforeContent(kind, rest) - from);
    }

    private RecordFormat() {}

    /// @param before length of the sound part of the segment before, or 0
    static ByteBuffer segmentHeader(long number, long salt, int before) {
        ByteBuffer header = ByteBuffer.allocate(SEGMENT_HEADER);
        header.putLong(SEGMENT_MAGIC).putLong(number).putLong(salt).putInt(before);
        CRC32C crc = new CRC32C();
        crc.update(header.array(), 0, header.position());
        return header.putInt((int) crc.getValue()).flip();
    }

    /// The salt of a segment.
    ///
    /// @throws DamagedMessageException when this is not the header of the segment of that number
    static long salt(ByteBuffer header, long number) throws DamagedMessageException {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(0, SEGMENT_CRC_OFFSET));
        if (header.getInt(SEGMENT_CRC_OFFSET) != (int) crc.getValue() || header.getLong(0) != SEGMENT_MAGIC
                || header.getLong(8) != number) {
            throw new DamagedMessageException("segment " + number + " has no valid beginning");
        }
        return header.getLong(SALT_OFFSET);
    }

    /// Fills `header` (of [#RECORD_HEADER] bytes) except for the checksum.
    static void putHeader(ByteBuffer header, Kind kind, int length, long id, long createdMillis,
            int envelopeLength) {
        header.clear();
        header.putInt(RECORD_MAGIC).putInt(length).putInt(0).putInt(kind.code).putLong(id)
                .putLong(createdMillis).putInt(envelopeLength);
        header.flip();
    }

    static RecordHeader header(ByteBuffer bytes, int at) {
        return new RecordHeader(bytes.getInt(at + LENGTH_OFFSET), bytes.getInt(at + CRC_OFFSET), bytes.getInt(at + 12),
                bytes.getLong(at + 16), bytes.getLong(at + 24), bytes.getInt(at + 32));
    }

    /// Starts the checksum of a record with the salt and the header on both sides of the crc field.
    static void startCrc(CRC32C crc, long salt, byte[] header, ByteBuffer scratch) {
        crc.reset();
        scratch.clear();
        scratch.putLong(salt).flip();
        crc.update(scratch);
        crc.update(header, 0, CRC_OFFSET);
        crc.update(header, AFTER_CRC, RECORD_HEADER - AFTER_CRC);
    }

    /// End of the record that begins at `at`; empty when no record begins there or it is
    /// incomplete.
    static OptionalInt wholeUntil(ByteBuffer bytes, int at) {
        int left = bytes.limit() - at;
        if (left < RECORD_HEADER || bytes.getInt(at) != RECORD_MAGIC) {
            return OptionalInt.empty();
        }
        RecordHeader header = header(bytes, at);
        return header.isPlausible(left) ? OptionalInt.of(at + (int) header.recordBytes()) : OptionalInt.empty();
    }

    /// True when a record with a correct checksum begins at `at`.
    static boolean isSound(ByteBuffer bytes, int at, long salt) {
        return wholeUntil(bytes, at).isPresent() && isSound(bytes, at, header(bytes, at), salt);
    }

    /// Start of the first valid record at or after `from`; the end when there is none.
    static int nextSound(ByteBuffer bytes, int from, long salt) {
        int at = from;
        while (at < bytes.limit() && !isSound(bytes, at, salt)) {
            at++;
        }
        return at;
    }

    /// True when the complete record at `at` has a correct checksum.
    static boolean isSound(ByteBuffer bytes, int at, RecordHeader header, long salt) {
        return isSound(bytes, at, header, header.length(), salt);
    }

    /// @param length the right one, if the one in the header is damaged
    private static boolean isSound(ByteBuffer bytes, int at, RecordHeader header, int length, long salt) {
        byte[] fixed = new byte[RECORD_HEADER];
        bytes.get(at, fixed);
        ByteBuffer.wrap(fixed).putInt(LENGTH_OFFSET, length);
        CRC32C crc = new CRC32C();
        startCrc(crc, salt, fixed, ByteBuffer.allocate(8));
        crc.update(bytes.slice(at + RECORD_HEADER, length));
        return (int) crc.getValue() == header.crc();
    }

    /// True when the bytes from `at` to the end are the beginning of a record, as a write leaves it that was
    /// not finished. Damage inside a whole record leaves a wrong magic, a header that no record has, or a record
    /// that is whole with another length.
    static boolean isUnfinished(ByteBuffer bytes, int at, long salt) {
        int left = bytes.limit() - at;
        ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES).putInt(0, RECORD_MAGIC);
        int compared = Math.min(left, Integer.BYTES);
        if (!bytes.slice(at, compared).equals(magic.slice(0, compared))) {
            return false;
        }
        if (left < RECORD_HEADER) {
            return true;
        }
        RecordHeader header = header(bytes, at);
        return header.isPossible() && header.recordBytes() > left
                && !isSound(bytes, at, header, left - RECORD_HEADER, salt);
    }
}
