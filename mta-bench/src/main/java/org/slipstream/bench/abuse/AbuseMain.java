package org.slipstream.bench.abuse;

import org.slipstream.bench.PackagedServer;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/// Starts the packaged server and lets each [Scenario] loose on it for some seconds, while honest mail comes in and is timed. Then
/// sessions are opened until there are ten thousand, for the memory of one. Loopback only; prints tables of Markdown.
///
/// ```
/// mvn -q -Pabuse -pl mta-bench -am test -DskipTests          needs a packaged mta-dist; about four minutes
/// ```
///
/// Client and server share the machine, so whatever the bad clients burn is missing to the honest ones: the figures are worse than
/// over a network, never better.
public final class AbuseMain {
    private static final int SESSIONS = 10_000;
    /// Room for all sessions of the scenarios, and to the server every client is a stranger.
    private static final List<String> SETTINGS = List.of("hostname=mail.here.example", "listen.smtp=127.0.0.1:0",
            "listen.submission=off", "listen.admin=127.0.0.1:0", "local.domains=here.example", "local.mailboxes=*",
            "relay.networks=192.0.2.0/24", "limits.connections=12000", "limits.connections-per-client=100");
    private static final Duration SETTLE = Duration.ofSeconds(3);

    private final PrintStream out;
    private final PackagedServer server;
    private final Honest honest;
    private final Duration each;

    private AbuseMain(PrintStream out, PackagedServer server, Duration each) {
        this.out = out;
        this.server = server;
        this.honest = new Honest(server.address());
        this.each = each;
    }

    /// @param arguments the folder of the packaged program, seconds for each scenario (15), and the scenarios' names (all)
    public static void main(String... arguments) throws Exception {
        Path program = Path.of(arguments[0]);
        Duration each = Duration.ofSeconds(arguments.length > 1 ? Long.parseLong(arguments[1]) : 15);
        Path home = Files.createTempDirectory("abuse");
        try (PackagedServer server = PackagedServer.start(program, home, SETTINGS)) {
            AbuseMain abuse = new AbuseMain(System.out, server, each);
            abuse.scenarios(Arrays.stream(Scenario.values())
                    .filter(one -> arguments.length < 3 || List.of(arguments).contains(one.name())).toList());
            abuse.sessions();
        }
        // The home stays for whoever wants to read its log.
        System.out.println("\nhome: " + home);
    }

    private void scenarios(List<Scenario> chosen) throws IOException, InterruptedException {
        honest.during(each);
        out.println(
                "| | honest, median ms | 99th of 100, ms | not taken | done | refused or hung up on | server's CPU, s/s"
                        + " | resident, MiB |");
        out.println("|---|---|---|---|---|---|---|---|");
        row("nothing but honest mail", honest.during(each), 0, 0, 0);
        for (Scenario scenario : chosen) {
            attack(scenario);
            if (!server.isAlive()) {
                throw new IOException("the server has died of " + scenario);
            }
        }
        row("nothing but honest mail, again", honest.during(each), 0, 0, 0);
        out.printf(Locale.ROOT, "%nmost resident memory of all: %,d MiB%n", server.peakKibibytes() >> 10);
    }

    private void attack(Scenario scenario) throws IOException, InterruptedException {
        AtomicBoolean on = new AtomicBoolean(true);
        Scenario.Meter meter = new Scenario.Meter();
        Scenario.Meter refusals = new Scenario.Meter();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < scenario.clients; i++) {
            clients.add(Thread.startVirtualThread(() -> scenario.run(server.address(), meter, refusals, on::get)));
        }
        Thread.sleep(SETTLE);
        double cpu = server.cpuSeconds();
        long before = meter.sum();
        long start = System.nanoTime();
        Honest.Felt felt = honest.during(each);
        double seconds = (System.nanoTime() - start) / 1e9;
        row(scenario.words, felt, (long) ((meter.sum() - before) / seconds), refusals.sum(),
                (server.cpuSeconds() - cpu) / seconds);
        on.set(false);
        for (Thread client : clients) {
            client.interrupt();
            client.join(Duration.ofSeconds(35));
        }
        Thread.sleep(SETTLE);
    }

    private void row(String what, Honest.Felt felt, long perSecond, long refusals, double cpu) throws IOException {
        out.printf(Locale.ROOT, "| %s | %.1f | %.1f | %d of %d%s | %,d/s | %,d | %.2f | %,d |%n", what,
                felt.quantile(0.5), felt.quantile(0.99), felt.failed(), felt.failed() + felt.millis().size(),
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
                Caller client = Caller.from(20 + i / 250, server.address());
                open.add(client);
                client.greeted();
            }
            Honest.Felt felt = honest.during(Duration.ofSeconds(5));
            row("honest mail beside them", felt, 0, 0, 0);
        } finally {
            open.forEach(Caller::close);
        }
    }
}
