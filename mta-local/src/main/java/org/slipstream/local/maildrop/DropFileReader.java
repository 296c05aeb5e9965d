package org.slipstream.local.maildrop;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/// Reads a file of the maildrop: first the envelope, then the content. The end of the content is
/// reached only when the last line proves that the file is whole.
public final class DropFileReader extends InputStream {
    /// Ten thousand long addresses.
    public static final int MOST_HEAD_BYTES = 4 << 20;

    private final InputStream file;
    private final CRC32C sum = new CRC32C();
    private long left;
    private long taken;
    private boolean checked;
    private final DropEnvelope envelope;

    /// @param size of the file
    /// @throws DropFileException when the envelope is not one
    public DropFileReader(InputStream file, long size) throws IOException {
        this.file = new BufferedInputStream(file, 64 * 1024);
        this.left = size - DropFormat.TRAILER_BYTES;
        this.envelope = readHead();
    }

    public DropEnvelope envelope() {
        return envelope;
    }

    private DropEnvelope readHead() throws IOException {
        if (!(line() + "\n").equals(DropFormat.FIRST_LINE)) {
            throw new DropFileException("not a file of this format or of this version");
        }
        List<String> lines = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            lines.add(line);
        }
        return DropFormat.envelope(lines);
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = read(); c != '\n'; c = read()) {
            if (c < 0 || taken > MOST_HEAD_BYTES) {
                throw new DropFileException("no end of the envelope");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] block, int offset, int length) throws IOException {
        if (left <= 0) {
            check();
            return -1;
        }
        int count = file.read(block, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw new DropFileException("shorter than it was");
        }
        sum.update(block, offset, count);
        left -= count;
        taken += count;
        return count;
    }

    private void check() throws IOException {
        if (checked) {
            return;
        }
        byte[] last = new byte[DropFormat.TRAILER_BYTES];
        if (file.readNBytes(last, 0, last.length) < last.length
                || !Arrays.equals(last, DropFormat.trailer(taken, sum))) {
            throw new DropFileException("cut off or changed: the checksum differs");
        }
        checked = true;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
