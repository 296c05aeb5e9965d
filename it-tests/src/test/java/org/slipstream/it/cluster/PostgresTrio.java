package org.slipstream.it.cluster;

import org.slipstream.testkit.FaultyLink;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import static org.slipstream.it.fixture.MailAssert.eventually;

/// A primary and two standbys of which one has to confirm each commit (`ANY 1`), with a path between each two
/// of them. This class also stands for the program that promotes a standby, such as Patroni.
final class PostgresTrio implements AutoCloseable {
    private static final int SERVERS = 3;
    private final List<PostgresServer> servers;
    /// From the row to the column.
    private final List<List<FaultyLink>> links;
    private int primary;

    PostgresTrio(Path folder, boolean ownDisks) {
        servers = IntStream.range(0, SERVERS).mapToObj(i -> new PostgresServer("p" + i, folder, ownDisks))
                .toList();
        links = servers.stream().map(_ -> servers.stream().map(to -> new FaultyLink(to.port())).toList()).toList();
    }

    void start() {
        primary().initialize();
        primary().lead();
        primary().start();
        standbys().forEach(this::attach);
        awaitStandbys();
    }

    PostgresServer primary() {
        return servers.get(primary);
    }

    List<PostgresServer> servers() {
        return servers;
    }

    List<PostgresServer> standbys() {
        return servers.stream().filter(each -> each != primary()).toList();
    }

    /// From this standby to the primary.
    FaultyLink link(PostgresServer standby) {
        return links.get(servers.indexOf(standby)).get(primary);
    }

    /// A standby with a fresh copy of the primary.
    void attach(PostgresServer standby) {
        standby.copyOf(primary().port());
        standby.follow(link(standby).port());
        standby.start();
    }

    /// Until both standbys have everything and would confirm.
    void awaitStandbys() {
        eventually().until(() -> confirming() == SERVERS - 1);
    }

    int confirming() {
        try {
            return Integer.parseInt(primary().query("select count(*) from pg_stat_replication"
                    + " where state = 'streaming' and sync_state = 'quorum'"));
        } catch (SQLException e) {
            return 0;
        }
    }

    /// The standby with the most WAL becomes the primary, the other one follows it. The former primary has to be
    /// dead or cut off, so that no standby confirms a commit of it meanwhile.
    void promoteTheNewest() {
        standbys().forEach(each -> link(each).cut());
        PostgresServer newest = standbys().stream().max(Comparator.comparingLong(PostgresServer::received))
                .orElseThrow();
        PostgresServer other = standbys().stream().filter(each -> each != newest).findFirst().orElseThrow();
        primary = servers.indexOf(newest);
        newest.promote();
        other.follow(link(other).port());
    }

    void heal() {
        links.forEach(row -> row.forEach(FaultyLink::heal));
    }

    @Override
    public void close() {
        servers.forEach(PostgresServer::close);
        links.forEach(row -> row.forEach(FaultyLink::close));
    }
}
