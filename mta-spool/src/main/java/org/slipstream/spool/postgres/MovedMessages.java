package org.slipstream.spool.postgres;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/// The table `moved`: which messages of a spool outside of the database have come into logs in it. A message has
/// its row exactly as long as a log has taken it, because the group of the log writes both in one transaction
/// ([PageStore#moves]).
///
/// **Why.** A message moves in two steps: the log in the database takes it, the other spool removes it. A kill, a lost
/// connection or a lost shard between them leaves the mover without an answer, and by then another node may own
/// the log, have delivered the message and have removed it. The row stays, so [#settle] always tells which of the
/// two has the message. This is the inbox of the *transactional outbox* pattern (Richardson, *Microservices
/// Patterns*, section 3.2).
///
/// **When the answer is final.** A transaction that is still under way holds the lock of its shard's row. So the
/// question begins with an update of that row, which waits for it; the commit of that update is confirmed by the
/// standby, too. While the epoch of the row is that of the log which took the message, this log may still
/// take it back: then the answer is [Fate#UNDECIDED], and it is asked for again.
///
/// The table `local_shard` gives the spool a number that no shard of the database has, so its queue ids are unique.
///
/// Used by any thread.
public final class MovedMessages implements AutoCloseable {
    static final String TABLES = "create table if not exists moved (id bigint primary key, shard int not null,"
            + " epoch bigint not null);create table if not exists local_shard (number int primary key,"
            + " node text not null unique, seen timestamptz not null);";
    private static final Logger log = LoggerFactory.getLogger(MovedMessages.class);
    private static final int PAGE = 1_000;
    private static final long BARRIER_NANOS = 30_000_000_000L;

    /// Where a message is.
    public enum Fate {
        /// A log in the database has, or had, the message: it is to be removed from the other spool.
        TAKEN,
        /// No log in the database has it.
        NOT_TAKEN,
        /// Not known yet.
        UNDECIDED
    }

    private final LogDatabase database;
    private final int number;

    private MovedMessages(LogDatabase database, int number) {
        this.database = database;
        this.number = number;
    }

    /// Opens the table for the local spool of a node.
    ///
    /// @param node empty: the server is alone
    /// @param used numbers of other shards of this server
    public static MovedMessages open(String url, String node, Set<Integer> used) throws IOException {
        LogDatabase database = LogDatabase.reach(url);
        try {
            define(database);
            OptionalInt number = database.transaction(on -> number(on, node, used));
            if (number.isEmpty()) {
                throw new IOException(
                        "no number of a shard is free for mail that is kept on this node: the cluster has "
                                + QueueId.SHARDS + " shards and nodes");
            }
            return new MovedMessages(database, number.getAsInt());
        } catch (SQLException e) {
            database.close();
            throw PageStore.failure(e);
        } catch (IOException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    /// Makes the tables.
    public static void define(LogDatabase database) throws SQLException {
        database.define(TABLES);
    }

    private static OptionalInt number(Connection on, String node, Set<Integer> used) throws SQLException {
        // One node at a time. Shards get numbers from 1 on, so the two meet only when all numbers are in use.
        execute(on, "select pg_advisory_xact_lock(" + LogDatabase.SCHEMA_LOCK + ")");
        try (PreparedStatement known = on.prepareStatement("select number from local_shard where node = ?")) {
            known.setString(1, node);
            try (ResultSet row = known.executeQuery()) {
                if (row.next() && !used.contains(row.getInt(1))) {
                    return OptionalInt.of(row.getInt(1));
                }
            }
        }
        // Ids grow with time, so the number of a node that is gone for a month is free.
        execute(on, "delete from local_shard where seen < clock_timestamp() - interval '30 days'");
        try (PreparedStatement take = on.prepareStatement("insert into local_shard (number, node, seen)"
                + " select n, ?, clock_timestamp() from generate_series(1, " + QueueId.SHARDS + ") as n"
                + " where n not in (select number from shard) and n not in (select number from local_shard)"
                + " and n <> all(?) order by n desc limit 1"
                + " on conflict (node) do update set number = excluded.number, seen = excluded.seen"
                + " returning number")) {
            take.setString(1, node);
            take.setArray(2, on.createArrayOf("int", used.toArray()));
            try (ResultSet row = take.executeQuery()) {
                return row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty();
            }
        }
    }

    private static void execute(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.execute(sql);
        }
    }

    // ---- in the transaction of a group

    static void add(Connection on, Set<QueueId> ids, int shard, long epoch) throws SQLException {
        if (!ids.isEmpty()) {
            try (PreparedStatement add = on.prepareStatement("insert into moved (id, shard, epoch)"
                    + " select id, ?, ? from unnest(?::bigint[]) as id"
                    + " on conflict (id) do update set shard = excluded.shard, epoch = excluded.epoch")) {
                add.setInt(1, shard);
                add.setLong(2, epoch);
                add.setArray(3, array(on, ids));
                add.executeUpdate();
            }
        }
    }

    static void remove(Connection on, Collection<QueueId> ids) throws SQLException {
        if (!ids.isEmpty()) {
            try (PreparedStatement remove = on.prepareStatement("delete from moved where id = any(?)")) {
                remove.setArray(1, array(on, ids));
                remove.executeUpdate();
            }
        }
    }

    private static java.sql.Array array(Connection on, Collection<QueueId> ids) throws SQLException {
        return on.createArrayOf("bigint", ids.stream().map(QueueId::value).sorted().toArray());
    }

    // ---- for the spool outside

    /// The number of the spool among the shards.
    public int number() {
        return number;
    }

    /// Commits a small change, as a message would. Returns when the database takes mail.
    public void probe() throws IOException {
        try {
            database.transaction(on -> {
                execute(on, "update local_shard set seen = clock_timestamp() where number = " + number);
                return true;
            });
        } catch (SQLException e) {
            throw PageStore.failure(e);
        }
    }

    /// Where these messages are. The result is durable.
    ///
    /// @param shards into which they may have come
    public Map<QueueId, Fate> settle(Collection<QueueId> ids, Set<Integer> shards) throws IOException {
        try {
            for (int shard : shards) {
                passed(shard);
            }
            Map<QueueId, Fate> fates = new LinkedHashMap<>();
            ids.forEach(id -> fates.put(id, Fate.NOT_TAKEN));
            database.read(on -> {
                try (PreparedStatement query = on.prepareStatement("select moved.id, shard.epoch > moved.epoch"
                        + " from moved left join shard on shard.number = moved.shard where id = any(?)")) {
                    query.setArray(1, array(on, ids));
                    try (ResultSet rows = query.executeQuery()) {
                        while (rows.next()) {
                            boolean hasLaterOwner = rows.getBoolean(2);
                            fates.put(new QueueId(rows.getLong(1)), hasLaterOwner ? Fate.TAKEN : Fate.UNDECIDED);
                        }
                    }
                }
                return true;
            });
            return fates;
        } catch (SQLException e) {
            throw PageStore.failure(e);
        }
    }

    /// Returns when no transaction is under way that began before on this shard.
    private void passed(int shard) throws SQLException {
        long until = System.nanoTime() + BARRIER_NANOS;
        while (true) {
            try {
                database.transaction(on -> {
                    execute(on, "update shard set epoch = epoch where number = " + shard);
                    return true;
                });
                return;
            } catch (SQLException busy) {
                if (System.nanoTime() - until > 0 || !isLocked(busy)) {
                    throw busy;
                }
            }
        }
    }

    private static boolean isLocked(SQLException e) {
        return "55P03".equals(e.getSQLState());
    }

    /// The shards that are there.
    public Set<Integer> shards() throws IOException {
        return Set.copyOf(numbers("select number from shard").stream().map(Long::intValue).toList());
    }

    /// The messages of this spool that have rows.
    public List<QueueId> rows() throws IOException {
        return numbers("select id from moved where mod(id, " + QueueId.SHARDS + ") = " + number % QueueId.SHARDS)
                .stream().map(QueueId::new).toList();
    }

    private List<Long> numbers(String query) throws IOException {
        try {
            return database.read(on -> {
                List<Long> found = new ArrayList<>();
                try (Statement statement = on.createStatement(); ResultSet rows = statement.executeQuery(query)) {
                    while (rows.next()) {
                        found.add(rows.getLong(1));
                    }
                }
                return found;
            });
        } catch (SQLException e) {
            throw PageStore.failure(e);
        }
    }

    /// The other spool does not have these messages any more, so nothing will be asked about them.
    public void forget(Collection<QueueId> ids) throws IOException {
        List<QueueId> all = List.copyOf(ids);
        try {
            for (int from = 0; from < all.size(); from += PAGE) {
                List<QueueId> page = all.subList(from, Math.min(all.size(), from + PAGE));
                database.transaction(on -> {
                    remove(on, page);
                    return true;
                });
            }
        } catch (SQLException e) {
            log.debug("event=moved-rows-not-removed count={} error=\"{}\"", all.size(), e.getMessage());
            throw PageStore.failure(e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
