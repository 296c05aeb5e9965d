package org.slipstream.bench.load.intake;

import org.slipstream.testkit.server.PackagedServer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Measures how many messages of 4 KiB a second the packaged server accepts, each synced before its
/// 250, with deliveries off, and the processor time of each. Loopback only; prints a table of
/// Markdown.
///
/// ```
/// mvn -q -Pintake -pl mta-bench -am test -DskipTests          needs a packaged mta-dist; about a minute
/// ```
///
/// The clients share the machine with the server. After a warm-up the modes take turns, so that
/// other load on the machine affects all of them; the median of the rounds is shown. The index
/// grows, because nothing is delivered.
public final class IntakeMain {
    private static final List<String> SETTINGS = List.of("hostname=mail.here.example", "listen.smtp=127.0.0.1:0",
            "listen.submission=off", "local.domains=here.example", "local.mailboxes=*",
            "queue.deliver=false", "queue.in-flow-delay=0s", "limits.connections-per-client=500",
            "limits.messages-per-connection=1000000", "log.level=warn");
    private static final int[] SESSIONS = {20, 100};
    private static final int ROUNDS = 5;

    private IntakeMain() {}

    private record Row(IntakeMode mode, int sessions, List<Double> rates, List<Double> cpuMillis) {
        void print() {
            System.out.printf(Locale.ROOT, "| %s | %d | %,.0f [%,.0f–%,.0f] | %.2f |%n", mode.words, sessions,
                    at(rates, 0.5),
                    at(rates, 0), at(rates, 1), at(cpuMillis, 0.5));
        }

        private static double at(List<Double> values, double share) {
            return values.stream().sorted().toList().get((int) Math.round((values.size() - 1) * share));
        }
    }

    /// @param arguments the folder of the packaged program, messages in a round (10,000)
    public static void main(String... arguments) throws Exception {
        Path program = Path.of(arguments[0]);
        int messages = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10_000;
        Path home = Files.createTempDirectory("intake");
        try (PackagedServer server = PackagedServer.start(program, home, SETTINGS)) {
            Feeder feeder = new Feeder(server.smtp());
            List<Row> rows = new ArrayList<>();
            for (IntakeMode mode : IntakeMode.values()) {
                feeder.feed(mode, 20, 2 * messages);
                for (int sessions : SESSIONS) {
                    rows.add(new Row(mode, sessions, new ArrayList<>(), new ArrayList<>()));
                }
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (Row row : rows) {
                    double before = server.cpuSeconds();
                    row.rates().add(messages / feeder.feed(row.mode(), row.sessions(), messages));
                    row.cpuMillis().add((server.cpuSeconds() - before) * 1000 / messages);
                }
            }
            System.out.println("| client | sessions | messages a second | processor time a message, ms |");
            System.out.println("|---|---|---|---|");
            rows.forEach(Row::print);
        }
    }
}
