package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.Chunks;
import org.slipstream.smtpout.wire.LongLines;

import java.io.IOException;

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

    private final Chunks chunks;
    private final LongLines longLines;
    private boolean closed;

    /// @param chunked it goes by BDAT
    /// @throws IOException when the content cannot be opened
    Flight(Transfer transfer, boolean chunked, LongLines longLines) throws IOException {
        this.transfer = transfer;
        this.longLines = longLines;
        this.chunks = Chunks.of(transfer.content(), chunked, longLines);
    }

    Chunks chunks() {
        return chunks;
    }

    /// True when there are lines that must be made shorter first.
    boolean needsShorterLines() throws IOException {
        try {
            return longLines == LongLines.CONVERT && chunks.hasLongLine();
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
        try {
            chunks.close();
        } catch (IOException e) {
            // The content has been read or is not needed any more.
            log.warn("msg=\"message cannot be closed\" queue={}", transfer.delivery().id(), e);
        }
    }
}
