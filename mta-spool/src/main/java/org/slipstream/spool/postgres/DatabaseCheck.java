package org.slipstream.spool.postgres;

import org.slipstream.core.CheckFinding;
import org.slipstream.core.FindingList;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Looks for what in a PostgreSQL endangers mail (docs/cluster-database.md). It asks, and changes nothing.
public final class DatabaseCheck {
    /// More rows of a view are not read.
    private static final int MOST_ROWS = 1_000;
    private static final long SLOT_KEEPS_MUCH = 4L << 30;
    private static final long IDLE_SECONDS = 300;
    private static final long CLOCK_SECONDS = 5;
    private static final int OLDEST_VERSION = 12;
    private static final int CONNECTIONS_OF_A_NODE = 10;

    /// The settings and the state of a database, as it tells them.
    ///
    /// @param settings values of `pg_settings`, in the database's base units
    /// @param standbys one for each `pg_stat_replication` that this role may read
    /// @param readsStandbys false: this role sees standbys and does not see their state
    /// @param clockSeconds how far its clock is ahead of this machine's
    record DatabaseFacts(Map<String, String> settings, List<StandbyFacts> standbys, boolean readsStandbys,
            List<SlotFacts> slots, List<IdleTransaction> idle, boolean inRecovery, double clockSeconds) {
        String setting(String name) {
            return settings.getOrDefault(name, "").toLowerCase(Locale.ROOT);
        }

        long number(String name) {
            try {
                return Long.parseLong(setting(name));
            } catch (NumberFormatException unknown) {
                return 0;
            }
        }
    }

    /// A standby of the database. Without the right to see them, `state` and `syncState` are empty.
    ///
    /// @param syncState `sync`, `quorum`, `potential` or `async`
    public record StandbyFacts(String name, String state, String syncState) {
        boolean confirms() {
            return syncState.equals("sync") || syncState.equals("quorum");
        }
    }

    /// A replication slot.
    ///
    /// @param keptBytes WAL that is kept for it
    record SlotFacts(String name, boolean active, long keptBytes) {}

    /// A transaction of any user that is open and idle.
    record IdleTransaction(int process, String user, long seconds) {}

    private DatabaseCheck() {}

    /// @param url of the database; a failure to reach it is a finding, too
    public static List<CheckFinding> run(String url) {
        try (LogDatabase database = LogDatabase.toLook(url)) {
            return judge(database.read(DatabaseCheck::ask));
        } catch (SQLException silent) {
            FindingList findings = new FindingList();
            findings.noAnswer("database", "no connection: " + silent.getMessage());
            return findings.all();
        }
    }

    private static DatabaseFacts ask(Connection connection) throws SQLException {
        long before = System.currentTimeMillis();
        double now = value(connection, "select extract(epoch from clock_timestamp())::float8", Double.class);
        double here = (before + System.currentTimeMillis()) / 2_000.0;
        Map<String, String> settings = new HashMap<>();
        rows(connection, "select name, setting from pg_settings", row -> {
            settings.put(row.getString(1), text(row, 2));
            return true;
        });
        List<StandbyFacts> standbys = standbys(connection);
        boolean reads = standbys.stream().noneMatch(standby -> standby.syncState().isEmpty());
        return new DatabaseFacts(settings, standbys, reads, rows(connection, """
                select slot_name, active, case when pg_is_in_recovery() then 0
                    else coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint end
                from pg_replication_slots""",
                row -> new SlotFacts(text(row, 1), row.getBoolean(2), row.getLong(3))),
                rows(connection, """
                        select pid, usename, extract(epoch from clock_timestamp() - state_change)::bigint
                        from pg_stat_activity where state like 'idle in transaction%' order by state_change""",
                        row -> new IdleTransaction(row.getInt(1), text(row, 2), row.getLong(3))),
                value(connection, "select pg_is_in_recovery()", Boolean.class), now - here);
    }

    /// The standbys that are connected.
    public static List<StandbyFacts> standbys(LogDatabase database) throws SQLException {
        return database.read(DatabaseCheck::standbys);
    }

    private static List<StandbyFacts> standbys(Connection connection) throws SQLException {
        return rows(connection, "select application_name, state, sync_state from pg_stat_replication order by 1",
                row -> new StandbyFacts(text(row, 1), text(row, 2), text(row, 3)));
    }

    /// A row becomes a value.
    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static <T> List<T> rows(Connection connection, String query, RowReader<T> reader) throws SQLException {
        List<T> all = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setMaxRows(MOST_ROWS);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    all.add(reader.read(rows));
                }
            }
        }
        return all;
    }

    private static <T> T value(Connection connection, String query, Class<T> type) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(query)) {
            row.next();
            return Objects.requireNonNull(row.getObject(1, type));
        }
    }

    private static String text(ResultSet row, int column) throws SQLException {
        return Optional.ofNullable(row.getString(column)).orElse("");
    }

    static List<CheckFinding> judge(DatabaseFacts facts) {
        FindingList findings = new FindingList();
        version(facts, findings);
        disk(facts, findings);
        commits(facts, findings);
        standbys(facts, findings);
        slots(facts, findings);
        transactions(facts, findings);
        archive(facts, findings);
        clock(facts, findings);
        return findings.all();
    }

    private static void version(DatabaseFacts facts, FindingList findings) {
        long major = facts.number("server_version_num") / 10_000;
        if (major < OLDEST_VERSION) {
            findings.lacks("version", "PostgreSQL " + major + " is older than " + OLDEST_VERSION);
        } else {
            findings.ok("version", "PostgreSQL " + facts.setting("server_version"));
        }
        if (facts.inRecovery()) {
            findings.lacks("primary", "this is a standby: the URL has to name all machines, and"
                    + " targetServerType=primary");
        }
        long most = facts.number("max_connections");
        if (most < CONNECTIONS_OF_A_NODE) {
            findings.lacks("connections", "max_connections is " + most + "; each node needs " + CONNECTIONS_OF_A_NODE,
                    "alter system set max_connections = 100;");
        }
    }

    private static void disk(DatabaseFacts facts, FindingList findings) {
        for (String name : List.of("fsync", "full_page_writes")) {
            if (facts.setting(name).equals("on")) {
                findings.ok(name, "on");
            } else {
                findings.lacks(name, "is off: a power cut destroys the database", "alter system set " + name
                        + " = on;");
            }
        }
    }

    // The nodes set it for their sessions, so a value that is weaker here came after them: from a pooler.
    private static void commits(DatabaseFacts facts, FindingList findings) {
        String here = facts.setting("synchronous_commit");
        if (!here.equals("on")) {
            findings.lacks("commit", "synchronous_commit is " + here + " for this session: acknowledged mail can be"
                    + " lost with the primary; connect to the database itself and not to a pooler");
        } else {
            findings.ok("commit", "synchronous_commit is on");
        }
    }

    private static void standbys(DatabaseFacts facts, FindingList findings) {
        String names = facts.setting("synchronous_standby_names");
        long confirming = facts.standbys().stream().filter(StandbyFacts::confirms).count();
        if (!facts.readsStandbys()) {
            findings.unknown("standbys", facts.standbys().size() + " standbys are there, and this role may not read"
                    + " whether they confirm; grant pg_monitor tells it");
        } else if (names.isEmpty()) {
            findings.lacks("standbys", "one copy: no standby has to confirm a commit (" + facts.standbys().size()
                    + " are connected). A rented database that copies its disk says this, too",
                    "alter system set synchronous_standby_names = 'ANY 1 (a, b)';");
        } else if (confirming == 0) {
            findings.lacks("standbys", "commits wait: synchronous_standby_names is \"" + names
                    + "\", and none of these is connected");
        } else if (confirming == 1) {
            findings.advice("standbys",
                    "one standby confirms: when it is lost, all commits wait, and clients hear 451");
        } else {
            findings.ok("standbys", confirming + " standbys confirm");
        }
    }

    private static void slots(DatabaseFacts facts, FindingList findings) {
        long limit = facts.number("max_slot_wal_keep_size");
        boolean unlimited = facts.setting("max_slot_wal_keep_size").equals("-1");
        if (unlimited && !facts.slots().isEmpty()) {
            findings.lacks("slots", "max_slot_wal_keep_size has no limit: a standby that is gone keeps WAL until the"
                    + " disk is full", "alter system set max_slot_wal_keep_size = '20GB';");
        } else if (!facts.slots().isEmpty()) {
            findings.ok("slots", "a slot keeps " + limit + " MB at most");
        }
        for (SlotFacts slot : facts.slots()) {
            if (!slot.active()) {
                String text = "the slot " + slot.name() + " has no reader, and keeps " + (slot.keptBytes() >> 20)
                        + " MiB of WAL";
                String remedy = "select pg_drop_replication_slot('" + slot.name().replace("'", "''") + "');";
                if (slot.keptBytes() >= SLOT_KEEPS_MUCH) {
                    findings.lacks("slots", text, remedy);
                } else {
                    findings.advice("slots", text, remedy);
                }
            }
        }
    }

    private static void transactions(DatabaseFacts facts, FindingList findings) {
        facts.idle().stream().filter(each -> each.seconds() >= IDLE_SECONDS).findFirst()
                .ifPresent(each -> findings.advice("idle", "a transaction of " + each.user() + " has been open and idle"
                        + " for " + each.seconds() + " s: pages of deleted mail cannot be freed",
                        "select pg_terminate_backend(" + each.process() + ");"));
    }

    private static void archive(DatabaseFacts facts, FindingList findings) {
        String mode = facts.setting("archive_mode");
        boolean archives = !mode.equals("off") && !mode.isEmpty();
        boolean logical = facts.setting("wal_level").equals("logical");
        if (archives || logical) {
            findings.advice("archive", (archives ? "archive_mode is " + mode : "wal_level is logical")
                    + ": its readers have the full text of all mail, of deleted mail, too");
        }
    }

    private static void clock(DatabaseFacts facts, FindingList findings) {
        double seconds = facts.clockSeconds();
        if (Math.abs(seconds) > CLOCK_SECONDS) {
            findings.advice("clock", "the clock of the database is %.0f s %s that of this machine; leases do not"
                    .formatted(Math.abs(seconds), seconds > 0 ? "ahead of" : "behind")
                    + " depend on it, but times in logs do");
        } else {
            findings.ok("clock", "agrees with that of this machine");
        }
    }
}
