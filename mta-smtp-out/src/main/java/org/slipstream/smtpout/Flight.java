package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.Chunks;
import org.slipstream.smtpout.wire.LongLines;

import java.io.IOException;

/// A delivery under way. Its content stays open until it is written.
final class Flight {
    private static final Logger log = LoggerFactory.getLogger(Flight.class);

    final Transfer transfer;
    /// The content could not be read to its end.
    boolean unreadable;
    /// The position of its last byte on the wire; `MAX_VALUE` until that byte is queued.
    long endsAt = Long.MAX_VALUE;
    long sentNanos;
    /// The deliveries under way when it began, including itself, and the depth at that time.
    int underWay;
    int depthThen;

    private final Chunks chunks;
    private final LongLines longLines;
    private boolean closed;

    /// @param chunked sent by BDAT
    /// @throws IOException when the content cannot be opened
    Flight(Transfer transfer, boolean chunked, LongLines longLines) throws IOException {
        this.transfer = transfer;
        this.longLines = longLines;
        this.chunks = Chunks.of(transfer.content(), chunked, longLines);
    }

    Chunks chunks() {
        return chunks;
    }

    /// True when long lines must be folded first.
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
            // The content has been read or is no longer needed.
            log.warn("event=content-not-closed queue={}", transfer.delivery().id(), e);
        }
    }
}
