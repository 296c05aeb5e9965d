package org.slipstream.it.cluster;

import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.SteppedClock;
import org.slipstream.testkit.FaultyLink;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// One node: the packaged program with a path of its own to each PostgreSQL, and one by which other nodes
/// reach it. Each life of it has another name at the database (`a.1`, `a.2`).
final class NodeProcess implements AutoCloseable {
    private static final int STARTS = 10;
    private final String name;
    private final Settings settings;
    private final List<FaultyLink> databases;
    private final int listens = UnusedPort.now();
    private final FaultyLink fromNodes = new FaultyLink(listens);
    private final Optional<SteppedClock> clock;
    private final Path home;
    private Optional<PackagedServer> server = Optional.empty();
    private int life = 1;
    private volatile InetSocketAddress smtp = new InetSocketAddress(0);

    /// @param settings that all nodes have
    /// @param clock of this node alone
    NodeProcess(String name, Path home, Settings settings, List<PostgresServer> databases,
            Optional<SteppedClock> clock) {
        this.name = name;
        this.databases = databases.stream().map(each -> new FaultyLink(each.port())).toList();
        this.clock = clock;
        this.settings = settings.set("hostname", name + ".example").set("cluster.node", name)
                .set("cluster.listen", "127.0.0.1:" + listens);
        this.home = home;
    }

    void start() {
        supervised(() -> server = Optional.of(PackagedServer.start(Program.folder(), home, pairs(),
                clock.map(SteppedClock::launch).orElse(PackagedServer.Launch.USUAL))));
        smtp = server().smtp();
    }

    /// A start that finds no database is refused, and a supervisor tries it again.
    private static void supervised(Runnable start) {
        for (int left = STARTS - 1;; left--) {
            try {
                start.run();
                return;
            } catch (AssertionError refused) {
                if (left == 0 || !String.valueOf(refused.getMessage()).contains("does not answer")) {
                    throw refused;
                }
            }
        }
    }

    private List<String> pairs() {
        String hosts = databases.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","));
        return settings.set("spool.database", "jdbc:postgresql://" + hosts
                + "/postgres?user=postgres&ApplicationName=" + lifeName()).pairs();
    }

    String name() {
        return name;
    }

    String lifeName() {
        return name + "." + life;
    }

    PackagedServer server() {
        return server.orElseThrow();
    }

    /// Where clients connect; of the last life when it is dead.
    InetSocketAddress smtp() {
        return smtp;
    }

    /// The address at which it listens, and the path to it.
    String listens() {
        return "127.0.0.1:" + listens;
    }

    String reachedBy() {
        return "127.0.0.1:" + fromNodes.port();
    }

    FaultyLink fromNodes() {
        return fromNodes;
    }

    /// To the PostgreSQL with this number.
    FaultyLink toDatabase(int number) {
        return databases.get(number);
    }

    List<FaultyLink> toDatabases() {
        return databases;
    }

    void kill() {
        server().kill9();
    }

    void freeze() {
        PostgresServer.signal("STOP", List.of(server().pid()));
    }

    /// At its end, of all its connections.
    Set<Integer> ports() {
        return OpenPorts.of(server().pid());
    }

    void goOn() {
        PostgresServer.signal("CONT", List.of(server().pid()));
    }

    int stop() {
        return server().stop();
    }

    boolean hasClock() {
        return clock.isPresent();
    }

    void stepClock(Duration by) {
        clock.orElseThrow().step(by);
    }

    void startAgain() {
        life++;
        supervised(() -> server().startAgain(pairs()));
        smtp = server().smtp();
    }

    void heal() {
        databases.forEach(FaultyLink::heal);
        fromNodes.heal();
    }

    @Override
    public void close() {
        heal();
        server.filter(PackagedServer::isAlive).ifPresent(running -> {
            goOn();
            running.close();
        });
        databases.forEach(FaultyLink::close);
        fromNodes.close();
    }
}
