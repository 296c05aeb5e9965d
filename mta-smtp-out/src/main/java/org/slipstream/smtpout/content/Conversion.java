package org.slipstream.smtpout.content;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/// The content of a message, converted while it is read to a form that the peer supports.
///
/// | Content of a part | for a peer without 8BITMIME | for a peer with 8BITMIME |
/// |---|---|---|
/// | 7-bit | unchanged | unchanged |
/// | 8-bit text | quoted-printable | unchanged |
/// | 8-bit, not text | Base64 | unchanged |
/// | binary, where the sender declared BINARYMIME | Base64 | Base64 |
/// | encoded already, with invalid bytes | repaired | unchanged |
/// | lines of more than 998 octets in text | quoted-printable | quoted-printable |
/// | such lines elsewhere | Base64 | Base64 |
/// | such lines in encoded content | broken as the encoding permits | the same |
/// | such lines in a header | folded | folded |
///
/// RFC 6152 section 3 and RFC 3030 section 3 permit the conversion, and require it rather than
/// sending 8-bit bytes to a peer that has not agreed. It has a price: it breaks a DKIM signature,
/// which covers the encoded form (RFC 6376 section 5.3 advises signers to prepare for that). It
/// also breaks a signature within the message, which RFC 1847 section 2.1 requires to cover 7-bit
/// parts only. A message with a broken signature is still better than one whose eighth bits were
/// cut off.
///
/// Bytes beyond ASCII in preambles and epilogues, which are not displayed, become question marks.
/// Those in headers pass: no other form of them would be the same header.
public final class Conversion extends InputStream {
    private final Survey survey;
    private final boolean sevenBit;
    private final boolean binary;
    private final boolean shortLines;
    private final InputStream input;
    private final MimeWalker walker;
    private final ByteArrayOutputStream made = new ByteArrayOutputStream();
    private byte[] ready = {};
    private int position;
    private boolean over;

    /// @param sevenBit the peer lacks 8BITMIME
    /// @param binary the sender declared BINARYMIME
    /// @param shortLines shorten lines that are too long
    public Conversion(InputStream input, Survey survey, boolean sevenBit, boolean binary, boolean shortLines) {
        this.shortLines = shortLines;
        this.survey = survey;
        this.sevenBit = sevenBit;
        this.binary = binary;
        this.input = input;
        this.walker = new MimeWalker(input, new Writer());
    }

    @Override
    public int read() throws IOException {
        return fill() ? ready[position++] & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int most) throws IOException {
        if (most == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(most, ready.length - position);
        System.arraycopy(ready, position, bytes, from, count);
        position += count;
        return count;
    }

    private boolean fill() throws IOException {
        while (position == ready.length && !over) {
            over = !walker.step();
            if (made.size() >= MimeWalker.PIECE_BYTES || over) {
                ready = made.toByteArray();
                made.reset();
                position = 0;
            }
        }
        return position < ready.length;
    }

    @Override
    public void close() throws IOException {
        input.close();
    }

    private final class Writer implements MimeWalker.Handler {
        private int entity = -1;
        private Encoder encoder = new Encoder.Same();

        @Override
        public void header(Entity header) {
            entity++;
            encoder = encoder(header);
            String label = label(header);
            Entity fitting = shortLines ? header.folded() : header;
            made.writeBytes(label.equals(header.encoding())
                    ? fitting.bytes()
                    : fitting.bytes(label, entity == 0, charset()));
        }

        /// RFC 1428: the charset of the bytes beyond ASCII is unknown.
        private String charset() {
            return survey.isEightBit(entity) ? "unknown-8bit" : "us-ascii";
        }

        private Encoder encoder(Entity header) {
            if (header.isMultipart() || header.isMessage()) {
                return new Encoder.Same();
            }
            boolean tooLong = shortLines && survey.hasLongLines(entity);
            if (header.isEncoded() && tooLong) {
                return header.encoding().equals("base64") ? new Encoder.Rewrapped() : new Encoder.SoftBroken(sevenBit);
            }
            if (header.isEncoded()) {
                return sevenBit && survey.isEightBit(entity)
                        ? new Encoder.Mended(header.encoding().equals("base64"))
                        : new Encoder.Same();
            }
            if (binary && survey.isBinary(entity)) {
                return new Encoder.InBase64();
            }
            if (tooLong || sevenBit && survey.isEightBit(entity)) {
                return header.isText() ? new Encoder.InQuotedPrintable() : new Encoder.InBase64();
            }
            return new Encoder.Same();
        }

        private String label(Entity header) {
            return switch (encoder) {
                case Encoder.InQuotedPrintable _ -> "quoted-printable";
                case Encoder.InBase64 _ -> "base64";
                case Encoder.Mended _,Encoder.SoftBroken _,Encoder.Rewrapped _ -> header.encoding();
                case Encoder.Same _ -> plain(header.encoding());
            };
        }

        /// Content that needs no encoding any more needs no 8-bit label either.
        private String plain(String label) {
            boolean more = label.equals("8bit") || label.equals("binary");
            return more && sevenBit ? "7bit" : label.equals("binary") && binary ? "8bit" : label;
        }

        @Override
        public void content(byte[] bytes, int length) {
            encoder.content(bytes, length, made);
        }

        @Override
        public void newline() {
            encoder.newline(made);
        }

        @Override
        public void contentEnds() {
            encoder.end(made);
        }

        @Override
        public void outside(byte[] bytes, int length) {
            for (int i = 0; i < length; i++) {
                made.write(bytes[i] < 0 && sevenBit ? '?' : bytes[i]);
            }
        }
    }
}
