package org.slipstream.auth.dkim;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.OptionalLong;

/// The SHA-256 digest of a body in its canonical form (RFC 6376 sections 3.4.3, 3.4.4, 3.7), taken
/// while the body streams.
///
/// **Method.** Octets pass into a small block on their way to the digest. Three things wait until it
/// is known whether they count: a CR (is it a line end?), blanks (is the line at its end?), and line
/// ends (is the body at its end?). Line ends are a number, however many they are, so memory is
/// constant, and each octet is touched once: 50 MB of any octet take linear time.
///
/// A line end is CRLF. A CR or LF alone is an octet like others.
public final class BodyHash {
    private static final int BLOCK = 4 << 10;

    private final boolean relaxed;
    private final long limit;
    private final MessageDigest digest = sha256();
    private final byte[] block = new byte[BLOCK];
    private int filled;
    private long total;
    private boolean cr;
    private boolean blank;
    private long lineEnds;

    public BodyHash(Canonicalization canonicalization) {
        this(canonicalization, OptionalLong.empty());
    }

    /// @param limit only so many canonical octets are hashed (the tag `l`)
    BodyHash(Canonicalization canonicalization, OptionalLong limit) {
        this.relaxed = canonicalization == Canonicalization.RELAXED;
        this.limit = limit.orElse(Long.MAX_VALUE);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }

    /// Takes `octets[from, to)`, the next piece of the body.
    public void update(byte[] octets, int from, int to) {
        for (int at = from; at < to;) {
            byte octet = octets[at];
            if (octet == '\n' && cr) {
                cr = false;
                blank = false;
                lineEnds++;
                at++;
                continue;
            }
            if (cr) {
                cr = false;
                begin();
                put((byte) '\r');
            }
            if (octet == '\r') {
                cr = true;
                at++;
            } else if (relaxed && Canonicalization.isBlank(octet)) {
                blank = true;
                at++;
            } else {
                begin();
                int end = endOfRun(octets, at, to);
                put(octets, at, end);
                at = end;
            }
        }
    }

    private int endOfRun(byte[] octets, int from, int to) {
        int at = from + 1;
        if (relaxed) {
            // One comparison for CR, space and tab; other controls begin a run of their own.
            while (at < to && (octets[at] & 0xff) > ' ') {
                at++;
            }
        } else {
            while (at < to && octets[at] != '\r') {
                at++;
            }
        }
        return at;
    }

    /// Line ends and a blank that have waited are inside the body, because an octet follows.
    private void begin() {
        for (; lineEnds > 0; lineEnds--) {
            put((byte) '\r');
            put((byte) '\n');
        }
        if (blank) {
            blank = false;
            put((byte) ' ');
        }
    }

    private void put(byte octet) {
        if (filled == BLOCK) {
            flush();
        }
        block[filled++] = octet;
    }

    private void put(byte[] octets, int from, int to) {
        if (to - from > BLOCK - filled) {
            flush();
            if (to - from > BLOCK) {
                hash(octets, from, to - from);
                return;
            }
        }
        System.arraycopy(octets, from, block, filled, to - from);
        filled += to - from;
    }

    private void flush() {
        hash(block, 0, filled);
        filled = 0;
    }

    private void hash(byte[] octets, int from, int length) {
        digest.update(octets, from, Math.clamp(limit - total, 0, length));
        total += length;
    }

    /// The digest, at the end of the body and once only. Empty lines at the end do not count; a last
    /// line without a CRLF gets one.
    public byte[] finish() {
        if (cr) {
            cr = false;
            begin();
            put((byte) '\r');
        }
        boolean empty = filled == 0 && total == 0;
        if (!empty || !relaxed) {
            put((byte) '\r');
            put((byte) '\n');
        }
        flush();
        return digest.digest();
    }

    /// After the end: canonical octets that were not hashed; negative when the body is shorter than
    /// the limit. 0 without a limit.
    long unsigned() {
        return limit == Long.MAX_VALUE ? 0 : total - limit;
    }
}
