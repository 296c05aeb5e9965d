package org.slipstream.auth.dkim;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/// A message that streams: its header first, then its body in pieces.
public final class StreamedMessage {
    /// The listener takes shorter headers only; a message without an empty line is a header to its end.
    public static final int MOST_HEADER = 1 << 20;
    private static final int BLOCK = 64 << 10;

    private final InputStream in;
    private byte[] octets = new byte[BLOCK];
    private int length;
    private int body;

    /// Takes `octets[from, to)`.
    @FunctionalInterface
    public interface BodyPiece {
        void take(byte[] octets, int from, int to);
    }

    /// @param in is closed by the caller
    public StreamedMessage(InputStream in) {
        this.in = in;
    }

    /// Empty when the header is longer than [#MOST_HEADER]. To be called first, and once.
    public Optional<RawHeader> header() throws IOException {
        int searched = 0;
        while (length <= MOST_HEADER) {
            if (length == octets.length) {
                octets = Arrays.copyOf(octets, 2 * octets.length);
            }
            int read = in.read(octets, length, Math.min(BLOCK, octets.length - length));
            length += Math.max(0, read);
            body = read < 0 ? length : bodyStart(searched);
            if (body >= 0) {
                return Optional.of(new RawHeader(Arrays.copyOf(octets, body)));
            }
            searched = Math.max(0, length - 3);
        }
        return Optional.empty();
    }

    /// Behind the empty line; -1 when there is none yet. A message may begin with it.
    private int bodyStart(int from) {
        if (length >= 2 && octets[0] == '\r' && octets[1] == '\n') {
            return 2;
        }
        for (int at = from; at + 3 < length; at++) {
            if (octets[at] == '\r' && octets[at + 1] == '\n' && octets[at + 2] == '\r' && octets[at + 3] == '\n') {
                return at + 4;
            }
        }
        return -1;
    }

    /// Passes the body on. To be called after [#header], and once.
    public void body(BodyPiece piece) throws IOException {
        piece.take(octets, body, length);
        for (int read = in.read(octets); read >= 0; read = in.read(octets)) {
            piece.take(octets, 0, read);
        }
    }
}
