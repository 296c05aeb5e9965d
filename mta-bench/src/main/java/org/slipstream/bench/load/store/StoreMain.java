package org.slipstream.bench.load.store;

import org.slipstream.bench.load.intake.Feeder;
import org.slipstream.bench.load.intake.IntakeMode;
import org.slipstream.bench.load.sustain.LoadMode;
import org.slipstream.bench.load.sustain.LoadSink;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Measures how many messages of 4 KiB a second the packaged server accepts, and how many it relays, with its log
/// in files and in PostgreSQL with no, one and two standbys; with 1, 2 and 4 shards and 1, 10 and 100 sessions; and
/// the processor time of node, primary and standby for each message. Loopback only; prints tables of Markdown.
///
/// ```
/// mvn -q -Pstore -pl mta-bench -am test -DskipTests     needs a packaged mta-dist and PostgreSQL; seven minutes
/// ```
///
/// All servers run at once, and take turns: each has the same load of the machine around it, so the ratios hold
/// when the figures do not. Everything shares the processors: clients, node, database, sink.
public final class StoreMain {
    private static final int[] SHARDS = {1, 2, 4};
    private static final int[] SESSIONS = {1, 10, 100};
    private static final int MOST_STANDBYS = 2;
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final List<String> SETTINGS = List.of("hostname=mail.here.example", "listen.smtp=127.0.0.1:0",
            "listen.submission=off", "local.domains=other.example", "queue.in-flow-delay=0s",
            "limits.connections-per-client=500", "limits.messages-per-connection=1000000", "log.level=warn");

    private StoreMain() {}

    /// @param arguments the folder of the packaged program, that of PostgreSQL's programs, one for data of
    ///     PostgreSQL, seconds for each figure, rounds
    public static void main(String... arguments) throws Exception {
        Path program = Path.of(arguments[0]);
        Path postgres = Path.of(arguments[1]);
        Path data = Path.of(arguments[2]);
        double seconds = Double.parseDouble(arguments[3]);
        int rounds = Integer.parseInt(arguments[4]);
        for (boolean relays : new boolean[]{false, true}) {
            List<Store> stores = new ArrayList<>();
            List<BenchDatabase> databases = new ArrayList<>();
            try {
                stores.add(Store.start(program, relays, List.of(), "files"));
                for (int standbys = 0; standbys <= MOST_STANDBYS; standbys++) {
                    BenchDatabase database = BenchDatabase.start(postgres,
                            data.resolve("slipstream-store-" + ProcessHandle.current().pid() + "-" + standbys),
                            standbys);
                    databases.add(database);
                    stores.add(Store.start(program, relays, List.of(database), switch (standbys) {
                        case 0 -> "PostgreSQL alone";
                        case 1 -> "one standby";
                        default -> "any of two standbys";
                    }));
                }
                List<StoreFigure> figures = new ArrayList<>();
                for (int shards : SHARDS) {
                    for (Store store : stores) {
                        store.widen(shards, seconds);
                    }
                    for (int round = 0; round < rounds; round++) {
                        for (int sessions : SESSIONS) {
                            for (Store store : stores) {
                                figures.add(store.measure(shards, sessions, seconds));
                            }
                        }
                    }
                }
                print(relays, stores.stream().map(Store::words).toList(), figures);
            } finally {
                for (Store store : stores) {
                    store.close();
                }
                for (BenchDatabase database : databases) {
                    database.close();
                }
            }
        }
    }

    /// @param cpuMicros for each message: node, primary, first standby
    private record StoreFigure(String store, int shards, int sessions, double rate, List<Double> cpuMicros) {}

    /// A server and what it stores messages in.
    private record Store(PackagedServer server, LoadSink sink, AtomicLong arrived, boolean relays,
            List<BenchDatabase> databases, String words, AtomicLong sent, AtomicLong shards) {
        static Store start(Path program, boolean relays, List<BenchDatabase> databases, String words)
                throws IOException {
            AtomicLong arrived = new AtomicLong();
            LoadSink sink = new LoadSink(LoadMode.PIPELINED, _ -> arrived.incrementAndGet());
            List<String> settings = new ArrayList<>(SETTINGS);
            settings.add("routes.\"here.example\"=smtp:127.0.0.1:" + sink.port());
            settings.add("queue.deliver=" + relays);
            if (!databases.isEmpty()) {
                settings.addAll(List.of("spool.engine=postgresql", "spool.database=" + databases.getFirst().url()));
            }
            PackagedServer server = PackagedServer.start(program, Files.createTempDirectory("store").resolve("home"),
                    settings);
            return new Store(server, sink, arrived, relays, databases, words, new AtomicLong(), new AtomicLong(1));
        }

        /// Adds shards, and lets the JVM warm up: longest at first.
        void widen(int number, double seconds) throws IOException, InterruptedException {
            double warm = number == SHARDS[0] ? 8 * seconds : seconds;
            while (shards.get() < number) {
                server.command("shard", "add").mustSucceed();
                shards.incrementAndGet();
            }
            measure(number, SESSIONS[1], warm);
        }

        StoreFigure measure(int shards, int sessions, double seconds) throws IOException, InterruptedException {
            List<Double> before = cpuSeconds();
            long start = System.nanoTime();
            long count = new Feeder(server.smtp()).feedFor(IntakeMode.PIPELINED, sessions, seconds);
            sent.addAndGet(count);
            long until = System.nanoTime() + DRAIN_NANOS;
            while (relays && arrived.get() < sent.get()) {
                if (System.nanoTime() > until) {
                    throw new IOException(words + ": " + (sent.get() - arrived.get()) + " messages have not arrived");
                }
                TimeUnit.MILLISECONDS.sleep(2);
            }
            double took = (System.nanoTime() - start) / 1e9;
            List<Double> after = cpuSeconds();
            List<Double> micros = new ArrayList<>();
            for (int i = 0; i < after.size(); i++) {
                micros.add((after.get(i) - before.get(i)) * 1e6 / count);
            }
            return new StoreFigure(words, shards, sessions, count / took, micros);
        }

        private List<Double> cpuSeconds() throws IOException {
            List<Double> all = new ArrayList<>(List.of(server.cpuSeconds()));
            for (BenchDatabase database : databases) {
                all.add(database.cpuSeconds(0));
                if (!words.endsWith("alone")) {
                    all.add(database.cpuSeconds(1));
                }
            }
            return all;
        }

        void close() throws IOException {
            server.kill9();
            sink.close();
            BenchDatabase.delete(server.home().getParent());
        }
    }

    private static void print(boolean relays, List<String> stores, List<StoreFigure> figures) {
        System.out.printf("%n*%s, messages a second; in brackets the ratio to files.*%n%n",
                relays ? "Relay" : "Accept only");
        System.out.println("| log | shards |" + words(" %d sessions |"));
        System.out.println("|---|---|" + "---|".repeat(SESSIONS.length));
        for (String store : stores) {
            for (int shards : SHARDS) {
                StringBuilder row = new StringBuilder("| " + store + " | " + shards + " |");
                for (int sessions : SESSIONS) {
                    double rate = rate(figures, store, shards, sessions);
                    row.append(String.format(Locale.ROOT, " %,.0f (%.2f) |", rate,
                            rate / rate(figures, stores.getFirst(), shards, sessions)));
                }
                System.out.println(row);
            }
        }
        System.out.printf("%n*The same: processor time for each message, µs, of node / primary / first standby.*%n%n");
        System.out.println("| log | shards |" + words(" %d sessions |"));
        System.out.println("|---|---|" + "---|".repeat(SESSIONS.length));
        for (String store : stores) {
            for (int shards : SHARDS) {
                StringBuilder row = new StringBuilder("| " + store + " | " + shards + " |");
                for (int sessions : SESSIONS) {
                    List<StoreFigure> these = of(figures, store, shards, sessions);
                    List<String> parts = new ArrayList<>();
                    for (int i = 0; i < these.getFirst().cpuMicros().size(); i++) {
                        int part = i;
                        parts.add(String.format(Locale.ROOT, "%.0f",
                                median(these.stream().map(each -> each.cpuMicros().get(part)).toList())));
                    }
                    row.append(' ').append(String.join(" / ", parts)).append(" |");
                }
                System.out.println(row);
            }
        }
    }

    private static String words(String form) {
        StringBuilder all = new StringBuilder();
        for (int sessions : SESSIONS) {
            all.append(String.format(Locale.ROOT, sessions == 1 ? " 1 session |" : form, sessions));
        }
        return all.toString();
    }

    private static List<StoreFigure> of(List<StoreFigure> figures, String store, int shards, int sessions) {
        return figures.stream().filter(each -> each.store().equals(store) && each.shards() == shards
                && each.sessions() == sessions).toList();
    }

    private static double rate(List<StoreFigure> figures, String store, int shards, int sessions) {
        return median(of(figures, store, shards, sessions).stream().map(StoreFigure::rate).toList());
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
