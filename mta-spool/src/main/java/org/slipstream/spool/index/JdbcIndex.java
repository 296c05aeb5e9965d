package org.slipstream.spool.index;

import com.zaxxer.hikari.HikariDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The index through JDBC. The index thread keeps one connection with its prepared statements;
/// readers borrow one from the pool for each query.
///
/// [EmbeddedDatabase] has what is special about H2. After a failure that the values did not cause,
/// the writer's connection is not used again, not even for a rollback: [#recover] replaces it.
final class JdbcIndex implements QueueIndex {
    private static final Logger log = LoggerFactory.getLogger(JdbcIndex.class);

    private static final String STANDING = "select last_segment, last_offset, last_id, applied from standing";

    private final HikariDataSource pool;
    private final EmbeddedDatabase database;
    private final MessageReader reader;
    private Optional<Connection> connection = Optional.empty();
    private Optional<IndexWriter> writer = Optional.empty();

    /// @param pool of connections to `database`
    JdbcIndex(EmbeddedDatabase database, HikariDataSource pool) throws IndexException {
        this.database = database;
        this.pool = pool;
        reader = new MessageReader(pool);
        try {
            recover();
        } catch (IndexException e) {
            connection.ifPresent(database::abandon);
            throw e;
        }
    }

    @Override
    public Set<QueueId> apply(List<LogRecord> records, Position position, long lastId) throws IndexException {
        return write(current -> current.apply(records, position, lastId));
    }

    @Override
    public Due due(DueQuery query) throws IndexException {
        return write(current -> current.due(query));
    }

    private interface Work<T> {
        T on(IndexWriter writer) throws SQLException;
    }

    private <T> T write(Work<T> work) throws IndexException {
        IndexWriter current = writer.orElseThrow(JdbcIndex::disconnected);
        try {
            return work.on(current);
        } catch (SQLException e) {
            IndexException failure = new IndexException("cannot write the index", e);
            if (!failure.aboutData() || !current.rollback()) {
                writer = Optional.empty();
            }
            throw failure;
        } catch (RuntimeException | Error e) {
            writer = Optional.empty();
            throw e;
        }
    }

    @Override
    public void sync() throws IndexException {
        if (writer.isEmpty()) {
            throw disconnected();
        }
        try {
            database.sync(connection.orElseThrow());
        } catch (SQLException e) {
            writer = Optional.empty();
            throw new IndexException("cannot sync the index", e);
        }
    }

    private static IndexException disconnected() {
        return new IndexException("no connection", new SQLException("not connected", "08003"));
    }

    @Override
    public Standing recover() throws IndexException {
        writer = Optional.empty();
        connection.ifPresent(database::abandon);
        connection = Optional.empty();
        // The readers' connections lead to the same broken database.
        pool.getHikariPoolMXBean().softEvictConnections();
        try {
            Connection fresh = database.getConnection();
            connection = Optional.of(fresh);
            fresh.setAutoCommit(false);
            // Not through the pool, which may need time to detect that its connections are dead.
            Standing standing = MessageReader.query(fresh, STANDING, _ -> {}, JdbcIndex::standing);
            writer = Optional.of(new IndexWriter(fresh, standing));
            return standing;
        } catch (SQLException e) {
            throw new IndexException("cannot connect to the index", e);
        }
    }

    @Override
    public Standing makeAgain() throws IndexException {
        writer = Optional.empty();
        connection.ifPresent(database::abandon);
        connection = Optional.empty();
        try {
            database.setAside();
            try (Connection fresh = database.getConnection()) {
                IndexDatabase.make(fresh);
            }
        } catch (SQLException e) {
            throw new IndexException("cannot make the index again", e);
        }
        return recover();
    }

    @Override
    public Standing standing() throws IndexException {
        return reader.query(STANDING, _ -> {}, JdbcIndex::standing);
    }

    private static Standing standing(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw new SQLException("the index has lost its standing", "02000");
        }
        return new Standing(new Position(rows.getLong(1), rows.getLong(2)), rows.getLong(3), rows.getLong(4));
    }

    @Override
    public Named named() throws IndexException {
        return new Named(counts("select number, messages from segment where messages > 0"),
                counts("select segment, count(*) from message where state = 2 group by segment"),
                reader.query("select message_id from large_message", _ -> {}, JdbcIndex::ids));
    }

    private Map<Long, Long> counts(String query) throws IndexException {
        return reader.query(query, _ -> {}, rows -> {
            Map<Long, Long> counted = new HashMap<>();
            while (rows.next()) {
                counted.put(rows.getLong(1), rows.getLong(2));
            }
            return counted;
        });
    }

    @Override
    public Set<QueueId> inSegment(long segment) throws IndexException {
        return reader.query("select id from message where segment = ? and state < 2",
                query -> query.setLong(1, segment), JdbcIndex::ids);
    }

    @Override
    public Map<QueueId, Located> locate(List<QueueId> ids) throws IndexException {
        Object[] values = ids.stream().map(QueueId::value).toArray();
        return reader.query("select id, segment, segment_offset, own_file, size_bytes from message where id = any(?)",
                query -> query.setArray(1, query.getConnection().createArrayOf("bigint", values)), rows -> {
                    Map<QueueId, Located> places = new HashMap<>();
                    while (rows.next()) {
                        places.put(new QueueId(rows.getLong(1)), new Located(
                                new RecordPlace(rows.getLong(2), rows.getLong(3), rows.getBoolean(4)),
                                rows.getLong(5)));
                    }
                    return places;
                });
    }

    @Override
    public Set<QueueId> queued(List<QueueId> ids) throws IndexException {
        return among(ids, "select id from message where id = any(?) and state < 2");
    }

    @Override
    public List<QueueId> ids(Optional<QueueId> after, int limit) throws IndexException {
        return reader.query("select id from message where id > ? order by id limit ?", query -> {
            query.setLong(1, after.map(QueueId::value).orElse(0L));
            query.setInt(2, limit);
        }, rows -> {
            List<QueueId> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(new QueueId(rows.getLong(1)));
            }
            return ids;
        });
    }

    private Set<QueueId> among(List<QueueId> ids, String sql) throws IndexException {
        Object[] values = ids.stream().map(QueueId::value).toArray();
        return reader.query(sql,
                query -> query.setArray(1, query.getConnection().createArrayOf("bigint", values)), JdbcIndex::ids);
    }

    private static Set<QueueId> ids(ResultSet rows) throws SQLException {
        Set<QueueId> ids = new HashSet<>();
        while (rows.next()) {
            ids.add(new QueueId(rows.getLong(1)));
        }
        return ids;
    }

    @Override
    public Optional<Located> locate(QueueId id) throws IndexException {
        return reader.query("select segment, segment_offset, own_file, size_bytes from message where id = ?",
                query -> query.setLong(1, id.value()),
                rows -> rows.next()
                        ? Optional.of(new Located(
                                new RecordPlace(rows.getLong(1), rows.getLong(2), rows.getBoolean(3)), rows.getLong(4)))
                        : Optional.empty());
    }

    @Override
    public List<Recipient> openRecipients(QueueId id, int after, int limit)
            throws IndexException, DamagedRowsException {
        return reader.openRecipients(id, after, limit);
    }

    @Override
    public Optional<MessageDetails> message(QueueId id) throws IndexException, DamagedRowsException {
        return reader.message(id);
    }

    @Override
    public MessagePage page(Optional<QueueId> after, int limit) throws IndexException {
        return reader.page(after, limit);
    }

    @Override
    public MessagePage setAside(Optional<QueueId> after, int limit) throws IndexException {
        return reader.setAside(after, limit);
    }

    @Override
    public Found find(Search search, long nowMillis, Optional<QueueId> after, int limit) throws IndexException {
        return new Finder(reader, search, nowMillis).find(after, limit);
    }

    @Override
    public Found notDue(Optional<String> domain, long nowMillis, Optional<QueueId> after) throws IndexException {
        return new Finder(reader, Search.of(QueueFilter.ANY), nowMillis).notDue(domain, after);
    }

    @Override
    public Found notDueAfter(String replyOrRemote, long nowMillis, Optional<QueueId> after) throws IndexException {
        return new Finder(reader, Search.of(QueueFilter.ANY), nowMillis).notDueAfter(replyOrRemote, after);
    }

    @Override
    public Found tried(String domain) throws IndexException {
        Search notHeld = Search.of(QueueFilter.ANY.withState(QueueFilter.State.DEFERRED));
        return new Finder(reader, notHeld, 0).tried(domain);
    }

    @Override
    public MessagePage messages(List<QueueId> ids) throws IndexException {
        return reader.messages(ids);
    }

    @Override
    public MessagePage whole(List<QueueId> ids) throws IndexException {
        return reader.whole(ids);
    }

    @Override
    public List<PastAttempt> attempts(QueueId id) throws IndexException {
        return reader.query(AttemptRows.OF_MESSAGE, query -> query.setLong(1, id.value()), AttemptRows::read);
    }

    @Override
    public List<HostRecord> hosts() throws IndexException {
        return reader.query(HostRows.ALL, _ -> {}, HostRows::read);
    }

    @Override
    public List<StandingOrder> orders() throws IndexException {
        return reader.query(OrderRows.ALL, _ -> {}, OrderRows::read);
    }

    @Override
    public Totals totals() throws IndexException {
        // One statement, so one state. H2 knows the first number without counting. The next two are
        // short ranges of an index. The bytes are summed over as many rows as the log has segments.
        return reader.query("""
                select (select count(*) from message), (select count(*) from message where state = 1),
                 (select count(*) from message where state = 2),
                 (select coalesce(sum(bytes), 0) from segment)
                  - (select coalesce(sum(size_bytes), 0) from message where state = 2)""", _ -> {}, rows -> {
            rows.next();
            return new Totals(rows.getLong(1) - rows.getLong(3), rows.getLong(2), rows.getLong(3), rows.getLong(4));
        });
    }

    /// The database counts this without reading the table.
    private long messages() throws IndexException {
        return reader.query("select count(*) from message", _ -> {}, rows -> rows.next() ? rows.getLong(1) : 0);
    }

    @Override
    public void discard() {
        writer = Optional.empty();
        connection.ifPresent(database::abandon);
        pool.close();
        database.delete();
    }

    @Override
    public void close() {
        try {
            if (writer.isPresent()) {
                long messages = messages();
                connection.orElseThrow().setAutoCommit(true);
                database.stop(connection.orElseThrow(), messages);
            } else {
                connection.ifPresent(database::abandon);
                log.warn("event=index-not-closed-cleanly error=\"its connection had failed\"");
            }
        } catch (SQLException | IndexException e) {
            log.warn("event=index-not-closed-cleanly error=\"{}\"", e.getMessage());
        }
        pool.close();
    }
}
