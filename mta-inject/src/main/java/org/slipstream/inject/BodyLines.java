package org.slipstream.inject;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;

/// Reads a body line by line. Empty lines are passed over.
final class BodyLines {
    private static final int BLOCK = 64 << 10;

    private final InputStream in;
    private final MessageDigest digest = RequestKeys.sha256();
    private byte[] block = new byte[BLOCK];
    private int from;
    private int to;
    private int number;

    BodyLines(InputStream in) {
        this.in = in;
    }

    /// The number of the line that was read last, from 1.
    int number() {
        return number;
    }

    /// The hash of the lines so far.
    String hash() {
        return RequestKeys.hashSoFar(digest);
    }

    /// @param most octets of the line
    /// @return empty at the end
    Optional<byte[]> next(long most) throws InjectionFault, IOException {
        Optional<byte[]> line = line(most);
        while (line.isPresent() && isBlank(line.get())) {
            line = line(most);
        }
        line.ifPresent(octets -> {
            digest.update(octets);
            digest.update((byte) '\n');
        });
        return line;
    }

    private static boolean isBlank(byte[] line) {
        for (byte octet : line) {
            if (octet != ' ' && octet != '\t' && octet != '\r') {
                return false;
            }
        }
        return true;
    }

    private Optional<byte[]> line(long most) throws InjectionFault, IOException {
        int seen = 0;
        while (true) {
            while (seen <= most && from + seen < to && block[from + seen] != '\n') {
                seen++;
            }
            if (seen > most) {
                throw InjectionFault.of(413, "line " + (number + 1) + " has more than " + most + " octets");
            }
            if (from + seen < to) {
                return Optional.of(taken(from + seen, from + seen + 1));
            }
            if (!fill()) {
                return from == to ? Optional.empty() : Optional.of(taken(to, to));
            }
        }
    }

    private byte[] taken(int end, int next) {
        byte[] line = Arrays.copyOfRange(block, from, end);
        from = next;
        number++;
        return line;
    }

    private boolean fill() throws IOException {
        if (from > 0) {
            System.arraycopy(block, from, block, 0, to - from);
            to -= from;
            from = 0;
        }
        if (to == block.length) {
            block = Arrays.copyOf(block, block.length * 2);
        }
        int got = in.read(block, to, block.length - to);
        to += Math.max(0, got);
        return got > 0;
    }
}
