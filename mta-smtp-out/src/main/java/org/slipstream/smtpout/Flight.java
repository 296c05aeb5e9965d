package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Letter;
import org.slipstream.smtpout.wire.Chunks;
import org.slipstream.smtpout.wire.LongLines;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// A parcel under way. Its letter is open until it has been written.
final class Flight {
    private static final Logger log = LoggerFactory.getLogger(Flight.class);

    final Parcel parcel;
    /// Where on the wire its last byte is; beyond everything as long as that has not been put.
    long endsAt = Long.MAX_VALUE;
    long sentNanos;
    /// Parcels under way when it was begun, itself among them, and how many were wanted.
    int underWay;
    int depthThen;

    private final long sizeBytes;
    private final Letter whole;
    private final InputStream letter;
    private final boolean chunked;
    private final LongLines longLines;
    private Optional<Chunks> chunks = Optional.empty();
    private boolean closed;

    /// @throws IOException when the letter cannot be opened
    ///
    /// @param letter the parcel's own, or what the peer can take of it
    /// @param chunked it goes by BDAT
    Flight(Parcel parcel, Letter letter, boolean chunked, LongLines longLines) throws IOException {
        this.whole = letter;
        this.chunked = chunked;
        this.longLines = longLines;
        this.parcel = parcel;
        this.sizeBytes = letter.sizeBytes();
        this.letter = letter.open();
    }

    long sizeBytes() {
        return sizeBytes;
    }

    Chunks chunks() {
        if (chunks.isEmpty()) {
            chunks = Optional.of(chunked
                    ? Chunks.forBdat(letter, sizeBytes, longLines)
                    : Chunks.forData(letter, sizeBytes, longLines));
        }
        return chunks.get();
    }

    /// True when there are lines that must be made shorter first. A letter of one piece is read for this and then sent from
    /// memory; a longer one is read once more.
    boolean needsShorterLines() throws IOException {
        if (longLines != LongLines.CONVERT) {
            return false;
        }
        try {
            if (chunks().hasLongLine() || chunks().isLast()) {
                return chunks().hasLongLine();
            }
            try (InputStream again = whole.open()) {
                return LongLines.isIn(again);
            }
        } catch (IOException unreadable) {
            close();
            throw unreadable;
        }
    }

    void close() {
        if (closed) {
            return;
        }
        closed = true;
        chunks = Optional.empty();
        try {
            letter.close();
        } catch (IOException e) {
            // The letter has been read or is not needed any more.
            log.warn("msg=\"message cannot be closed\" queue={}", parcel.id(), e);
        }
    }
}
