package org.slipstream.spool.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// The ring of tables with the pages of one shard's log: `page_1_0` to `page_1_7` of shard 1.
///
/// Pages are inserted, and a table is truncated when each of its segments was deleted; no page is updated or deleted.
/// So the tables need no vacuum, and a transaction that stays open elsewhere in the database makes nothing grow. A log
/// is deleted from its oldest segment on, and the tables follow each other in its order.
///
/// The next table is taken when the current one has a quarter of the segments. So at most about a quarter of the space
/// is of deleted segments, for a log of any length.
final class PageTables {
    static final int RING = 8;
    private static final int LEAST_SEGMENTS = 2;

    private final int shard;

    PageTables(int shard) {
        this.shard = shard;
    }

    String table(int ring) {
        return "page_" + shard + "_" + ring;
    }

    /// Makes the tables. Octets of mail do not shrink much, so they are stored as they are, which lets a part of a page
    /// be read alone.
    String definition() {
        StringBuilder statements = new StringBuilder();
        for (int ring = 0; ring < RING; ring++) {
            statements.append("create table if not exists ").append(table(ring))
                    .append(" (segment bigint not null, at bigint not null, bytes bytea not null,"
                            + " primary key (segment, at)) with (autovacuum_enabled = false,"
                            + " toast.autovacuum_enabled = false);alter table ")
                    .append(table(ring)).append(" alter column bytes set storage external;");
        }
        return statements.toString();
    }

    /// The table for a new segment.
    int next(Connection on) throws SQLException {
        int[] segments = new int[RING];
        int all = 0;
        int current = 0;
        long newest = 0;
        try (PreparedStatement query = on
                .prepareStatement("select ring, count(*), max(number) from segment where shard = ? group by ring")) {
            query.setInt(1, shard);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    int ring = rows.getInt(1);
                    segments[ring] = rows.getInt(2);
                    all += segments[ring];
                    if (rows.getLong(3) > newest) {
                        newest = rows.getLong(3);
                        current = ring;
                    }
                }
            }
        }
        int following = (current + 1) % RING;
        boolean isFull = segments[current] >= Math.max(LEAST_SEGMENTS, all / 4);
        return isFull && segments[following] == 0 ? following : current;
    }

    /// Truncates each table whose segments were all deleted. The shard's row is locked, so no segment begins meanwhile.
    /// A reader of the table that does not end, such as a dump of the database, only delays this.
    void truncateEmpty(Connection on) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.execute("set local lock_timeout = '200ms'");
            for (int ring = 0; ring < RING; ring++) {
                String table = table(ring);
                if (isTrue(statement, "select exists (select 1 from " + table + ") and not exists"
                        + " (select 1 from segment where shard = " + shard + " and ring = " + ring + ")")) {
                    statement.execute("truncate " + table);
                }
            }
        }
    }

    private static boolean isTrue(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        }
    }
}
