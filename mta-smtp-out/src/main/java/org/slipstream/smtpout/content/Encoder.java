package org.slipstream.smtpout.content;

import org.slipstream.core.text.QuotedPrintable;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;

/// Writes the content of one part in another form. The line end before the next delimiter is not
/// part of the content.
sealed interface Encoder {
    byte[] CRLF = {'\r', '\n'};

    void content(byte[] bytes, int length, ByteArrayOutputStream out);

    void newline(ByteArrayOutputStream out);

    void end(ByteArrayOutputStream out);

    /// No change.
    record Same() implements Encoder {
        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            out.write(bytes, 0, length);
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            out.writeBytes(CRLF);
        }

        @Override
        public void end(ByteArrayOutputStream out) {}
    }

    /// For content whose label names an encoding that does not have all of its octets. In
    /// quoted-printable these octets are escaped; in Base64 readers skip them (RFC 2045 section
    /// 6.8), so they are left out.
    record Mended(boolean base64) implements Encoder {
        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            for (int i = 0; i < length; i++) {
                if (bytes[i] >= 0) {
                    out.write(bytes[i]);
                } else if (!base64) {
                    QuotedPrintable.escape(bytes[i], out);
                }
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            out.writeBytes(CRLF);
        }

        @Override
        public void end(ByteArrayOutputStream out) {}
    }

    /// For quoted-printable with lines that are too long: soft line breaks are inserted, never
    /// inside of an escape.
    final class SoftBroken implements Encoder {
        private static final int MOST_COLUMNS = 75;

        private final boolean sevenBit;
        private int column;
        private int ofEscape;

        SoftBroken(boolean sevenBit) {
            this.sevenBit = sevenBit;
        }

        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            for (int i = 0; i < length; i++) {
                boolean escaped = bytes[i] < 0 && sevenBit;
                int width = escaped || bytes[i] == '=' ? 3 : 1;
                if (ofEscape > 0) {
                    ofEscape--;
                } else if (column + width > MOST_COLUMNS) {
                    out.write('=');
                    out.writeBytes(CRLF);
                    column = 0;
                }
                if (escaped) {
                    QuotedPrintable.escape(bytes[i], out);
                } else {
                    ofEscape = bytes[i] == '=' ? 2 : ofEscape;
                    out.write(bytes[i]);
                }
                column += escaped ? 3 : 1;
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            out.writeBytes(CRLF);
            column = 0;
            ofEscape = 0;
        }

        @Override
        public void end(ByteArrayOutputStream out) {}
    }

    /// For Base64 with lines that are too long: the same characters in lines of 76. Others are left
    /// out, as readers do (RFC 2045 section 6.8).
    final class Rewrapped implements Encoder {
        private static final int COLUMNS = 76;

        private int column;

        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            for (int i = 0; i < length; i++) {
                if (bytes[i] > ' ') {
                    if (column == COLUMNS) {
                        out.writeBytes(CRLF);
                        column = 0;
                    }
                    out.write(bytes[i]);
                    column++;
                }
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            // The lines are written again with their own ends.
        }

        @Override
        public void end(ByteArrayOutputStream out) {}
    }

    /// Quoted-printable (RFC 2045 section 6.7), for text: lines stay lines, and most letters stay
    /// readable.
    final class InQuotedPrintable implements Encoder {
        private final QuotedPrintable text = new QuotedPrintable();

        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            for (int i = 0; i < length; i++) {
                text.octet(bytes[i], out);
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            text.newline(out);
        }

        @Override
        public void end(ByteArrayOutputStream out) {
            text.end(out);
        }
    }

    /// Base64 (RFC 2045 section 6.8), for any content: byte for byte.
    final class InBase64 implements Encoder {
        private static final int LINE_BYTES = 57;

        private final byte[] line = new byte[LINE_BYTES];
        private int length;
        private boolean begun;

        @Override
        public void content(byte[] bytes, int count, ByteArrayOutputStream out) {
            for (int i = 0; i < count; i++) {
                if (length == LINE_BYTES) {
                    flush(out);
                }
                line[length++] = bytes[i];
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            content(CRLF, 2, out);
        }

        @Override
        public void end(ByteArrayOutputStream out) {
            if (length > 0) {
                flush(out);
            }
        }

        private void flush(ByteArrayOutputStream out) {
            if (begun) {
                out.writeBytes(CRLF);
            }
            begun = true;
            out.writeBytes(Base64.getEncoder().encode(Arrays.copyOf(line, length)));
            length = 0;
        }
    }
}
