package org.slipstream.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Finds the next CR or LF in a block, eight bytes at a time, and records whether an octet is above
/// 127.
///
/// Line ends and non-ASCII octets are all that a mail server looks for in a content. In profiles of
/// messages of 64 KiB, loops over single bytes were among the most expensive methods. One pass that
/// answers both questions costs as much as a pass for one.
///
/// **Method.** A long is read from the block and xored with eight copies of the byte that is
/// searched for: matching bytes become zero. `(x - 0x01…01) & ~x & 0x80…80` sets the top bit of
/// each zero byte. A borrow can set further bits, but only above a zero byte. The block is read in
/// little-endian order, so the lowest bit that is set is always correct (Mycroft 1987; Warren,
/// Hacker's Delight, section 6-1). The longs themselves are collected by OR; the remaining top bits
/// are the octets above 127.
public final class LineEnds {
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;
    private static final long CRS = '\r' * ONES;
    private static final long LFS = '\n' * ONES;

    private long passed;

    /// The position of the first CR or LF in `block[from, to)`; `to` when there is none.
    public int next(byte[] block, int from, int to) {
        long all = passed;
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            long eight = (long) EIGHT.get(block, at);
            long found = zeros(eight ^ CRS) | zeros(eight ^ LFS);
            if (found != 0) {
                // Bytes behind the line end may belong to another part of the input.
                passed = all | eight & Long.lowestOneBit(found) - 1;
                return at + Long.numberOfTrailingZeros(found) / Byte.SIZE;
            }
            all |= eight;
        }
        while (at < to && block[at] != '\r' && block[at] != '\n') {
            all |= block[at++];
        }
        passed = all;
        return at;
    }

    /// True when one of the bytes before the returned positions is above 127.
    public boolean eightBit() {
        return (passed & TOPS) != 0;
    }

    private static long zeros(long x) {
        return (x - ONES) & ~x & TOPS;
    }
}
