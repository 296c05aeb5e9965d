package org.slipstream.spool.postgres;

import org.slipstream.core.QueueId;
import org.slipstream.spool.log.LargeContent;
import org.slipstream.spool.log.LargeContents;
import org.slipstream.spool.log.NewMessage;
import org.slipstream.spool.log.NotOwnerException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Large contents in rows of 1 MiB.
///
/// The rows are committed without a wait for the disk. The group that names a content makes it durable: its commit
/// flushes the database's log, in which the rows come before it. A primary that took over from another one may lack
/// rows that were not flushed. So the group's own transaction looks for the rows of each content that is new, and the
/// group fails when some are missing.
final class ContentRows implements LargeContents {
    private final LogDatabase database;
    private final int shard;
    private final long epoch;

    record ContentPart(int number, byte[] bytes) {}

    /// Size of each content that was finished here and that no committed group names yet.
    private final Map<QueueId, Long> finished = new ConcurrentHashMap<>();
    /// Named by the group that is being written.
    private volatile Set<QueueId> named = Set.of();

    ContentRows(LogDatabase database, int shard, long epoch) {
        this.database = database;
        this.shard = shard;
        this.epoch = epoch;
    }

    @Override
    public LargeContent create(QueueId id) {
        return new RowContent(this, id);
    }

    void finished(QueueId id, long sizeBytes) {
        finished.put(id, sizeBytes);
    }

    @Override
    public void sync(Set<QueueId> group) {
        named = Set.copyOf(group);
    }

    /// For the transaction of a group.
    void requireNamed(Connection on) throws SQLException, IOException {
        for (QueueId id : named) {
            Long size = finished.get(id);
            if (size != null && size != length(on, id)) {
                throw new IOException("rows of the content of queue=" + id + " are missing in the database");
            }
        }
        named.forEach(finished::remove);
        named = Set.of();
    }

    private long length(Connection on, QueueId id) throws SQLException {
        try (PreparedStatement query = on.prepareStatement("select coalesce(sum(octet_length(bytes)), 0) from content"
                + " where shard = ? and id = ? and not aside")) {
            name(query, id);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    private void name(PreparedStatement statement, QueueId id) throws SQLException {
        statement.setInt(1, shard);
        statement.setLong(2, id.value());
    }

    private interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    /// The first row; empty: there is none.
    private <T> Optional<T> first(String sql, QueueId id, int part, Row<T> row) throws IOException {
        try {
            return database.read(on -> {
                try (PreparedStatement query = on.prepareStatement(sql)) {
                    name(query, id);
                    query.setInt(3, part);
                    try (ResultSet rows = query.executeQuery()) {
                        return rows.next() ? Optional.of(row.of(rows)) : Optional.empty();
                    }
                }
            });
        } catch (SQLException e) {
            throw PageStore.failure(e);
        }
    }

    /// The first part after a number.
    Optional<ContentPart> after(QueueId id, int number) throws IOException {
        return first("select part, bytes from content where shard = ? and id = ? and part > ? and not aside"
                + " order by part limit 1", id, number, row -> new ContentPart(row.getInt(1), row.getBytes(2)));
    }

    private boolean exists(QueueId id, boolean aside) throws IOException {
        return first("select 1 from content where shard = ? and id = ? and part >= ? and aside = " + aside
                + " limit 1", id, 0, _ -> true).isPresent();
    }

    private interface Change {
        void on(Connection connection) throws SQLException;
    }

    /// @param isFlushed whether the change is durable when this returns
    private void change(boolean isFlushed, Change change) throws IOException {
        try {
            database.transaction(on -> {
                if (!isFlushed) {
                    execute(on, "set local synchronous_commit = off");
                }
                // Without the lock of the row, for which groups would wait.
                try (PreparedStatement owned = on
                        .prepareStatement("select 1 from shard where number = ? and epoch = ?")) {
                    owned.setInt(1, shard);
                    owned.setLong(2, epoch);
                    try (ResultSet row = owned.executeQuery()) {
                        if (!row.next()) {
                            throw new PageStore.LostShardException();
                        }
                    }
                }
                change.on(on);
                return true;
            });
        } catch (PageStore.LostShardException e) {
            throw new NotOwnerException(epoch, 0);
        } catch (SQLException e) {
            throw PageStore.failure(e);
        }
    }

    private static void execute(Connection on, String sql) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            statement.execute();
        }
    }

    private void execute(Connection on, String sql, QueueId id) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            name(statement, id);
            statement.execute();
        }
    }

    void add(QueueId id, ContentPart part) throws IOException {
        change(false, on -> insert(on, id, part));
    }

    /// A part takes the place of those up to its number.
    void replaceUpTo(QueueId id, ContentPart part) throws IOException {
        change(false, on -> {
            execute(on, "delete from content where shard = ? and id = ? and not aside and part <= " + part.number(),
                    id);
            insert(on, id, part);
        });
    }

    private void insert(Connection on, QueueId id, ContentPart part) throws SQLException {
        try (PreparedStatement insert = on
                .prepareStatement("insert into content (shard, id, part, bytes) values (?, ?, ?, ?)")) {
            name(insert, id);
            insert.setInt(3, part.number());
            insert.setBytes(4, part.bytes());
            insert.executeUpdate();
        }
    }

    @Override
    public InputStream open(QueueId id) throws IOException {
        InputStream stream = new PartStream(this, id);
        if (!has(id)) {
            throw new NoSuchFileException("content of queue=" + id + " in " + database.place());
        }
        return stream;
    }

    /// The rows are streamed.
    @Override
    public Optional<FileChannel> file(QueueId id) throws IOException {
        if (!has(id)) {
            throw new NoSuchFileException("content of queue=" + id + " in " + database.place());
        }
        return Optional.empty();
    }

    @Override
    public boolean has(QueueId id) throws IOException {
        return exists(id, false);
    }

    @Override
    public List<QueueId> list() throws IOException {
        try {
            return database.read(on -> {
                try (PreparedStatement query = on
                        .prepareStatement("select distinct id from content where shard = ? and not aside")) {
                    query.setInt(1, shard);
                    List<QueueId> ids = new ArrayList<>();
                    try (ResultSet rows = query.executeQuery()) {
                        while (rows.next()) {
                            ids.add(new QueueId(rows.getLong(1)));
                        }
                    }
                    return ids;
                }
            });
        } catch (SQLException e) {
            if (epoch == 0 && PageStore.isWithoutSchema(e)) {
                return List.of();
            }
            throw PageStore.failure(e);
        }
    }

    @Override
    public void delete(QueueId id) throws IOException {
        finished.remove(id);
        change(false, on -> execute(on, "delete from content where shard = ? and id = ? and not aside", id));
    }

    @Override
    public void setAside(QueueId id) throws IOException {
        if (!has(id)) {
            throw new NoSuchFileException("content of queue=" + id + " in " + database.place());
        }
        move(id, true);
    }

    @Override
    public boolean isAside(QueueId id) throws IOException {
        return exists(id, true);
    }

    @Override
    public void restore(QueueId id) throws IOException {
        move(id, false);
    }

    private void move(QueueId id, boolean aside) throws IOException {
        change(true, on -> {
            execute(on, "delete from content where shard = ? and id = ? and aside = " + aside, id);
            execute(on, "update content set aside = " + aside + " where shard = ? and id = ?", id);
        });
    }
}
