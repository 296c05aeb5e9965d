package org.slipstream.spool.postgres;

import org.slipstream.spool.log.LogStore;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.sql.ResultSet;

/// A segment of pages, as it was when it was opened. A page that is missing in its middle reads as zeros, which no
/// record has for a checksum, so the loss is told like any damage.
final class PagedSegment implements LogStore.OpenSegment {
    /// At most this much is read at once, beside a page.
    private static final int READ_BYTES = 4 << 20;

    private final PageStore.Queries queries;
    private final String table;
    private final long segment;
    private final long size;
    /// A segment is larger than what the heap is for.
    private final Arena arena = Arena.ofConfined();

    PagedSegment(PageStore.Queries queries, String table, long segment, long size) {
        this.queries = queries;
        this.table = table;
        this.segment = segment;
        this.size = size;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void read(long offset, byte[] into, int at, int length) throws IOException {
        if (offset + length > size) {
            throw new EOFException("segment " + segment + " has " + size + " octets");
        }
        read(offset, ByteBuffer.wrap(into, at, length));
    }

    /// Fills the buffer, from its position on.
    private void read(long offset, ByteBuffer into) throws IOException {
        int begin = into.position();
        int length = into.remaining();
        // A page that begins before the offset, and those behind it. Only the octets that are asked for are sent.
        String pages = "select at, substring(bytes from (greatest(? - at, 0) + 1)::int for ?) from " + table
                + " where segment = ? and at >= coalesce((select max(at) from " + table
                + " where segment = ? and at <= ?), 0) and at < ? order by at";
        queries.query(pages, true, query -> {
            query.setLong(1, offset);
            query.setInt(2, length);
            query.setLong(3, segment);
            query.setLong(4, segment);
            query.setLong(5, offset);
            query.setLong(6, offset + length);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    byte[] page = rows.getBytes(2);
                    int to = (int) Math.max(0, rows.getLong(1) - offset);
                    into.put(begin + to, page, 0, Math.min(page.length, length - to));
                }
            }
            return true;
        });
    }

    @Override
    public ByteBuffer view(long limit) throws IOException {
        long length = Math.min(limit, size);
        ByteBuffer view = arena.allocate(length).asByteBuffer();
        for (long at = 0; at < length; at += READ_BYTES) {
            read(at, view.slice((int) at, (int) Math.min(READ_BYTES, length - at)));
        }
        return view.asReadOnlyBuffer();
    }

    @Override
    public void close() {
        arena.close();
    }
}
