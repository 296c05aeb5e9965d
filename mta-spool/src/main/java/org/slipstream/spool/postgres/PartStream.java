package org.slipstream.spool.postgres;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// A large content, a part in memory at a time.
final class PartStream extends InputStream {
    private static final byte[] NOTHING = {};

    private final ContentRows rows;
    private final QueueId id;
    private ContentRows.ContentPart part = new ContentRows.ContentPart(-1, NOTHING);
    private int at;

    PartStream(ContentRows rows, QueueId id) {
        this.rows = rows;
        this.id = id;
    }

    private boolean isAtEnd() throws IOException {
        while (at == part.bytes().length) {
            Optional<ContentRows.ContentPart> next = rows.after(id, part.number());
            if (next.isEmpty()) {
                return true;
            }
            part = next.get();
            at = 0;
        }
        return false;
    }

    @Override
    public int read() throws IOException {
        return isAtEnd() ? -1 : part.bytes()[at++] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (isAtEnd()) {
            return -1;
        }
        int count = Math.min(length, part.bytes().length - at);
        System.arraycopy(part.bytes(), at, into, offset, count);
        at += count;
        return count;
    }
}
