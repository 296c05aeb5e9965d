package org.slipstream.spool.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongPredicate;
import java.util.zip.CRC32C;

/// Finds the salt of a segment whose 32-byte header is damaged. Without it no record of 64 MiB of
/// mail can be recognized.
///
/// **Where it is found**, in the order of the attempts:
///
/// 1. In its place, when the damage hit the magic, the number or the checksum.
/// 2. In its place, with one wrong byte. Magic and number are known, so the header's checksum tells
///    which of the 8 × 255 salts that differ in one byte is right.
/// 3. In the first record. A CRC is a register of 32 bits through which the bytes are pushed, and
///    each push can be undone: *before = undo(after, byte)*. The checksum in the record is the
///    register after its last byte; pushed back over the whole record, what remains is the register
///    after the salt. The salt has no other effect, so any eight bytes that lead to this state
///    serve in its place: four zeros, and four that are calculated.
///
/// **Why the result is right.** A salt from the header counts when at least one record is valid
/// with it. A salt from the first record counts when another record is also valid, because the
/// first fits by construction. Each is a coincidence of 32 bits. Only the first record is used,
/// because it is at an offset that mail content cannot reach. Searching elsewhere for records that
/// agree with each other would find records that an attacker put into a mail, which the salt
/// prevents (see [RecordFormat]).
///
/// These remain lost: a segment whose header and first record are both damaged, or one with a
/// single record and more than one wrong byte in its salt.
final class SegmentSalt {
    /// The polynomial of CRC-32C (Castagnoli; RFC 3720 section 12.1), lowest bit first.
    private static final int POLYNOMIAL = 0x82F63B78;
    private static final int[] PUSH = new int[256];
    /// Which entry of `PUSH` has this highest byte; the highest bytes are all different.
    private static final int[] INDEX = new int[256];

    static {
        for (int i = 0; i < 256; i++) {
            int entry = i;
            for (int bit = 0; bit < 8; bit++) {
                entry = (entry & 1) == 0 ? entry >>> 1 : entry >>> 1 ^ POLYNOMIAL;
            }
            PUSH[i] = entry;
            INDEX[entry >>> 24] = i;
        }
    }

    private SegmentSalt() {}

    /// The salt from the header, or an equivalent one.
    ///
    /// @param segment from its beginning
    static Optional<Long> find(ByteBuffer segment, long number) {
        if (segment.limit() < RecordFormat.SEGMENT_HEADER) {
            return Optional.empty();
        }
        LongPredicate fits = salt -> RecordFormat.nextSound(segment, RecordFormat.SEGMENT_HEADER, salt) < segment
                .limit();
        long stated = segment.getLong(RecordFormat.SALT_OFFSET);
        if (fits.test(stated)) {
            return Optional.of(stated);
        }
        for (long salt : mended(stated, number, segment.getInt(RecordFormat.BEFORE_OFFSET),
                segment.getInt(RecordFormat.SEGMENT_CRC_OFFSET))) {
            if (fits.test(salt)) {
                return Optional.of(salt);
            }
        }
        return ofFirstRecord(segment);
    }

    static Optional<Long> find(LogStore.OpenSegment segment, long number) throws IOException {
        try {
            return find(segment.view(Integer.MAX_VALUE), number);
        } catch (InternalError e) {
            throw new IOException("cannot read segment " + number, e);
        }
    }

    private static List<Long> mended(long stated, long number, int before, int crc) {
        List<Long> fitting = new ArrayList<>();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            for (long change = 1; change < 256; change++) {
                long salt = stated ^ change << shift;
                if (RecordFormat.segmentHeader(number, salt, before).getInt(RecordFormat.SEGMENT_CRC_OFFSET) == crc) {
                    fitting.add(salt);
                }
            }
        }
        return fitting;
    }

    private static Optional<Long> ofFirstRecord(ByteBuffer segment) {
        int at = RecordFormat.SEGMENT_HEADER;
        OptionalInt end = RecordFormat.wholeUntil(segment, at);
        if (end.isEmpty()) {
            return Optional.empty();
        }
        long salt = equivalent(afterSalt(segment, at, end.getAsInt()));
        return RecordFormat.nextSound(segment, end.getAsInt(), salt) < segment.limit()
                ? Optional.of(salt)
                : Optional.empty();
    }

    /// The register before the record's first byte was pushed.
    private static int afterSalt(ByteBuffer segment, int begin, int end) {
        int register = ~segment.getInt(begin + RecordFormat.CRC_OFFSET);
        for (int at = end - 1; at >= begin; at--) {
            if (at < begin + RecordFormat.CRC_OFFSET || at >= begin + RecordFormat.AFTER_CRC) {
                register = undo(register, segment.get(at));
            }
        }
        return register;
    }

    /// Eight bytes after which the register is `wanted`.
    private static long equivalent(int wanted) {
        CRC32C zeros = new CRC32C();
        zeros.update(new byte[4]);
        int afterZeros = ~(int) zeros.getValue();
        int beforeZeros = wanted;
        for (int i = 0; i < 4; i++) {
            beforeZeros = undo(beforeZeros, (byte) 0);
        }
        // Pushing bytes is the same as pushing zeros into a register to which they were added,
        // lowest byte first.
        return Integer.toUnsignedLong(Integer.reverseBytes(afterZeros ^ beforeZeros));
    }

    private static int undo(int after, byte pushed) {
        int index = INDEX[after >>> 24];
        return (after ^ PUSH[index]) << 8 | (index ^ pushed) & 0xff;
    }
}
