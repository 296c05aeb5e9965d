package org.slipstream.spool.log;

import org.slipstream.core.Address;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A growing byte array. Unlike DataOutputStream it has no locks and no 64 KiB limit on a text.
final class ByteOutput {
    private byte[] bytes;
    private int length;

    ByteOutput(int capacity) {
        bytes = new byte[capacity];
    }

    void octet(int value) {
        reserve(1);
        bytes[length++] = (byte) value;
    }

    void number(int value) {
        reserve(5);
        int rest = value;
        while (rest > 0x7f) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
    }

    void text(String text) {
        octets(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Their number comes first.
    void octets(byte[] octets) {
        number(octets.length);
        reserve(octets.length);
        System.arraycopy(octets, 0, bytes, length, octets.length);
        length += octets.length;
    }

    void address(Address address) {
        text(address.localPart());
        text(address.domain());
    }

    void eightBytes(long value) {
        reserve(Long.BYTES);
        ByteBuffer.wrap(bytes).putLong(length, value);
        length += Long.BYTES;
    }

    void fourBytes(int value) {
        reserve(Integer.BYTES);
        ByteBuffer.wrap(bytes).putInt(length, value);
        length += Integer.BYTES;
    }

    void append(byte[] more) {
        reserve(more.length);
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
    }

    int length() {
        return length;
    }

    /// Takes back everything behind `end`.
    void cut(int end) {
        length = end;
    }

    /// A view of the first `end` bytes.
    ByteBuffer view(int end) {
        return ByteBuffer.wrap(bytes, 0, end).slice();
    }

    byte[] toBytes() {
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
