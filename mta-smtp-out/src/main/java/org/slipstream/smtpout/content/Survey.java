package org.slipstream.smtpout.content;

import org.slipstream.smtpout.wire.LongLines;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.BitSet;

/// What is in a letter that a peer may be unable to take, part by part. A conversion has to know of a part before it begins with its
/// header, so the letter is read once for this and once for the conversion.
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

    /// @throws IOException when the letter cannot be read
    public static Survey of(InputStream input) throws IOException {
        Survey survey = new Survey();
        Watched watched = new Watched(input);
        MimeWalker walker = new MimeWalker(watched, survey.new Looker());
        try {
            while (walker.step()) {
                // Everything happens in the looker.
            }
        } catch (MimeWalker.TooOddException tooOdd) {
            survey.walkable = false;
            watched.transferTo(OutputStream.nullOutputStream());
            survey.eightBitSomewhere = watched.eightBit;
        }
        return survey;
    }

    /// Sees bytes beyond ASCII whatever part they are in.
    private static final class Watched extends FilterInputStream {
        private boolean eightBit;

        Watched(InputStream input) {
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

    /// A header, of the message or of any part, has bytes beyond ASCII.
    public boolean hasEightBitHeader() {
        return eightBitHeader;
    }

    /// There are bytes beyond ASCII behind a header; anywhere, in a letter that is too odd.
    public boolean hasEightBitContent() {
        return eightBitSomewhere || !eightBit.isEmpty() || eightBitOutside;
    }

    /// There is content that only BINARYMIME could carry. True as well when that could not be found out.
    public boolean hasBinaryContent() {
        return !walkable || labelledBinary || !binary.isEmpty();
    }

    /// False when the letter is too odd to be converted.
    public boolean isConvertible() {
        return walkable;
    }

    /// Its lines must stay as they are: a signature covers them, and a conversion would break it.
    public boolean isSigned() {
        return signed;
    }

    /// Lines that are too long can all be made shorter: they stand in parts that can be encoded or in headers that can be folded.
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

    private final class Looker implements MimeWalker.Handler {
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
