package org.slipstream.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/// The body of a request. It ends where the request ends, and gives at most [#limit] octets.
///
/// A body has a length or comes in chunks (RFC 9112 section 7.1). Extensions of chunks and trailers
/// are read and ignored.
public final class HttpBody extends InputStream {
    private static final int LONGEST_CHUNK_SIZE = 15;
    private static final int HEX = 16;

    private final HttpReader reader;
    private final InputStream in;
    private final OptionalLong length;
    private long left;
    private boolean ended;
    private long most = Long.MAX_VALUE;
    private long given;
    private boolean begun;
    private boolean failed;
    private Optional<Runnable> beforeFirst = Optional.empty();

    /// The body is longer than the limit.
    public static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        TooLongException(long most) {
            super("the body is longer than " + most + " octets");
        }
    }

    HttpBody(HttpReader reader, InputStream in, OptionalLong length) {
        this.reader = reader;
        this.in = in;
        this.length = length;
        this.left = length.orElse(0);
        this.ended = length.isPresent() && left == 0;
    }

    /// The length that the client has announced; empty for a body in chunks.
    public OptionalLong length() {
        return length;
    }

    /// Refuses to give more octets than this.
    public void limit(long octets) {
        most = octets;
    }

    /// True when the end was read.
    public boolean isEnded() {
        return ended;
    }

    /// True when the client or the network ended it too early. Nothing can be answered then.
    boolean isFailed() {
        return failed;
    }

    /// True when at least one read was tried.
    boolean isBegun() {
        return begun;
    }

    /// Runs once, before the first octet is read.
    void beforeFirst(Runnable action) {
        beforeFirst = Optional.of(action);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (!begun) {
            begun = true;
            if (!ended) {
                beforeFirst.ifPresent(Runnable::run);
            }
        }
        if (!ended && left == 0) {
            nextChunk();
        }
        if (ended) {
            return -1;
        }
        failed = true;
        int read = in.read(to, offset, (int) Math.min(count, left));
        if (read < 0) {
            throw new EOFException("connection closed within a body");
        }
        failed = false;
        left -= read;
        given += read;
        if (given > most) {
            throw new TooLongException(most);
        }
        if (left == 0) {
            if (length.isPresent()) {
                ended = true;
            } else {
                reader.emptyLine();
            }
        }
        return read;
    }

    /// Reads and discards the rest.
    ///
    /// @param octets at most
    /// @return true when the end was reached
    boolean drain(long octets) throws IOException {
        most = Long.MAX_VALUE;
        byte[] block = new byte[8192];
        long rest = octets;
        while (!ended && rest > 0) {
            int read = read(block, 0, (int) Math.min(block.length, rest));
            rest -= Math.max(read, 0);
        }
        return ended;
    }

    private void nextChunk() throws IOException {
        failed = true;
        String line = reader.bodyLine();
        failed = false;
        int end = line.indexOf(';');
        String size = (end < 0 ? line : line.substring(0, end)).strip();
        if (size.isEmpty() || size.length() > LONGEST_CHUNK_SIZE || !size.chars().allMatch(HttpBody::isHex)) {
            throw new HttpReader.MalformedException(400, "malformed size of a chunk");
        }
        left = Long.parseLong(size, HEX);
        if (left == 0) {
            reader.trailers();
            ended = true;
        }
    }

    private static boolean isHex(int octet) {
        return octet >= '0' && octet <= '9' || octet >= 'a' && octet <= 'f' || octet >= 'A' && octet <= 'F';
    }
}
