package org.slipstream.cluster;

import org.slipstream.cluster.ClusterLook.ClusterNode;
import org.slipstream.cluster.ClusterLook.ShardClaim;
import org.slipstream.cluster.SettingsCheck.ToldSettings;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.spool.postgres.MovedMessages;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The tables `shard` and `node`: each question of [Ownership] is one short transaction. The clock of the
/// database alone says when a lease ends. A commit that is in doubt counts as no answer.
///
/// Used by any thread.
public final class OwnershipStore {
    private static final String TABLE = """
            create table if not exists node (
                name text primary key,
                address text not null,
                version text not null,
                seen timestamptz not null,
                started timestamptz not null
            );
            alter table node add column if not exists format int not null default 1;
            alter table node add column if not exists settings text not null default '';
            create table if not exists format (
                id int primary key check (id = 1),
                number int not null
            );
            insert into format values (1, 1) on conflict do nothing;""";
    private static final String LEASE = "clock_timestamp() + interval '" + OwnershipRules.LEASE.toMillis()
            + " milliseconds'";
    private static final String FREE = "(owner is null or lease_until is null or lease_until < clock_timestamp())";
    private static final String ALIVE = "interval '" + ClusterLook.ALIVE_MILLIS + " milliseconds'";
    /// The time of a start, whatever the time zone of the session.
    private static final String START = "(extract(epoch from started) * 1000000)::bigint::text";
    /// Leases of rows without one ended long ago.
    private static final long LONG_AGO_MILLIS = -86_400_000;
    private static final int MOST_NODES = 1_000;

    private final LogDatabase database;
    private final String node;
    private final ClusterFormat format;
    private volatile Optional<String> instance = Optional.empty();

    /// @param node the name of this server
    public OwnershipStore(LogDatabase database, String node) {
        this(database, node, ClusterFormat.OWN);
    }

    OwnershipStore(LogDatabase database, String node, ClusterFormat format) {
        this.database = database;
        this.node = node;
        this.format = format;
    }

    /// Enters this server into the table of nodes. Fails when the cluster has a format that this program does not know.
    ///
    /// @param address where other nodes reach it
    /// @param version of its program
    /// @return false when another server has the name and is alive
    public boolean register(String address, String version) throws SQLException {
        database.define(TABLE);
        MovedMessages.define(database);
        instance = database.transaction(connection -> {
            int inForce = first(connection, "select number from format where id = 1 for update",
                    row -> row.getInt(1)).orElse(1);
            format.require(inForce);
            // A server that was taken away without a stop is shown for a month.
            run(connection, "delete from node where seen < clock_timestamp() - interval '30 days'");
            Optional<String> entered = first(connection,
                    "insert into node as old (name, address, version, format, seen, started)"
                            + " values (?, ?, ?, ?, clock_timestamp(), clock_timestamp()) on conflict (name) do update"
                            + " set address = excluded.address, version = excluded.version,"
                            + " format = excluded.format, seen = excluded.seen,"
                            + " started = excluded.started where old.seen < clock_timestamp() - " + ALIVE
                            + " returning started::text",
                    row -> row.getString(1), node, address, version, format.newest());
            if (entered.isPresent()) {
                // Also a node that is silent may go on with what it knows, so it counts until it is forgotten.
                run(connection, "update format set number = common.number from (select min(format) as number from node)"
                        + " as common where common.number > format.number");
            }
            return entered;
        });
        return instance.isPresent();
    }

    /// The format in force.
    int format() throws SQLException {
        return database.read(connection -> first(connection, "select number from format where id = 1",
                row -> row.getInt(1)).orElse(1));
    }

    /// Removes this server from the table of nodes.
    public void leave() throws SQLException {
        database.transaction(connection -> run(connection,
                "delete from node where name = ? and started::text = ?", node, instance.orElse("")));
    }

    /// Tells the other nodes the settings of this one. The first line names this start of the server: a program of an
    /// earlier version that starts under the name of this node leaves the text of its predecessor.
    void tell(SettingPrints settings) throws SQLException {
        database.transaction(connection -> run(connection, "update node set settings = " + START
                + " || E'\\n' || ? where name = ? and started::text = ?", settings.text(), node, instance.orElse("")));
    }

    /// The settings of the nodes that are alive, in order of their names. A cluster of an earlier version has no column
    /// for them.
    static List<ToldSettings> toldSettings(LogDatabase database) throws SQLException {
        return database.read(connection -> {
            if (all(connection, "select to_regclass('node') is not null", row -> row.getBoolean(1)).contains(false)) {
                return List.of();
            }
            return all(connection, "select name, version, case when split_part(told, E'\\n', 1) = " + START
                    + " then substr(told, strpos(told, E'\\n') + 1) end from (select name, version, started, seen,"
                    + " left(coalesce(to_jsonb(node) ->> 'settings', ''), " + 2 * SettingPrints.MOST_OCTETS
                    + ") as told from node) as each_node where seen >= clock_timestamp() - " + ALIVE
                    + " order by name limit " + MOST_NODES,
                    row -> new ToldSettings(row.getString(1), row.getString(2),
                            Optional.ofNullable(row.getString(3)).flatMap(SettingPrints::parse)));
        });
    }

    OwnershipAnswer ask(OwnershipQuestion question) throws SQLException {
        return database.transaction(connection -> switch (question) {
            case OwnershipQuestion.Renew(Map<Integer, Long> epochs) -> renew(connection, epochs);
            case OwnershipQuestion.Claim(int shard) -> new OwnershipAnswer.Claimed(epoch(connection,
                    "update shard set epoch = epoch + 1, owner = ?, lease_until = " + LEASE
                            + ", move_to = nullif(move_to, ?) where number = ? and " + FREE + " returning epoch",
                    node, node, shard));
            case OwnershipQuestion.Make(int shard) -> new OwnershipAnswer.Claimed(epoch(connection,
                    "insert into shard (number, epoch, owner, lease_until) select ?, 1, ?, " + LEASE
                            + " where not exists (select 1 from local_shard where number = ?)"
                            + " on conflict do nothing returning epoch",
                    shard, node, shard));
            case OwnershipQuestion.AskFor(int shard, String owner) -> {
                run(connection, "update shard set move_to = ? where number = ? and owner = ? and move_to is null", node,
                        shard, owner);
                yield new OwnershipAnswer.Done();
            }
            case OwnershipQuestion.Release(int shard, long epoch) -> {
                run(connection, "update shard set owner = null, lease_until = clock_timestamp()"
                        + " where number = ? and epoch = ?", shard, epoch);
                yield new OwnershipAnswer.Done();
            }
        });
    }

    // The rows of shards are locked last, because the writer of a log wants them, too.
    private OwnershipAnswer renew(Connection connection, Map<Integer, Long> epochs) throws SQLException {
        boolean ours = run(connection, "update node set seen = clock_timestamp() where name = ? and started::text = ?",
                node, instance.orElse("")) == 1;
        ClusterLook look = look(connection);
        Set<Integer> renewed = new HashSet<>();
        if (ours && !epochs.isEmpty()) {
            List<Integer> numbers = List.copyOf(epochs.keySet());
            try (PreparedStatement update = connection.prepareStatement("update shard set lease_until = " + LEASE
                    + " from unnest(?::int[], ?::bigint[]) as mine (number, epoch)"
                    + " where shard.number = mine.number and shard.epoch = mine.epoch and owner = ?"
                    + " returning shard.number")) {
                update.setArray(1, connection.createArrayOf("int", numbers.toArray()));
                update.setArray(2, connection.createArrayOf("bigint", numbers.stream().map(epochs::get).toArray()));
                update.setString(3, node);
                try (ResultSet rows = update.executeQuery()) {
                    while (rows.next()) {
                        renewed.add(rows.getInt(1));
                    }
                }
            }
        }
        return new OwnershipAnswer.Renewed(renewed, ours, look);
    }

    /// The cluster now.
    public ClusterLook look() throws SQLException {
        return database.read(OwnershipStore::look);
    }

    private static ClusterLook look(Connection connection) throws SQLException {
        List<ShardClaim> shards = all(connection, "select number, epoch, owner, extract(epoch from lease_until"
                + " - clock_timestamp()) * 1000, move_to from shard where number between 1 and "
                + OwnershipRules.LAST_NUMBER, row -> {
                    Optional<String> owner = Optional.ofNullable(row.getString(3));
                    double lease = row.getDouble(4);
                    long leaseMillis = row.wasNull() ? LONG_AGO_MILLIS : (long) Math.floor(lease);
                    return new ShardClaim(row.getInt(1), row.getLong(2), owner, leaseMillis,
                            Optional.ofNullable(row.getString(5)));
                });
        List<ClusterNode> nodes = all(connection, "select name, address, version, extract(epoch from clock_timestamp()"
                + " - seen) * 1000, extract(epoch from clock_timestamp() - started) * 1000 from node order by name"
                + " limit " + MOST_NODES,
                row -> new ClusterNode(row.getString(1), row.getString(2), row.getString(3), (long) row.getDouble(4),
                        (long) row.getDouble(5)));
        return new ClusterLook(shards, nodes);
    }

    /// Orders that a shard goes to another node. Its present owner ends its deliveries and releases it; one that
    /// is not alive loses it when its lease ends.
    ///
    /// @return false when there is no such shard
    public boolean moveTo(int shard, String to) throws SQLException {
        return database.transaction(connection -> run(connection,
                "update shard set move_to = case when owner = ? then null else ? end where number = ?", to, to,
                shard)) == 1;
    }

    // ---- SQL

    @FunctionalInterface
    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static OptionalLong epoch(Connection connection, String sql, Object... values) throws SQLException {
        return first(connection, sql, row -> row.getLong(1), values).map(OptionalLong::of)
                .orElse(OptionalLong.empty());
    }

    private static <T> Optional<T> first(Connection connection, String sql, RowReader<T> reader, Object... values)
            throws SQLException {
        return all(connection, sql, reader, values).stream().findFirst();
    }

    private static <T> List<T> all(Connection connection, String sql, RowReader<T> reader, Object... values)
            throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values);
                ResultSet rows = statement.executeQuery()) {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(reader.read(rows));
            }
            return found;
        }
    }

    private static int run(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
