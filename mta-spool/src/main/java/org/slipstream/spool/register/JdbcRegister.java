package org.slipstream.spool.register;

import com.zaxxer.hikari.HikariDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueFilter;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.spool.box.Place;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The register through JDBC. The writer keeps one connection with its prepared statements; readers take one of a pool each time.
///
/// What differs between databases is the [Database]'s. After a failure that is not the values' fault the writer's connection is not
/// used again, not even for a rollback: [#recover] replaces it.
final class JdbcRegister implements Register {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcRegister.class);

    private static final String STANDING = "select last_seq, last_id, last_segment, last_offset, safe_seq,"
            + " doubt_from_id from standing";

    private final HikariDataSource pool;
    private final Database database;
    private final MessageReader reader;
    private Optional<Connection> connection = Optional.empty();
    private Optional<ChangeWriter> writer = Optional.empty();

    /// @param pool of connections to `database`
    JdbcRegister(Database database, HikariDataSource pool) throws RegisterException {
        this.database = database;
        this.pool = pool;
        reader = new MessageReader(pool);
        try {
            recover();
        } catch (RegisterException e) {
            connection.ifPresent(database::abandon);
            throw e;
        }
    }

    @Override
    public Written write(List<Change> changes) throws RegisterException {
        ChangeWriter current = writer.orElseThrow(JdbcRegister::disconnected);
        try {
            return current.write(changes);
        } catch (SQLException e) {
            RegisterException failure = new RegisterException("cannot write the register", e);
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
    public void barrier() throws RegisterException {
        if (writer.isEmpty()) {
            throw disconnected();
        }
        try {
            database.sync(connection.orElseThrow());
        } catch (SQLException e) {
            writer = Optional.empty();
            throw new RegisterException("cannot sync the register", e);
        }
    }

    private static RegisterException disconnected() {
        return new RegisterException("no connection", new SQLException("not connected", "08003"));
    }

    @Override
    public Standing recover() throws RegisterException {
        writer = Optional.empty();
        connection.ifPresent(database::abandon);
        connection = Optional.empty();
        // The readers' connections lead to the same broken database.
        pool.getHikariPoolMXBean().softEvictConnections();
        try {
            Connection fresh = database.getConnection();
            connection = Optional.of(fresh);
            database.claim(fresh);
            fresh.setAutoCommit(false);
            // Not by way of the pool, which may take its time to find out that its connections are dead.
            Standing standing = MessageReader.query(fresh, STANDING, _ -> {}, JdbcRegister::standing);
            writer = Optional.of(new ChangeWriter(fresh, standing));
            return standing;
        } catch (SQLException e) {
            throw new RegisterException("cannot connect to the register", e);
        }
    }

    @Override
    public Standing standing() throws RegisterException {
        return reader.query(STANDING, _ -> {}, JdbcRegister::standing);
    }

    private static Standing standing(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw new SQLException("the register has lost its standing", "02000");
        }
        return new Standing(rows.getLong(1), rows.getLong(2), rows.getLong(3), rows.getLong(4),
                new Doubt(rows.getLong(5), rows.getLong(6)));
    }

    @Override
    public Map<QueueId, Located> inDoubt() throws RegisterException {
        Doubt doubt = standing().doubt();
        return reader.query("select id, box_segment, box_offset, own_file, size_bytes from message"
                + " where id >= ? and seq > ?", query -> {
                    query.setLong(1, doubt.fromId());
                    query.setLong(2, doubt.safeSeq());
                }, rows -> {
                    Map<QueueId, Located> places = new HashMap<>();
                    while (rows.next()) {
                        places.put(Rows.id(rows), new Located(
                                new Place(rows.getLong(2), rows.getLong(3), rows.getBoolean(4)), rows.getLong(5)));
                    }
                    return places;
                });
    }

    @Override
    public Named named() throws RegisterException {
        return new Named(counts("select number, letters from segment where letters > 0"),
                counts("select box_segment, count(*) from message where state = 2 group by box_segment"),
                reader.query("select message_id from large_letter", _ -> {}, JdbcRegister::ids));
    }

    private Map<Long, Long> counts(String query) throws RegisterException {
        return reader.query(query, _ -> {}, rows -> {
            Map<Long, Long> counted = new HashMap<>();
            while (rows.next()) {
                counted.put(rows.getLong(1), rows.getLong(2));
            }
            return counted;
        });
    }

    @Override
    public Set<QueueId> inSegment(long segment) throws RegisterException {
        return reader.query("select id from message where box_segment = ? and state < 2",
                query -> query.setLong(1, segment), JdbcRegister::ids);
    }

    @Override
    public Set<QueueId> known(List<QueueId> ids) throws RegisterException {
        return among(ids, "select id from message where id = any(?)");
    }

    @Override
    public Set<QueueId> queued(List<QueueId> ids) throws RegisterException {
        return among(ids, "select id from message where id = any(?) and state < 2");
    }

    private Set<QueueId> among(List<QueueId> ids, String sql) throws RegisterException {
        Object[] values = ids.stream().map(QueueId::value).toArray();
        return reader.query(sql,
                query -> query.setArray(1, query.getConnection().createArrayOf("bigint", values)), JdbcRegister::ids);
    }

    private static Set<QueueId> ids(ResultSet rows) throws SQLException {
        Set<QueueId> ids = new HashSet<>();
        while (rows.next()) {
            ids.add(new QueueId(rows.getLong(1)));
        }
        return ids;
    }

    @Override
    public Optional<Located> locate(QueueId id) throws RegisterException {
        return reader.query("select box_segment, box_offset, own_file, size_bytes from message where id = ?",
                query -> query.setLong(1, id.value()),
                rows -> rows.next()
                        ? Optional.of(new Located(
                                new Place(rows.getLong(1), rows.getLong(2), rows.getBoolean(3)), rows.getLong(4)))
                        : Optional.empty());
    }

    @Override
    public List<Recipient> openRecipients(QueueId id, int after, int limit)
            throws RegisterException, DamagedRowsException {
        return reader.openRecipients(id, after, limit);
    }

    @Override
    public Optional<Registered> message(QueueId id) throws RegisterException, DamagedRowsException {
        return reader.message(id);
    }

    @Override
    public Page page(Optional<QueueId> after, int limit) throws RegisterException {
        return reader.page(after, limit);
    }

    @Override
    public Page setAside(Optional<QueueId> after, int limit) throws RegisterException {
        return reader.setAside(after, limit);
    }

    @Override
    public Found find(Search search, long nowMillis, Optional<QueueId> after, int limit) throws RegisterException {
        return new Finder(reader, search, nowMillis).find(after, limit);
    }

    @Override
    public Found notDue(Optional<String> domain, long nowMillis, Optional<QueueId> after) throws RegisterException {
        return new Finder(reader, Search.of(QueueFilter.ANY), nowMillis).notDue(domain, after);
    }

    @Override
    public Found tried(String domain) throws RegisterException {
        Search notHeld = Search.of(QueueFilter.ANY.withState(QueueFilter.State.DEFERRED));
        return new Finder(reader, notHeld, 0).tried(domain);
    }

    @Override
    public Page messages(List<QueueId> ids) throws RegisterException {
        return reader.messages(ids);
    }

    @Override
    public List<HostRecord> hosts() throws RegisterException {
        return reader.query(HostRows.ALL, _ -> {}, HostRows::read);
    }

    @Override
    public Totals totals() throws RegisterException {
        // One statement, one state. The first number H2 knows by heart; the next two are ranges of an index, and short; the
        // bytes are summed over as many rows as the box has segments.
        return reader.query("""
                select (select count(*) from message), (select count(*) from message where state = 1),
                 (select count(*) from message where state = 2),
                 (select coalesce(sum(bytes), 0) from segment)
                  - (select coalesce(sum(size_bytes), 0) from message where state = 2)""", _ -> {}, rows -> {
            rows.next();
            return new Totals(rows.getLong(1) - rows.getLong(3), rows.getLong(2), rows.getLong(3), rows.getLong(4));
        });
    }

    /// Counted by the database itself, without reading the table.
    private long messages() throws RegisterException {
        return reader.query("select count(*) from message", _ -> {}, rows -> rows.next() ? rows.getLong(1) : 0);
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
                LOG.warn("event=register-not-closed-in-order error=\"its connection had failed\"");
            }
        } catch (SQLException | RegisterException e) {
            LOG.warn("event=register-not-closed-in-order error=\"{}\"", e.getMessage());
        }
        pool.close();
    }
}
