package org.slipstream.smtpout.content;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/// A letter, read in the form that a peer can take.
///
/// | Content of a part | to a peer without 8BITMIME | to a peer with it |
/// |---|---|---|
/// | 7-bit | as it is | as it is |
/// | 8-bit text | quoted-printable | as it is |
/// | 8-bit, not text | Base64 | as it is |
/// | binary, where the sender declared BINARYMIME | Base64 | Base64 |
/// | encoded already, with stray bytes | mended | as it is |
/// | lines of more than 998 octets in text | quoted-printable | quoted-printable |
/// | such lines elsewhere | Base64 | Base64 |
/// | such lines in what is encoded already | broken as the encoding allows | the same |
/// | such lines in a header | folded | folded |
///
/// The standard allows this, and asks for it rather than for sending 8-bit bytes to somebody who has not agreed (RFC 6152 section 3,
/// RFC 3030 section 3). It has a price: a DKIM signature covers the encoded form and is broken by it, which RFC 6376 section 5.3
/// tells signers to foresee, and so is a signature within the message, which RFC 1847 section 2.1 tells them to make of 7-bit parts only. A
/// broken signature is worth less than a whole letter; a letter whose eighth bits were cut off is worth less than either.
///
/// Bytes beyond ASCII in preambles and epilogues, which nobody reads, become question marks. Those in headers pass: there is no
/// other form for them that would be the same header.
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

    /// @param sevenBit the peer has no 8BITMIME
    /// @param binary the sender declared BINARYMIME
    /// @param shortLines lines that are too long are made shorter
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

        /// RFC 1428: nobody said which characters the bytes beyond ASCII are.
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

        /// What needs no encoding any more needs no permission either.
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
