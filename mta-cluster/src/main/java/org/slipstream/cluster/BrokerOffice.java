package org.slipstream.cluster;

import org.slipstream.spool.postgres.LogDatabase;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// The table `broker` with one row: which node divides the limits of the cluster. The office has a lease by the
/// clock of the database, and an epoch that grows with each holder.
///
/// The lease is shorter than that of a shard. Grants outlive the loss of their broker by some seconds, and
/// within these another node must be in office, or connections are cut.
public final class BrokerOffice {
    /// By the clock of the database.
    public static final long LEASE_MILLIS = 3_000;
    /// At the end of its lease the holder answers no node any more.
    public static final long SILENT_MILLIS = 500;
    private static final String TABLE = """
            create table if not exists broker (
                id int primary key check (id = 1),
                epoch bigint not null,
                owner text not null,
                address text not null,
                lease_until timestamptz not null
            );
            insert into broker values (1, 0, '', '', '-infinity') on conflict do nothing""";
    private static final String LEASE = "clock_timestamp() + interval '" + LEASE_MILLIS + " milliseconds'";
    /// Grants of a broker that left its office that long ago have ended.
    private static final long LONG_AGO_MILLIS = 86_400_000;

    private final LogDatabase database;
    private final String holder;
    private final String address;

    /// The office as one look shows it.
    ///
    /// @param epoch of the present holder
    /// @param address of the present holder
    /// @param mine this process holds it
    /// @param sinceFormerMillis since the former holder renewed its lease, if this process has just taken the office
    public record OfficeLook(long epoch, String address, boolean mine, long sinceFormerMillis) {
        /// For nodes that may have used their parts of the limits until now, without an office (except before the first
        /// office of all).
        public OfficeLook asIfJustEnded() {
            return sinceFormerMillis < LONG_AGO_MILLIS ? new OfficeLook(epoch, address, mine, 0) : this;
        }
    }

    /// @param node its name; a process that is started again is another holder
    /// @param start tells it apart
    /// @param address where other nodes reach it
    public BrokerOffice(LogDatabase database, String node, long start, String address) {
        this.database = database;
        this.holder = node + "/" + start;
        this.address = address;
    }

    /// Makes the table.
    public void prepare() throws SQLException {
        database.define(TABLE);
    }

    /// Renews the office, or takes it when its lease is over.
    public OfficeLook look() throws SQLException {
        return database.transaction(connection -> {
            long since = renew(connection) ? 0 : take(connection);
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("select epoch, address, owner from broker where id = 1")) {
                if (!row.next()) {
                    throw new SQLException("the table broker has no row", "55000");
                }
                return new OfficeLook(row.getLong(1), row.getString(2), row.getString(3).equals(holder), since);
            }
        });
    }

    private boolean renew(Connection connection) throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement("update broker set lease_until = " + LEASE
                + " where id = 1 and owner = ? and lease_until >= clock_timestamp()")) {
            renew.setString(1, holder);
            return renew.executeUpdate() == 1;
        }
    }

    private long take(Connection connection) throws SQLException {
        try (PreparedStatement take = connection.prepareStatement("with former as (select lease_until as ended from"
                + " broker where id = 1 for update) update broker set epoch = epoch + 1, owner = ?, address = ?,"
                + " lease_until = " + LEASE
                + " from former where id = 1 and (former.ended < clock_timestamp() or owner = '')"
                + " returning case when isfinite(former.ended) then least(" + LONG_AGO_MILLIS
                + ", extract(epoch from (clock_timestamp() - former.ended)) * 1000)::bigint else " + LONG_AGO_MILLIS
                + " end")) {
            take.setString(1, holder);
            take.setString(2, address);
            try (ResultSet taken = take.executeQuery()) {
                return taken.next() ? Math.min(LONG_AGO_MILLIS, taken.getLong(1) + LEASE_MILLIS) : 0;
            }
        }
    }

    /// Leaves the office, so that another node takes it soon. The end of the lease stays: it tells when it was renewed.
    public void leave() throws SQLException {
        database.transaction(connection -> {
            try (PreparedStatement leave = connection.prepareStatement("update broker set owner = ''"
                    + " where id = 1 and owner = ?")) {
                leave.setString(1, holder);
                return leave.executeUpdate();
            }
        });
    }
}
