package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.Chunks;
import org.slipstream.smtpout.wire.LongLines;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// A delivery under way. Its content is open until it has been written.
final class Flight {
    private static final Logger log = LoggerFactory.getLogger(Flight.class);

    final Transfer transfer;
    /// The content could not be read to its end.
    boolean unreadable;
    /// Where on the wire its last byte is; beyond everything as long as that has not been put.
    long endsAt = Long.MAX_VALUE;
    long sentNanos;
    /// Deliveries under way when it was begun, itself among them, and how many were wanted.
    int underWay;
    int depthThen;

    private final InputStream content;
    private final boolean chunked;
    private final LongLines longLines;
    private Optional<Chunks> chunks = Optional.empty();
    private boolean closed;

    /// @param chunked it goes by BDAT
    /// @throws IOException when the content cannot be opened
    Flight(Transfer transfer, boolean chunked, LongLines longLines) throws IOException {
        this.transfer = transfer;
        this.chunked = chunked;
        this.longLines = longLines;
        this.content = transfer.content().open();
    }

    Chunks chunks() {
        if (chunks.isEmpty()) {
            chunks = Optional.of(chunked
                    ? Chunks.forBdat(content, transfer.sizeBytes(), longLines)
                    : Chunks.forData(content, transfer.sizeBytes(), longLines));
        }
        return chunks.get();
    }

    /// True when there are lines that must be made shorter first. Content of one piece is read for this and then sent from
    /// memory; a longer one is read once more.
    boolean needsShorterLines() throws IOException {
        if (longLines != LongLines.CONVERT) {
            return false;
        }
        try {
            if (chunks().hasLongLine() || chunks().isLast()) {
                return chunks().hasLongLine();
            }
            try (InputStream again = transfer.content().open()) {
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
            content.close();
        } catch (IOException e) {
            // The content has been read or is not needed any more.
            log.warn("msg=\"message cannot be closed\" queue={}", transfer.delivery().id(), e);
        }
    }
}
