package org.slipstream.spool.log;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongPredicate;
import java.util.zip.CRC32C;

/// Finds the salt of a segment whose 32 bytes of header are damaged: without it no record of 64 MiB of mail can be told from noise.
///
/// **Where it can still be learnt.** In the order in which it is tried:
///
/// 1. In its place. The damage hit the magic, the number or the checksum, and the salt is what it was.
/// 2. In its place, but for one byte. Magic and number are known, so the header's checksum says which of the 8 × 255 salts that
///    differ in one byte is meant.
/// 3. In the first record. A CRC is a register of 32 bits through which the bytes are pushed, and each push can be undone:
///    *before = undo(after, byte)*. The checksum in the record is the register after its last byte; pushed back over the whole
///    record, what remains is the register after the salt. That is all the salt ever does, so any eight bytes that lead there
///    serve in its place: four zeros, and four that are calculated.
///
/// **Why it is believed.** A salt from the header counts when at least one record is sound with it; one from the first record when
/// another record is sound with it, too, because the first fits by construction. Each is a coincidence of 32 bits. And only
/// the first record is ever asked: it lies at an offset that no mail can reach. Looking for records elsewhere until some agree with
/// each other would find those that somebody has put into a mail, which is what the salt is there to prevent (see [RecordFormat]).
///
/// What remains lost: a segment of which both the header and the first record are damaged, or which has a single record and more
/// than one wrong byte in its salt.
final class SegmentSalt {
    /// The polynomial of CRC-32C (Castagnoli; RFC 3720 section 12.1), lowest bit first.
    private static final int POLYNOMIAL = 0x82F63B78;
    private static final int[] PUSH = new int[256];
    /// Which entry of `PUSH` has this highest byte; each has another one.
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

    /// The salt as the header has it, or one that serves as well.
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
        for (long salt : mended(stated, number, segment.getInt(RecordFormat.SEGMENT_CRC_OFFSET))) {
            if (fits.test(salt)) {
                return Optional.of(salt);
            }
        }
        return ofFirstRecord(segment);
    }

    /// The same, from the file.
    static Optional<Long> find(Path file, long number) throws IOException {
        try (Arena arena = Arena.ofConfined(); FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return find(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena).asByteBuffer(), number);
        } catch (InternalError e) {
            // How the JVM reports that a mapped page could not be read.
            throw new IOException("cannot read " + file, e);
        }
    }

    private static List<Long> mended(long stated, long number, int crc) {
        List<Long> fitting = new ArrayList<>();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            for (long change = 1; change < 256; change++) {
                long salt = stated ^ change << shift;
                if (RecordFormat.segmentHeader(number, salt).getInt(RecordFormat.SEGMENT_CRC_OFFSET) == crc) {
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

    /// The register as it was when the record's first byte was about to be pushed.
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
        // Pushing bytes is the same as pushing zeros into a register that has them added, lowest byte first.
        return Integer.toUnsignedLong(Integer.reverseBytes(afterZeros ^ beforeZeros));
    }

    private static int undo(int after, byte pushed) {
        int index = INDEX[after >>> 24];
        return (after ^ PUSH[index]) << 8 | (index ^ pushed) & 0xff;
    }
}
