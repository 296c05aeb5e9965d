package org.slipstream.lab.journal;

import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The octets of a journal, whose lines have a bound: the beginning has a row for each known host,
/// and a file that is no journal may be a single line.
final class LineBound extends FilterInputStream {
    static final int LONGEST = 64 << 20;

    private int length;

    private LineBound(InputStream in) {
        super(in);
    }

    static BufferedReader open(Path file) throws IOException {
        return reader(Files.newInputStream(file));
    }

    static BufferedReader reader(InputStream in) {
        return new BufferedReader(new InputStreamReader(new LineBound(in), StandardCharsets.UTF_8));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] octets, int offset, int most) throws IOException {
        int count = super.read(octets, offset, most);
        for (int i = 0; i < count; i++) {
            length = octets[offset + i] == '\n' ? 0 : length + 1;
            if (length > LONGEST) {
                throw new IOException("a line is longer than " + LONGEST + " octets");
            }
        }
        return count;
    }
}
