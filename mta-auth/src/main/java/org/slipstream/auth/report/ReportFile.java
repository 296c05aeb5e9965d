package org.slipstream.auth.report;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipInputStream;

/// The file of a report: as it is, packed by gzip, or the first file of a zip. It comes from a stranger,
/// so it has [#MOST_OCTETS] at most, before and after it is unpacked.
public final class ReportFile {
    public static final int MOST_OCTETS = 32 << 20;

    private ReportFile() {}

    /// The octets of a file or of a stream.
    ///
    /// @throws IOException with a sentence when there are too many
    public static byte[] read(InputStream in) throws IOException {
        byte[] octets = in.readNBytes(MOST_OCTETS + 1);
        if (octets.length > MOST_OCTETS) {
            throw new IOException("it has more than " + (MOST_OCTETS >> 20) + " MiB");
        }
        return octets;
    }

    /// The text in a file. Reading it ends with an exception when it is longer than the bound.
    public static InputStream unpacked(byte[] file) throws IOException {
        return new Bounded(opened(file));
    }

    private static InputStream opened(byte[] file) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(file);
        if (file.length > 1 && file[0] == 0x1f && (file[1] & 0xff) == 0x8b) {
            return new GZIPInputStream(in);
        }
        if (file.length > 1 && file[0] == 'P' && file[1] == 'K') {
            ZipInputStream zip = new ZipInputStream(in, StandardCharsets.ISO_8859_1);
            if (zip.getNextEntry() == null) {
                throw new IOException("the archive is empty");
            }
            return zip;
        }
        return in;
    }

    /// The packed text.
    public static byte[] gzip(byte[] text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toByteArray();
    }

    /// Ends a bomb.
    private static final class Bounded extends InputStream {
        private final InputStream in;
        private int left = MOST_OCTETS;

        Bounded(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            int octet = in.read();
            count(octet < 0 ? 0 : 1);
            return octet;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int got = in.read(into, offset, length);
            count(Math.max(0, got));
            return got;
        }

        private void count(int octets) throws IOException {
            left -= octets;
            if (left < 0) {
                throw new IOException("it is longer than " + (MOST_OCTETS >> 20) + " MiB when it is unpacked");
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
