package org.slipstream.bench.load.sustain;

import org.slipstream.bench.load.sustain.Ledger.Balance;
import org.slipstream.bench.load.sustain.Ledger.LatencyFigures;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.io.PrintStream;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The packaged server relays at a steady rate for some minutes, and the growth of its resources is
/// measured. Every ten seconds a line; at the end the first minute beside the last, a line through
/// everything behind the first two minutes, and whether it rises.
///
/// ```
/// mvn -q -Psustain -pl mta-bench -am test -DskipTests          needs a packaged mta-dist; about thirteen minutes
///     -Dminutes=10 -Drate=0 -Dsessions=20 -Dmode=pipelined -Dwarm=60
/// ```
///
/// - `rate`: messages a second; 0 for four fifths of the highest, which is measured first: three
///   times ten seconds with every session as fast as the server takes its messages, up to the last
///   arrival; the median. After a warm-up of `warm` seconds.
/// - `mode`: `turn`, `pipelined` or `chunked`, of the client and of the sink.
/// - `stalls`: `true` records the activities of the server, the bench and the machine, and lists
///   for each stall those that coincided with it ([Stalls]). A line a second goes to
///   `every-second.csv` in the home folder.
///
/// Messages have 4 KiB and one recipient and are sent by the clock. Latency counts from that moment
/// and includes delays of the bench, which shares the machine with the server; the table has its
/// share. The heap after a full collection is measured before and after the run, while the queue is
/// empty.
public final class SustainMain {
    private static final int LINE_SECONDS = 10;
    private static final int ROUNDS = 3;
    private static final double SHARE = 0.8;
    private static final Duration LAST_ARRIVAL = Duration.ofMinutes(3);
    private static final Pattern MESSAGES = Pattern.compile("\"messages\" ?: ?(\\d+)");

    private final PrintStream out = System.out;
    private final PackagedServer server;
    private final Path home;
    private final LoadClient client;
    private final Ledger ledger;

    private SustainMain(PackagedServer server, Path home, LoadClient client, Ledger ledger) {
        this.server = server;
        this.home = home;
        this.client = client;
        this.ledger = ledger;
    }

    /// @param arguments the folder of the packaged program, then `minutes=`, `rate=`, `sessions=`,
    ///     `mode=`, `warm=`
    public static void main(String... arguments) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (String argument : List.of(arguments).subList(1, arguments.length)) {
            String[] pair = argument.split("=", 2);
            options.put(pair[0], pair[1]);
        }
        LoadMode mode = LoadMode.valueOf(options.getOrDefault("mode", "pipelined").toUpperCase(Locale.ROOT));
        int sessions = Integer.parseInt(options.getOrDefault("sessions", "20"));
        Ledger ledger = new Ledger();
        Path home = Files.createTempDirectory("sustain");
        boolean recorded = Boolean.parseBoolean(options.getOrDefault("stalls", "false"));
        ServerRecording recording = new ServerRecording(home);
        boolean even;
        try (LoadSink sink = new LoadSink(mode, ledger::arrived);
                PackagedServer server = PackagedServer.start(Path.of(arguments[0]), home, settings(sink),
                        PackagedServer.Launch.withJavaOptions(recorded ? recording.javaOption() : ""));
                AutoCloseable _ = recorded
                        ? new MachineProbe(server.pid(), home, ledger.stalls().evidence())
                        : () -> {}) {
            LoadClient client = new LoadClient(server.smtp(), sessions, mode, ledger);
            SustainMain bench = new SustainMain(server, home, client, ledger);
            even = bench.run(Double.parseDouble(options.getOrDefault("minutes", "10")),
                    Double.parseDouble(options.getOrDefault("rate", "0")),
                    Double.parseDouble(options.getOrDefault("warm", "60")));
        }
        if (recorded) {
            recording.read(ledger.stalls().evidence());
            ledger.stalls().report(System.out);
        }
        // The home folder and the log beside it are kept.
        System.out.println("\nhome: " + home);
        System.exit(even ? 0 : 1);
    }

    private static List<String> settings(LoadSink sink) {
        return List.of("hostname=mail.here.example", "listen.smtp=127.0.0.1:0", "listen.submission=off",
                "local.domains=here.example", "local.mailboxes=*",
                "routes.\"far.example\"=smtp:127.0.0.1:" + sink.port(), "queue.in-flow-delay=0s",
                "limits.connections-per-client=500", "limits.messages-per-connection=1000000000", "log.level=warn");
    }

    private boolean run(double minutes, double rate, double warmSeconds) throws IOException, InterruptedException {
        pass(Schedule.asFastAsTaken(client.nextNumber(), warmSeconds));
        double perSecond = rate > 0 ? rate : SHARE * highest();
        try (Heap heap = new Heap(server.pid())) {
            double live = heap.liveMebibytes();
            out.printf(Locale.ROOT,
                    "%n%,.0f messages a second for %.1f minutes; nothing is in the queue, %.1f MiB of heap live%n%n",
                    perSecond, minutes, live);
            SustainReport report = new SustainReport(out);
            report.head();
            try (EverySecond seconds = new EverySecond(home, ledger)) {
                follow(perSecond, minutes, heap, report);
                seconds.report(out);
            }
            report.conclude();
            out.printf(Locale.ROOT, "%nheap live after a full collection: %.1f MiB before, %.1f after%n", live,
                    heap.liveMebibytes());
        }
        Balance balance = ledger.balance();
        out.printf(Locale.ROOT,
                "%,d messages taken in all; %d lost, %d arrived twice, %d unreadable at the sink, %d refused%s%n",
                balance.taken(), balance.missing(), balance.copies(), balance.strangers(), balance.refusals(),
                balance.refusals() > 0 ? ", first: " + balance.firstRefusal() : "");
        return balance.isEven();
    }

    private double highest() throws IOException, InterruptedException {
        double[] rates = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            Schedule schedule = Schedule.asFastAsTaken(client.nextNumber(), LINE_SECONDS);
            long before = ledger.arrivals();
            double cpu = server.cpuSeconds();
            double seconds = pass(schedule);
            long messages = ledger.arrivals() - before;
            rates[i] = messages / seconds;
            out.printf(Locale.ROOT, "as fast as taken: %,.0f messages a second, %.3f ms of CPU each%n", rates[i],
                    (server.cpuSeconds() - cpu) * 1e3 / messages);
        }
        Arrays.sort(rates);
        return rates[ROUNDS / 2];
    }

    /// @return seconds from the first message to the last arrival
    private double pass(Schedule schedule) throws InterruptedException, IOException {
        List<Thread> threads = client.start(schedule);
        for (Thread thread : threads) {
            thread.join();
        }
        awaitArrivals();
        return (System.nanoTime() - schedule.startNanos()) / 1e9;
    }

    private void awaitArrivals() throws InterruptedException, IOException {
        long end = System.nanoTime() + LAST_ARRIVAL.toNanos();
        while (ledger.balance().missing() > 0) {
            if (System.nanoTime() - end > 0 || !server.isAlive()) {
                throw new IOException(
                        ledger.balance().missing() + " messages did not arrive; see " + server.logFile());
            }
            Thread.sleep(5);
        }
    }

    private void follow(double perSecond, double minutes, Heap heap, SustainReport report)
            throws IOException, InterruptedException {
        Schedule schedule = Schedule.paced(client.nextNumber(), perSecond, minutes * 60);
        Watched program = new Watched(server.pid());
        Watched bench = new Watched(ProcessHandle.current().pid());
        List<Thread> threads = client.start(schedule);
        long lines = Math.max(1, Math.round(minutes * 60 / LINE_SECONDS));
        ledger.stalls().begin(schedule.startNanos());
        long before = System.nanoTime();
        double cpu = program.cpuSeconds();
        double own = bench.cpuSeconds();
        double pauses = heap.last().pauseSeconds();
        for (int line = 1; line <= lines; line++) {
            long at = schedule.startNanos() + line * LINE_SECONDS * 1_000_000_000L;
            Thread.sleep(Duration.ofNanos(Math.max(0, at - System.nanoTime())));
            long now = System.nanoTime();
            double seconds = (now - before) / 1e9;
            Map<SustainFigure, Double> figures = new EnumMap<>(SustainFigure.class);
            latencies(figures, seconds);
            double cpuNow = program.cpuSeconds();
            double ownNow = bench.cpuSeconds();
            Heap.HeapState state = heap.last();
            double arrived = Objects.requireNonNull(figures.get(SustainFigure.ARRIVED));
            figures.put(SustainFigure.CPU, (cpuNow - cpu) * 1e3 / (arrived * seconds));
            figures.put(SustainFigure.OWN_CPU, (ownNow - own) / seconds);
            figures.put(SustainFigure.HEAP, state.afterMebibytes());
            figures.put(SustainFigure.PAUSES, (state.pauseSeconds() - pauses) * 1e3 / seconds);
            sizes(figures, program);
            report.add(line * LINE_SECONDS / 60.0, figures);
            before = now;
            cpu = cpuNow;
            own = ownNow;
            pauses = state.pauseSeconds();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        awaitArrivals();
    }

    private void latencies(Map<SustainFigure, Double> figures, double seconds) {
        LatencyFigures taken = ledger.untilTaken();
        LatencyFigures arrived = ledger.untilArrived();
        figures.put(SustainFigure.TAKEN, taken.count() / seconds);
        figures.put(SustainFigure.TO_250, taken.medianMillis());
        figures.put(SustainFigure.TO_250_99, taken.p99Millis());
        figures.put(SustainFigure.TO_250_MOST, taken.mostMillis());
        figures.put(SustainFigure.ARRIVED, arrived.count() / seconds);
        figures.put(SustainFigure.TO_SINK, arrived.medianMillis());
        figures.put(SustainFigure.TO_SINK_99, arrived.p99Millis());
        figures.put(SustainFigure.TO_SINK_MOST, arrived.mostMillis());
    }

    private void sizes(Map<SustainFigure, Double> figures, Watched program) throws IOException {
        figures.put(SustainFigure.RSS, program.residentMebibytes());
        figures.put(SustainFigure.PSS, program.proportionalMebibytes());
        figures.put(SustainFigure.SEGMENTS, Watched.mebibytes(home.resolve("spool"), ".segment"));
        figures.put(SustainFigure.INDEX, Watched.mebibytes(home.resolve("spool"), ".mv.db"));
        figures.put(SustainFigure.QUEUE, (double) queueLength());
        figures.put(SustainFigure.FILES, (double) program.openFiles());
        figures.put(SustainFigure.THREADS, (double) program.threads());
    }

    private long queueLength() throws IOException {
        String body;
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(home.resolve("run/admin.sock")))) {
            channel.write(StandardCharsets.US_ASCII
                    .encode("GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
            body = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        }
        Matcher messages = MESSAGES.matcher(body);
        if (!messages.find()) {
            throw new IOException("no status: " + body);
        }
        return Long.parseLong(messages.group(1));
    }
}
