package org.slipstream.bench.load.abuse;

import org.slipstream.bench.load.sustain.LoadMode;
import org.slipstream.bench.load.sustain.LoadSink;
import org.slipstream.testkit.server.HostilePeers;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/// Starts the packaged server and runs each [AbuseScenario] against it for some seconds, while
/// ordinary mail arrives and is timed. Then sessions are opened until there are ten thousand, for
/// the memory of one. Loopback only; prints tables of Markdown.
///
/// ```
/// mvn -q -Pabuse -pl mta-bench -am test -DskipTests          needs a packaged mta-dist; about ten minutes
/// ```
///
/// Client and server share the machine, so the processor time of the hostile clients is missing to
/// the others: the figures are worse than over a network, never better.
public final class AbuseMain {
    private static final int SESSIONS = 10_000;
    private static final List<String> COMMON = List.of("hostname=mail.here.example", "listen.smtp=127.0.0.1:0",
            "listen.submission=127.0.0.1:0", "local.domains=here.example", "local.mailboxes=*");
    /// To the server every client is a stranger.
    private static final List<String> LARGE = List.of("relay.networks=192.0.2.0/24", "limits.connections=12000",
            "limits.connections-per-client=100");
    private static final List<String> BY_DEFAULT = List.of("relay.networks=127.0.9.0/24");
    private static final Duration SETTLE = Duration.ofSeconds(3);

    private final PrintStream out;
    private final PackagedServer server;
    private final Target target;
    private final Honest honest;
    private final Duration each;

    private AbuseMain(PrintStream out, PackagedServer server, BlockingQueue<Long> arrivals, Duration each) {
        this.out = out;
        this.server = server;
        this.target = new Target(server.smtp(), server.port("submission"), server.home());
        this.honest = new Honest(target, arrivals);
        this.each = each;
    }

    /// @param arguments the folder of the packaged program, seconds for each scenario (15), and the
    ///     scenarios' names (all)
    public static void main(String... arguments) throws Exception {
        Path program = Path.of(arguments[0]);
        Duration each = Duration.ofSeconds(arguments.length > 1 ? Long.parseLong(arguments[1]) : 15);
        List<AbuseScenario> chosen = Arrays.stream(AbuseScenario.values())
                .filter(one -> arguments.length < 3 || List.of(arguments).contains(one.name())).toList();
        BlockingQueue<Long> arrivals = new LinkedBlockingQueue<>();
        try (LoadSink healthy = new LoadSink(LoadMode.PIPELINED, arrivals::add);
                Tarpits tarpits = new Tarpits();
                HostilePeers peers = new HostilePeers()) {
            for (AbuseScenario.AttackedServer profile : AbuseScenario.AttackedServer.values()) {
                List<AbuseScenario> here = chosen.stream().filter(one -> one.profile == profile).toList();
                if (!here.isEmpty()) {
                    Path home = Files.createTempDirectory("abuse");
                    List<String> settings = settings(profile, healthy, tarpits);
                    if (profile == AbuseScenario.AttackedServer.WITH_PEERS) {
                        settings.addAll(peers.settings(home));
                    }
                    attack(program, home, settings, arrivals, each, here);
                }
            }
        }
    }

    private static List<String> settings(AbuseScenario.AttackedServer profile, LoadSink healthy, Tarpits tarpits) {
        List<String> settings = new ArrayList<>(COMMON);
        if (profile == AbuseScenario.AttackedServer.LARGE) {
            settings.addAll(LARGE);
        } else {
            settings.addAll(BY_DEFAULT);
            settings.add("routes.\"healthy.example\"=smtp:127.0.0.1:" + healthy.port());
            settings.addAll(tarpits.routes());
        }
        return settings;
    }

    private static void attack(Path program, Path home, List<String> settings, BlockingQueue<Long> arrivals,
            Duration each, List<AbuseScenario> chosen) throws IOException, InterruptedException {
        addUser(program, home);
        try (PackagedServer server = PackagedServer.start(program, home, settings)) {
            AbuseMain abuse = new AbuseMain(System.out, server, arrivals, each);
            abuse.scenarios(chosen);
            if (chosen.getFirst().profile == AbuseScenario.AttackedServer.LARGE) {
                abuse.sessions();
            }
        }
        // The home folder and the log beside it are kept.
        System.out.println("\nhome: " + home + "\n");
    }

    /// So that there is a password to guess.
    private static void addUser(Path program, Path home) {
        ProgramRun.of("a password that is not in lists\n".getBytes(StandardCharsets.US_ASCII),
                PackagedServer.commandLine(program, home, "user", "add", "alice")).mustSucceed();
    }

    private void scenarios(List<AbuseScenario> chosen) throws IOException, InterruptedException {
        // The first is for the JIT compiler.
        honest.during(each, AbuseScenario.Honesty.STRANGER);
        out.println("| | honest, median ms | 99th of 100, ms | times usual | not taken | done"
                + " | refused or hung up on | server's CPU, s/s | resident, MiB |");
        out.println("|---|---|---|---|---|---|---|---|---|");
        double usual = alone(AbuseScenario.Honesty.STRANGER);
        for (AbuseScenario scenario : chosen) {
            attack(scenario, scenario.honesty.relayed ? alone(scenario.honesty) : usual);
            if (!server.isAlive()) {
                throw new IOException("the server has died of " + scenario);
            }
        }
        row("nothing but honest mail, again", honest.during(each, AbuseScenario.Honesty.STRANGER), usual, 0, 0, 0);
        out.printf(Locale.ROOT, "%nmost resident memory of all: %,d MiB%n", server.peakKibibytes() >> 10);
    }

    /// @return the 99th of 100, in milliseconds
    private double alone(AbuseScenario.Honesty way) throws IOException, InterruptedException {
        Honest.Felt felt = honest.during(each, way);
        row("nothing but honest mail" + (way.relayed ? ", to its arrival at the next server" : ""), felt,
                felt.quantile(0.99), 0, 0, 0);
        return felt.quantile(0.99);
    }

    private void attack(AbuseScenario scenario, double usual) throws IOException, InterruptedException {
        AtomicBoolean on = new AtomicBoolean(true);
        AbuseScenario.Meter meter = new AbuseScenario.Meter();
        AbuseScenario.Meter refusals = new AbuseScenario.Meter();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < scenario.clients; i++) {
            int number = i;
            clients.add(Thread.startVirtualThread(() -> scenario.run(target, number, meter, refusals, on::get)));
        }
        Thread.sleep(SETTLE);
        double cpu = server.cpuSeconds();
        long before = meter.sum();
        long start = System.nanoTime();
        Honest.Felt felt = honest.during(each, scenario.honesty);
        double seconds = (System.nanoTime() - start) / 1e9;
        row(scenario.words, felt, usual, (meter.sum() - before) / seconds, refusals.sum(),
                (server.cpuSeconds() - cpu) / seconds);
        on.set(false);
        for (Thread client : clients) {
            client.interrupt();
            client.join(Duration.ofSeconds(35));
        }
        Thread.sleep(SETTLE);
    }

    private void row(String what, Honest.Felt felt, double usual, double perSecond, long refusals, double cpu)
            throws IOException {
        out.printf(Locale.ROOT, "| %s | %.1f | %.1f | %.1f | %d of %d%s | %,.1f/s | %,d | %.2f | %,d |%n", what,
                felt.quantile(0.5), felt.quantile(0.99), felt.quantile(0.99) / usual, felt.failed(),
                felt.failed() + felt.millis().size(),
                felt.firstFailure().isEmpty() ? "" : " (" + felt.firstFailure() + ")", perSecond, refusals, cpu,
                server.residentKibibytes() >> 10);
    }

    private void sessions() throws IOException, InterruptedException {
        out.println("\n| sessions open after EHLO | resident, MiB | KiB for each | open files |");
        out.println("|---|---|---|---|");
        List<Caller> open = new ArrayList<>();
        long before = server.residentKibibytes();
        try {
            for (int i = 0; i <= SESSIONS; i++) {
                if (i % 2_500 == 0) {
                    Thread.sleep(SETTLE);
                    long now = server.residentKibibytes();
                    out.printf(Locale.ROOT, "| %,d | %,d | %.1f | %,d |%n", i, now >> 10,
                            i == 0 ? 0.0 : (now - before) / (double) i, server.openFiles());
                }
                Caller client = Caller.from(20 + i / 250, target.smtp());
                open.add(client);
                client.greeted();
            }
            Honest.Felt felt = honest.during(Duration.ofSeconds(5), AbuseScenario.Honesty.STRANGER);
            out.printf(Locale.ROOT, "%nhonest mail beside them: median %.1f ms%n", felt.quantile(0.5));
        } finally {
            open.forEach(Caller::close);
        }
    }
}
