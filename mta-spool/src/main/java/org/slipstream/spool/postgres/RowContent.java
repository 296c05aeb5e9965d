package org.slipstream.spool.postgres;

import org.slipstream.core.QueueId;
import org.slipstream.spool.log.LargeContent;
import org.slipstream.spool.log.NewMessage;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/// Writes a large content into rows of 1 MiB, one of which is in memory.
final class RowContent implements LargeContent {
    private static final int BLOCK_BYTES = 64 * 1024;
    private static final byte[] NOTHING = {};

    private final ContentRows rows;
    private final QueueId id;
    private final CRC32C crc = new CRC32C();
    private long size;
    private int parts;
    private byte[] buffer = new byte[BLOCK_BYTES];
    private int used;

    RowContent(ContentRows rows, QueueId id) {
        this.rows = rows;
        this.id = id;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length;) {
            if (used == PageStore.PAGE_BYTES) {
                flush();
            }
            int step = Math.min(length - done, PageStore.PAGE_BYTES - used);
            if (used + step > buffer.length) {
                buffer = Arrays.copyOf(buffer,
                        Math.min(PageStore.PAGE_BYTES, Math.max(used + step, 2 * buffer.length)));
            }
            System.arraycopy(bytes, offset + done, buffer, used, step);
            used += step;
            done += step;
        }
        crc.update(bytes, offset, length);
        size += length;
    }

    private void flush() throws IOException {
        if (used > 0) {
            rows.add(id, new ContentRows.ContentPart(parts, Arrays.copyOf(buffer, used)));
            parts++;
            used = 0;
        }
    }

    @Override
    public InputStream open() throws IOException {
        flush();
        return new PartStream(rows, id);
    }

    /// The parts that have these bytes become one.
    @Override
    public void replaceStart(int bytes, byte[] start) throws IOException {
        flush();
        ContentRows.ContentPart part = new ContentRows.ContentPart(-1, NOTHING);
        int seen = 0;
        while (seen < bytes || part.number() < 0 && parts > 0) {
            part = rows.after(id, part.number())
                    .orElseThrow(() -> new IOException("rows of the content of queue=" + id + " are missing"));
            seen += part.bytes().length;
        }
        int rest = seen - bytes;
        byte[] first = Arrays.copyOf(start, start.length + rest);
        System.arraycopy(part.bytes(), part.bytes().length - rest, first, start.length, rest);
        int number = Math.max(0, part.number());
        rows.replaceUpTo(id, new ContentRows.ContentPart(number, first));
        parts = Math.max(parts, 1);
        size += start.length - bytes;
        crc.reset();
        byte[] block = new byte[BLOCK_BYTES];
        try (InputStream all = new PartStream(rows, id)) {
            for (int got = all.read(block); got >= 0; got = all.read(block)) {
                crc.update(block, 0, got);
            }
        }
    }

    /// Durable with the group that names it.
    @Override
    public NewMessage.InOwnFile finish() throws IOException {
        flush();
        buffer = NOTHING;
        rows.finished(id, size);
        return new NewMessage.InOwnFile(size, (int) crc.getValue());
    }

    @Override
    public void discard() throws IOException {
        close();
        if (parts > 0) {
            rows.delete(id);
        }
    }

    @Override
    public void close() {
        buffer = NOTHING;
        used = 0;
    }
}
