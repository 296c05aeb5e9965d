package org.slipstream.smtpout.content;

import org.slipstream.smtpout.wire.LongLines;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.BitSet;

/// The parts of a message that a peer may be unable to take. A conversion needs to know about a
/// part before its header is written, so the content is read once for the survey and once for the
/// conversion.
public final class Survey {
    private final BitSet eightBit = new BitSet();
    private final BitSet binary = new BitSet();
    private final BitSet longLines = new BitSet();
    private boolean longOutside;
    private boolean rigidHeader;
    private boolean signed;
    private boolean eightBitHeader;
    private boolean eightBitOutside;
    private boolean eightBitSomewhere;
    private boolean labelledBinary;
    private boolean walkable = true;

    private Survey() {}

    /// @throws IOException when the content cannot be read
    public static Survey of(InputStream input) throws IOException {
        Survey survey = new Survey();
        EightBitDetector watched = new EightBitDetector(input);
        MimeWalker walker = new MimeWalker(watched, survey.new PartScanner());
        try {
            while (walker.step()) {
                // The handler records everything.
            }
        } catch (MimeWalker.UnparsableException tooOdd) {
            survey.walkable = false;
            watched.transferTo(OutputStream.nullOutputStream());
            survey.eightBitSomewhere = watched.eightBit;
        }
        return survey;
    }

    /// Detects bytes beyond ASCII in any part.
    private static final class EightBitDetector extends FilterInputStream {
        private boolean eightBit;

        EightBitDetector(InputStream input) {
            super(input);
        }

        @Override
        public int read(byte[] bytes, int from, int most) throws IOException {
            int count = super.read(bytes, from, most);
            for (int i = from; i < from + count && !eightBit; i++) {
                eightBit = bytes[i] < 0;
            }
            return count;
        }
    }

    /// True when the header of the message or of a part has bytes beyond ASCII.
    public boolean hasEightBitHeader() {
        return eightBitHeader;
    }

    /// True when a body has bytes beyond ASCII; anywhere, in a message that cannot be parsed.
    public boolean hasEightBitContent() {
        return eightBitSomewhere || !eightBit.isEmpty() || eightBitOutside;
    }

    /// True when content needs BINARYMIME, or when that is unknown.
    public boolean hasBinaryContent() {
        return !walkable || labelledBinary || !binary.isEmpty();
    }

    /// False when the message cannot be parsed.
    public boolean isConvertible() {
        return walkable;
    }

    /// True when a signature covers the lines, which a conversion would break.
    public boolean isSigned() {
        return signed;
    }

    /// True when all long lines can be shortened: they are in parts that can be encoded or in
    /// headers that can be folded.
    public boolean canShortenLines() {
        return walkable && !longOutside && !rigidHeader;
    }

    boolean hasLongLines(int entity) {
        return longLines.get(entity);
    }

    /// @param entity by the number of its header, from 0
    boolean isEightBit(int entity) {
        return eightBit.get(entity);
    }

    boolean isBinary(int entity) {
        return binary.get(entity);
    }

    private final class PartScanner implements MimeWalker.Handler {
        private int entity = -1;
        private int column;
        private int outside;

        @Override
        public void header(Entity header) {
            entity++;
            column = 0;
            eightBitHeader |= header.hasEightBitHeader();
            labelledBinary |= header.encoding().equals("binary");
            rigidHeader |= !header.canBeFolded();
            signed |= header.isSigned(entity == 0);
        }

        @Override
        public void content(byte[] bytes, int length) {
            boolean odd = false;
            for (int i = 0; i < length; i++) {
                if (bytes[i] < 0) {
                    eightBit.set(entity);
                }
                odd |= bytes[i] == 0 || bytes[i] == '\r' || bytes[i] == '\n';
            }
            column += length;
            if (column > LongLines.MOST_BYTES) {
                longLines.set(entity);
            }
            if (odd || column > LongLines.MOST_BYTES) {
                binary.set(entity);
            }
        }

        @Override
        public void newline() {
            column = 0;
        }

        @Override
        public void contentEnds() {
            column = 0;
        }

        @Override
        public void outside(byte[] bytes, int length) {
            for (int i = 0; i < length; i++) {
                eightBitOutside |= bytes[i] < 0;
                outside = bytes[i] == '\n' ? 0 : outside + 1;
                longOutside |= outside > LongLines.MOST_BYTES + 1;
            }
        }
    }
}
