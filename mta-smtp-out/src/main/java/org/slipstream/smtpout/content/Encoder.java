package org.slipstream.smtpout.content;

import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.HexFormat;

/// Writes the content of one part in another form. The line end before the next delimiter is not its own.
sealed interface Encoder {
    void content(byte[] bytes, int length, ByteArrayOutputStream out);

    void newline(ByteArrayOutputStream out);

    void end(ByteArrayOutputStream out);

    /// As it is.
    record Same() implements Encoder {
        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            out.write(bytes, 0, length);
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            out.writeBytes(Bytes.CRLF);
        }

        @Override
        public void end(ByteArrayOutputStream out) {}
    }

    /// For what claims to be encoded already and holds bytes that no such encoding has. In quoted-printable they are meant, so
    /// they are escaped; in Base64 readers skip them (RFC 2045 section 6.8), so they are left out.
    record Mended(boolean base64) implements Encoder {
        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            for (int i = 0; i < length; i++) {
                if (bytes[i] >= 0) {
                    out.write(bytes[i]);
                } else if (!base64) {
                    Bytes.escape(bytes[i], out);
                }
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            out.writeBytes(Bytes.CRLF);
        }

        @Override
        public void end(ByteArrayOutputStream out) {}
    }

    /// For quoted-printable with lines that are too long: soft line ends are put in, never into an escape.
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
                    out.writeBytes(Bytes.CRLF);
                    column = 0;
                }
                if (escaped) {
                    Bytes.escape(bytes[i], out);
                } else {
                    ofEscape = bytes[i] == '=' ? 2 : ofEscape;
                    out.write(bytes[i]);
                }
                column += escaped ? 3 : 1;
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            out.writeBytes(Bytes.CRLF);
            column = 0;
            ofEscape = 0;
        }

        @Override
        public void end(ByteArrayOutputStream out) {}
    }

    /// For Base64 with lines that are too long: the same characters in lines of 76. Others are left out, as readers do (RFC 2045 section
    /// 6.8).
    final class Rewrapped implements Encoder {
        private static final int COLUMNS = 76;

        private int column;

        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            for (int i = 0; i < length; i++) {
                if (bytes[i] > ' ') {
                    if (column == COLUMNS) {
                        out.writeBytes(Bytes.CRLF);
                        column = 0;
                    }
                    out.write(bytes[i]);
                    column++;
                }
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            // The lines are made anew.
        }

        @Override
        public void end(ByteArrayOutputStream out) {}
    }

    /// RFC 2045 section 6.7, for text: lines stay lines, and most letters stay readable.
    final class QuotedPrintable implements Encoder {
        /// One less than a line may have, for the sign that it goes on.
        private static final int MOST_COLUMNS = 75;

        private int column;
        /// A blank, which may turn out to be the last of its line and would get lost there. 0 for none.
        private byte heldBlank;

        @Override
        public void content(byte[] bytes, int length, ByteArrayOutputStream out) {
            for (int i = 0; i < length; i++) {
                byte next = bytes[i];
                payBlank(false, out);
                if (next == ' ' || next == '\t') {
                    heldBlank = next;
                } else {
                    write(next, next > ' ' && next < 127 && next != '=', out);
                }
            }
        }

        @Override
        public void newline(ByteArrayOutputStream out) {
            end(out);
            out.writeBytes(Bytes.CRLF);
            column = 0;
        }

        @Override
        public void end(ByteArrayOutputStream out) {
            payBlank(true, out);
        }

        private void payBlank(boolean last, ByteArrayOutputStream out) {
            if (heldBlank != 0) {
                byte blank = heldBlank;
                heldBlank = 0;
                write(blank, !last, out);
            }
        }

        private void write(byte next, boolean plain, ByteArrayOutputStream out) {
            int width = plain ? 1 : 3;
            if (column + width > MOST_COLUMNS) {
                out.write('=');
                out.writeBytes(Bytes.CRLF);
                column = 0;
            }
            column += width;
            if (plain) {
                out.write(next);
            } else {
                Bytes.escape(next, out);
            }
        }
    }

    /// RFC 2045 section 6.8, for everything: byte for byte.
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
            content(Bytes.CRLF, 2, out);
        }

        @Override
        public void end(ByteArrayOutputStream out) {
            if (length > 0) {
                flush(out);
            }
        }

        private void flush(ByteArrayOutputStream out) {
            if (begun) {
                out.writeBytes(Bytes.CRLF);
            }
            begun = true;
            out.writeBytes(Base64.getEncoder().encode(java.util.Arrays.copyOf(line, length)));
            length = 0;
        }
    }

    /// What all of them write.
    final class Bytes {
        static final byte[] CRLF = {'\r', '\n'};
        private static final HexFormat HEX = HexFormat.of().withUpperCase();

        private Bytes() {}

        static void escape(byte b, ByteArrayOutputStream out) {
            out.write('=');
            out.write(HEX.toHighHexDigit(b));
            out.write(HEX.toLowHexDigit(b));
        }
    }
}
