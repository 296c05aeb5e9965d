package org.slipstream.world;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.ApiClient;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.config.SettingsAgain;
import org.slipstream.server.Server;
import org.slipstream.settings.SettingsSource;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.CaughtMessage;
import org.slipstream.sink.store.MailFiles;
import org.slipstream.sink.store.SessionLog;
import org.slipstream.world.WorldLedger.Submission;
import org.slipstream.world.WorldPlan.WorldFault;
import org.slipstream.world.hook.WorldHooks;
import org.slipstream.world.hook.WorldMachine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// One world: a whole server, its clients, the servers that it sends to, and their machine.
///
/// The server is [Server] as it runs in production. Everything that it asks the system for comes
/// from the classes of this package, by the ways that `docs/world.md` describes.
final class MailWorld implements WorldMachine {
    private static final long SECOND = 1_000_000_000L;
    private static final long DISK_OCTETS = 100L << 30;
    private static final long EPOCH_NANOS = 1_767_960_000L * SECOND;
    static final int DOMAINS = 4;
    private static final int CLIENTS = 3;
    /// A server that does not come up again has failed.
    private static final int MOST_STARTS = 60;
    private static final int MOST_FAILED_STARTS = 5;
    private static final int LIFETIME_MINUTES = 120;
    private static final InetSocketAddress SMTP = new InetSocketAddress(InetAddress.getLoopbackAddress(), 25);
    /// The address of a host has the number of its domain and its own.
    private static final Pattern HOST_ADDRESS = Pattern.compile("10\\.0\\.(\\d)\\.(\\d)");
    /// Segments, their companions and the index of one shard whose queue is empty.
    private static final int MOST_FILES = 60;
    private static final int MOST_THREADS = 40;
    private static final int MOST_DESCRIPTORS = 30;
    private static final int MOST_CONNECTIONS = 5;
    /// Longer than an idle connection is kept.
    private static final int REST_SECONDS = 400;
    private static final Pattern TOKEN = Pattern.compile("(?im)^X-World: (\\d+)\\s*$");
    /// Numbers of static counters, which go on in the next process and the next world.
    private static final Pattern NUMBER_OF_JVM = Pattern.compile("(?<=session=|connection=)\\d+");
    private static final Pattern FAILED = Pattern
            .compile("(?is)Final-Recipient: rfc822;\\s*(\\S+).{0,400}?Action: (\\w+)");
    /// Threads of static executors, which outlive a kill as their executors do.
    private static final Set<String> OF_THE_MACHINE = Set.of("out-watchdog", "out-login", "password");
    /// Exceptions that no fault of the machine explains.
    private static final Pattern SENT = Pattern
            .compile("event=delivery queue=(\\S+) recipient=<(\\S+)> .* result=sent");
    private static final Pattern QUEUED = Pattern.compile("queued as (\\S+)");
    private static final Set<String> BUGS = Set.of("NullPointerException", "IllegalStateException",
            "ClassCastException", "IndexOutOfBounds", "NoSuchElement", "AssertionError");
    /// Events that no trouble of the machine explains.
    private static final Pattern NEVER = Pattern
            .compile("event=(?:thread-died|message-stuck|unannounced-mail-found)\\b");
    private static volatile @Nullable MailWorld present;

    private final WorldPlan plan;
    private final Path home;
    private final WorldScheduler scheduler;
    private final WorldNetwork network;
    private final WorldDisk disk;
    private final WorldDns dns;
    private final WorldLedger ledger = new WorldLedger();
    private final List<String> troubles = new ArrayList<>();
    private final Random octets;
    private final Random script;
    private final WorldOperator operator;
    private final WorldScheduler.Process machine;
    private final WorldScheduler.Process outside;
    private final Map<Thread, Thread> runners = new java.util.HashMap<>();
    private WorldScheduler.@Nullable Process program;
    private @Nullable Server server;
    private long clockOffset;
    private int starts;
    private int failedStarts;
    private int tokens;
    private final boolean hostsAnswer;
    private int clientsLeft;
    private boolean queueIsEmpty;
    private boolean calm;
    private boolean ended;
    private int concurrency = 20;
    private List<Path> files = List.of();
    private final long descriptorsBefore;
    private AtRest atRest = AtRest.UNKNOWN;

    /// @param fingerprint of the order of everything
    record WorldResult(WorldPlan plan, List<String> troubles, List<String> history, long fingerprint,
            double virtualSeconds, double realSeconds, long turns, long syncs, int files, AtRest atRest) {
        boolean isGood() {
            return troubles.isEmpty();
        }
    }

    /// The resources that a server with an empty queue still has.
    ///
    /// @param descriptors of files; -1 for a server that was killed before, whose files close at some time
    /// @param connections with both sides in the machine, too
    record AtRest(int threads, int descriptors, int connections) {
        private static final AtRest UNKNOWN = new AtRest(-1, -1, -1);
    }

    private MailWorld(WorldPlan plan, Path folder) throws IOException {
        this.plan = plan;
        home = folder.resolve("home");
        scheduler = new WorldScheduler(plan.seed());
        network = new WorldNetwork(scheduler);
        disk = new WorldDisk(home, folder.resolve("trash"), scheduler);
        dns = new WorldDns(scheduler);
        operator = new WorldOperator(this, plan, home);
        octets = new Random(plan.seed() + 1);
        script = new Random(plan.seed() + 2);
        hostsAnswer = plan.seed() % 2 == 0;
        machine = scheduler.process("machine");
        outside = scheduler.process("outside");
        descriptorsBefore = descriptors();
    }

    static MailWorld present() {
        return Objects.requireNonNull(present, "no world");
    }

    WorldNetwork network() {
        return network;
    }

    WorldScheduler scheduler() {
        return scheduler;
    }

    int randomOctet() {
        return octets.nextInt(256);
    }

    /// Runs a world to its end, in this thread.
    ///
    /// @param folder is emptied
    static WorldResult run(WorldPlan plan, Path folder) throws IOException {
        empty(folder);
        Files.createDirectories(folder.resolve("home"));
        Files.createDirectories(folder.resolve("trash"));
        MailWorld world = new MailWorld(plan, folder);
        present = world;
        JdkThreads.seeds(plan.seed());
        StateOfJvm.forget();
        long began = System.nanoTime();
        WorldHooks.use(world);
        WorldLog.into(world);
        try {
            world.live();
        } finally {
            WorldHooks.use(null);
            present = null;
        }
        return new WorldResult(plan, List.copyOf(world.troubles), List.copyOf(world.ledger.history),
                world.scheduler.fingerprint(), world.scheduler.now() / 1e9, (System.nanoTime() - began) / 1e9,
                world.scheduler.turns(), world.disk.syncs(), world.files.size(), world.atRest);
    }

    private static void empty(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    // ---- the story

    private void live() throws IOException {
        for (int i = 0; i < DOMAINS; i++) {
            for (int host = 1; host <= hosts(i); host++) {
                dns.add("d" + i + ".example", "mx" + i + (host == 1 ? "" : "-" + host) + ".example", address(i, host));
            }
        }
        outside.start("peers", () -> {
            for (int i = 0; i < DOMAINS; i++) {
                for (int host = 1; host <= hosts(i); host++) {
                    startPeer(i, host);
                }
            }
        });
        Files.writeString(home.resolve("mta.toml"), """
                [destination."d0.example"]
                lanes = 1
                """ + (hosts(1) == 1 ? "" : """
                [destination."d1.example"]
                lanes = 1
                """));
        network.whenOpened(this::lookAtLimit);
        startServer();
        for (WorldFault each : plan.faults()) {
            at(each.atSeconds(), () -> {
                if (each.writes() == 0) {
                    begin(each);
                } else {
                    disk.aim(() -> begin(each), each.writes());
                }
            });
        }
        clientsLeft = CLIENTS;
        for (int i = 0; i < CLIENTS; i++) {
            int share = plan.messages() / CLIENTS + (i < plan.messages() % CLIENTS ? 1 : 0);
            long seed = script.nextLong();
            outside.start("client-" + i, () -> client(new Random(seed), share));
        }
        if (plan.shape().looks() > 0) {
            long seed = script.nextLong();
            outside.start("looks", () -> operator.look(new Random(seed)));
            outside.start("idle-looks", operator::lookWhenIdle);
        }
        int faulty = plan.minutes() * 60 + (plan.isSmall() ? 240 : 700);
        until(faulty);
        calmDown();
        outside.start("operator", this::awaitEmptyQueue);
        // Longer than any message lives, and its report.
        long end = faulty + 3L * LIFETIME_MINUTES * 60;
        while (!queueIsEmpty && mayStart() && scheduler.now() < end * SECOND
                && scheduler.step(end * SECOND)) {
            // The world goes on.
        }
        outside.start("operator", () -> tell("queue: " + queue().orElse("?")));
        until(scheduler.now() / SECOND + REST_SECONDS);
        Optional<List<Thread>> threads = queueIsEmpty ? rest() : Optional.empty();
        stop();
        until(scheduler.now() / SECOND + 60);
        check();
        threads.ifPresent(this::checkRest);
    }

    /// Empty without a running server.
    private Optional<List<Thread>> rest() throws IOException {
        WorldScheduler.Process running = program;
        if (running == null || server == null) {
            return Optional.empty();
        }
        List<Thread> threads = running.threads();
        atRest = new AtRest(threads.size(), starts == 1 ? (int) (descriptors() - descriptorsBefore) : -1,
                (int) network.open(running));
        return Optional.of(threads);
    }

    private void checkRest(List<Thread> threads) {
        int shards = Math.max(2, plan.shape().shards() + (plan.shape().growing() ? 2 : 0));
        if (atRest.threads > MOST_THREADS * shards) {
            trouble("the server at rest has " + atRest.threads + " threads: "
                    + threads.stream().map(Thread::getName).toList());
        }
        if (atRest.descriptors > MOST_DESCRIPTORS * shards) {
            trouble("the server at rest has " + atRest.descriptors + " open files");
        }
        if (atRest.connections > MOST_CONNECTIONS) {
            trouble("the server at rest has " + atRest.connections + " connections");
        }
    }

    /// Files below the folder that this JVM has open.
    private long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> {
                try {
                    return Files.readSymbolicLink(each).startsWith(home);
                } catch (IOException closed) {
                    return false;
                }
            }).count();
        }
    }

    /// Two domains have several hosts, if the plan has.
    private int hosts(int domain) {
        return domain == 1 || domain == 2 ? plan.shape().hosts() : 1;
    }

    private static String address(int domain, int host) {
        return "10.0." + domain + "." + host;
    }

    private void until(long seconds) {
        while (mayStart() && scheduler.step(seconds * SECOND)) {
            // The world goes on.
        }
    }

    private boolean mayStart() {
        return starts < MOST_STARTS && failedStarts < MOST_FAILED_STARTS;
    }

    private void at(long seconds, Runnable event) {
        scheduler.schedule(event, seconds * SECOND - scheduler.now());
    }

    void tell(String event) {
        String told = event.replace(home.toString(), "HOME");
        ledger.tell(scheduler.now() / 1_000_000, told);
        scheduler.note(NUMBER_OF_JVM.matcher(told).replaceAll("").hashCode());
    }

    /// From another thread, when the world no longer moves.
    List<String> lastEvents(int count) {
        List<String> all = List.copyOf(ledger.history);
        return all.subList(Math.max(0, all.size() - count), all.size());
    }

    void trouble(String text) {
        if (troubles.size() < 50) {
            troubles.add(text);
        }
        tell("TROUBLE " + text);
    }

    // ---- the server

    private void startServer() {
        WorldScheduler.Process process = scheduler.process("server-" + ++starts);
        program = process;
        tell("server starts");
        process.start("main", () -> {
            try {
                SettingsSource source = SettingsSource.in(home);
                Config config = read(source);
                server = Server.start(config, new SettingsAgain() {
                    @Override
                    public ReadResult read(List<String> changes) {
                        return ConfigReader.read(source, settings());
                    }

                    @Override
                    public void inForce(Config settings) {
                        // Nothing outside of the server depends on them.
                    }
                });
                failedStarts = 0;
                tell("server accepts mail");
            } catch (Exception failed) {
                tell("server does not start: " + failed.getMessage());
                if (disk.health() == WorldDisk.Health.GOOD) {
                    trouble("the server does not start: " + words(failed));
                    failedStarts++;
                }
                scheduler.schedule(() -> restart(process), 20 * SECOND);
            }
        });
    }

    private static String words(Throwable failure) {
        java.io.StringWriter text = new java.io.StringWriter();
        failure.printStackTrace(new java.io.PrintWriter(text));
        return text.toString();
    }

    private Config read(SettingsSource source) {
        return switch (ConfigReader.read(source, settings())) {
            case ReadResult.Accepted(Config config) -> config;
            case ReadResult other -> throw new IllegalStateException(other.toString());
        };
    }

    private List<String> settings() {
        List<String> all = new ArrayList<>(List.of("hostname=mta.example", "listen.smtp=127.0.0.1:25",
                "listen.submission=off",
                "local.domains=here.example", "local.mailboxes=sender,u0,u1,u2,u3,u4", "maildrop.accept=false",
                "smtp-client.starttls=false", "smtp-client.mta-sts=false", "smtp-client.dns-servers=10.0.0.53:53",
                "queue.lifetime=" + LIFETIME_MINUTES + "m", "queue.bounce-lifetime=" + LIFETIME_MINUTES + "m",
                "queue.delay-notice=0s", "queue.minimal-backoff=60s", "queue.maximal-backoff=900s",
                "queue.lanes-per-destination=" + concurrency));
        if (plan.shape().shards() > 1) {
            all.add("shard.count=" + plan.shape().shards());
        }
        if (plan.shape().growing()) {
            all.addAll(List.of("shard.mode=dynamic", "shard.maximum=" + (plan.shape().shards() + 2), "shard.load=1",
                    "shard.interval=20s"));
        }
        return all;
    }

    private void restart(WorldScheduler.Process old) {
        if (program == old && !ended) {
            end(old, false);
            ledger.stops.add(scheduler.now());
            startServer();
        }
    }

    private void end(WorldScheduler.Process process, boolean silently) {
        process.kill();
        network.ended(process, silently);
        runners.values().removeIf(each -> !each.isAlive());
        server = null;
        StateOfJvm.forget();
    }

    // ---- faults

    private void begin(WorldFault fault) {
        if (ended || calm) {
            return;
        }
        tell(fault.text());
        int strength = fault.strength();
        switch (fault.kind()) {
            case KILL -> kill(fault, false);
            case CUT -> kill(fault, true);
            case DISK_SLOW -> disk(fault, new WorldDisk.Health(strength, false, 0, false));
            case DISK_FULL -> disk(fault, new WorldDisk.Health(0, true, 0, false));
            case DISK_FAILS -> disk(fault, new WorldDisk.Health(0, false, strength, false));
            case DISK_HUNG -> disk(fault, new WorldDisk.Health(0, false, 0, true));
            case NET_REFUSED -> network(fault, new WorldNetwork.Weather(strength, 0, 0, 0, 0, 0));
            case NET_LOST -> network(fault, new WorldNetwork.Weather(0, strength, 0, 0, 0, 0));
            case NET_RESET -> network(fault, new WorldNetwork.Weather(0, 0, strength, 0, 0, 0));
            case NET_SILENT -> network(fault, new WorldNetwork.Weather(0, 0, 0, strength, 0, 0));
            case NET_APART -> network(fault, new WorldNetwork.Weather(0, 0, 0, 0, strength, 0));
            case NET_SLOW -> network(fault, new WorldNetwork.Weather(0, 0, 0, 0, 0, strength));
            case DNS_LOST -> {
                dns.trouble(strength, 0);
                scheduler.schedule(() -> dns.trouble(0, 0), fault.seconds() * SECOND);
            }
            case DNS_FAILS -> {
                dns.trouble(0, strength);
                scheduler.schedule(() -> dns.trouble(0, 0), fault.seconds() * SECOND);
            }
            case CLOCK -> clockOffset += strength * SECOND;
            case RELOAD -> reload(strength);
            case FLUSH, HOLD, SUSPEND, LIMIT, DRAIN -> outside.start("operator", () -> operator.order(fault));
        }
    }

    /// Whether the program was stopped, or its disk in trouble, in the last seconds.
    boolean isDisturbed(long seconds) {
        long since = scheduler.now() - seconds * SECOND;
        return server == null || disk.health() != WorldDisk.Health.GOOD || ledger.hasStopSince(since)
                || ledger.hasDiskTroubleSince(since);
    }

    boolean hasStopped() {
        return ledger.hasStopSince(0);
    }

    /// Whether a client has the promise that some mail arrives, and it has not.
    boolean hasOutstanding() {
        return ledger.submissions.values().stream().anyMatch(each -> each.acknowledged
                && each.recipients.stream().anyMatch(one -> !each.recorded.containsKey(one)));
    }

    /// Whether no mail comes and waits any more.
    boolean isOver() {
        return queueIsEmpty || ended;
    }

    boolean hasOpenToHosts() {
        WorldScheduler.Process running = program;
        return running != null && network.hasOpenToHosts(running);
    }

    private void kill(WorldFault fault, boolean power) {
        WorldScheduler.Process process = Objects.requireNonNull(program);
        end(process, power);
        if (power) {
            try {
                disk.cut();
            } catch (IOException failed) {
                throw new IllegalStateException(failed);
            }
            disk.health(WorldDisk.Health.GOOD);
        }
        ledger.stops.add(scheduler.now());
        scheduler.schedule(() -> {
            if (program == process && !ended) {
                startServer();
            }
        }, fault.seconds() * SECOND);
    }

    private void disk(WorldFault fault, WorldDisk.Health health) {
        disk.health(health);
        ledger.diskTrouble(scheduler.now(), scheduler.now() + fault.seconds() * SECOND);
        scheduler.schedule(() -> disk.health(WorldDisk.Health.GOOD), fault.seconds() * SECOND);
    }

    private void network(WorldFault fault, WorldNetwork.Weather weather) {
        network.weather(weather);
        scheduler.schedule(() -> network.weather(WorldNetwork.Weather.FAIR), fault.seconds() * SECOND);
    }

    private void reload(int strength) {
        concurrency = 1 + strength % 25;
        Server running = server;
        if (running != null) {
            Objects.requireNonNull(program).start("reload", () -> tell("reload: " + running.reload("world")));
        }
    }

    private void calmDown() {
        calm = true;
        tell("all faults have ended");
        disk.health(WorldDisk.Health.GOOD);
        disk.forgetAims();
        network.weather(WorldNetwork.Weather.FAIR);
        dns.trouble(0, 0);
    }

    // ---- the peers

    private static final String HOST = """
            title = "a host of a world"
            seed = %d
            [[rules]]
            on = "rcpt"
            recipient = "nobody*"
            reply = "550 5.1.1 User unknown"
            [[rules]]
            on = ["connect", "mail", "rcpt", "content"]
            until = "%dm"
            chance = %s
            reply = "451 4.3.0 Try again later"
            [[rules]]
            on = ["rcpt", "data", "content"]
            until = "%dm"
            chance = %s
            then = "%s"
            """;

    private void startPeer(int number, int host) {
        double drops = hostsAnswer ? 0 : script.nextInt(5) / 100.0;
        // Mail waits for a bad host.
        int refuses = script.nextInt(4) == 0 ? 50 + script.nextInt(45) : script.nextInt(30);
        String text = HOST.formatted(script.nextInt(1_000), plan.minutes(), refuses / 100.0,
                plan.minutes(), drops, List.of("close", "reset", "stall").get(script.nextInt(3)));
        try {
            SinkServer.start(new InetSocketAddress(address(number, host), 25), ScriptReader.read("host", text),
                    new CaughtMail(CaughtMail.Bounds.NOTHING, MailFiles.NONE), new SessionLog(1),
                    message -> arrived(number, message));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void arrived(int peer, CaughtMessage message) {
        String content = new String(message.content(), StandardCharsets.UTF_8);
        Matcher token = TOKEN.matcher(content);
        if (!token.find()) {
            trouble("a message without a number arrives at host " + peer);
            return;
        }
        int number = Integer.parseInt(token.group(1));
        tell("host " + peer + " takes " + number + " for " + message.recipients());
        Submission submission = ledger.submissions.get(number);
        if (submission == null) {
            trouble("message " + number + " was never sent");
            return;
        }
        message.recipients().forEach(each -> WorldLedger.count(submission.delivered, each));
    }

    /// Only connections at work count: one that is idle or closing is not of the lanes of its domain. With several
    /// shards, a lane may be lent before its connection is at its end.
    private void lookAtLimit(WorldNetwork.WorldLink opened) {
        WorldScheduler.Process running = program;
        Matcher address = HOST_ADDRESS.matcher(opened.remote().getAddress().getHostAddress());
        if (running == null || !address.matches()) {
            return;
        }
        int domain = Integer.parseInt(address.group(1));
        tell("a connection to host " + domain + " opens");
        boolean isNarrow = domain == 0 || domain == 1 && hosts(1) > 1;
        Optional<Integer> lanes = isNarrow ? Optional.of(1) : operator.limit(domain);
        long open = 0;
        for (int host = 1; host <= hosts(domain); host++) {
            open += network.atWorkTo(running, InetAddress.ofLiteral(address(domain, host)));
        }
        int most = plan.shape().growing() ? plan.shape().shards() + 2 : plan.shape().shards();
        int lent = most > 1 ? most : 0;
        if (lanes.isPresent() && open > lanes.get() + lent) {
            trouble(open + " connections at work to the hosts of d" + domain + ".example, which has " + lanes.get()
                    + " lanes");
        }
    }

    // ---- the clients

    private void client(Random random, int messages) {
        for (int i = 0; i < messages; i++) {
            // Some come one behind the other.
            if (random.nextInt(3) > 0) {
                LockSupport.parkNanos((long) (random.nextDouble() * 3 * plan.minutes() * 60 / Math.max(1, messages)
                        * SECOND));
            }
            List<String> recipients = recipients(random);
            String body = "x".repeat(random.nextInt(60)) + "\r\n";
            String text = body.repeat(1 + (random.nextInt(5) == 0 ? random.nextInt(3_000) : random.nextInt(30)));
            for (int attempt = 0; attempt < 20 && !submit(recipients, text); attempt++) {
                LockSupport.parkNanos(30 * SECOND);
            }
        }
        clientsLeft--;
    }

    private static List<String> recipients(Random random) {
        List<String> all = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        while (all.size() < count) {
            int kind = random.nextInt(10);
            String recipient = kind < 2
                    ? "u" + random.nextInt(5) + "@here.example"
                    : (kind == 2 ? "nobody" : "u") + random.nextInt(9) + "@d" + random.nextInt(DOMAINS) + ".example";
            if (!all.contains(recipient)) {
                all.add(recipient);
            }
        }
        return all;
    }

    private String lastLine = "";

    private boolean submit(List<String> recipients, String text) {
        int number = ++tokens;
        Submission submission = new Submission(recipients);
        ledger.submissions.put(number, submission);
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(300_000);
            socket.connect(SMTP, 10_000);
            BufferedReader in = new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            boolean good = ask(socket, in, "", 220) && ask(socket, in, "EHLO client.example", 250)
                    && ask(socket, in, "MAIL FROM:<sender@here.example>", 250);
            for (String each : recipients) {
                good = good && ask(socket, in, "RCPT TO:<" + each + ">", 250);
            }
            good = good && ask(socket, in, "DATA", 354);
            if (good && !ask(socket, in, "X-World: " + number + "\r\nSubject: message " + number + "\r\n\r\n" + text
                    + ".", 250)) {
                submission.refusedNanos = scheduler.now();
                good = false;
            }
            if (good) {
                submission.acknowledged = true;
                Matcher queued = QUEUED.matcher(lastLine);
                String id = queued.find() ? queued.group(1) : "?";
                ledger.queued.put(id, number);
                tell("acknowledged " + number + " as " + id + " for " + recipients);
                ask(socket, in, "QUIT", 221);
            }
            return good;
        } catch (IOException failed) {
            tell("client: " + number + " " + failed.getMessage());
            return submission.acknowledged;
        }
    }

    private boolean ask(Socket socket, BufferedReader in, String command, int code) throws IOException {
        if (!command.isEmpty()) {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
        }
        String line;
        do {
            line = in.readLine();
            if (line == null) {
                throw new IOException("the server closed the connection");
            }
        } while (line.length() > 3 && line.charAt(3) == '-');
        lastLine = line;
        if (!line.startsWith(String.valueOf(code))) {
            tell("client: " + line);
        }
        return line.startsWith(String.valueOf(code));
    }

    // ---- the end

    private void awaitEmptyQueue() {
        operator.takeAllBack();
        while (!queueIsEmpty) {
            LockSupport.parkNanos(60 * SECOND);
            queueIsEmpty = clientsLeft == 0 && queue().filter(text -> text.contains("\"total\":0")
                    || text.replaceAll("\\s", "").contains("\"messages\":[]")).isPresent();
        }
    }

    private Optional<String> queue() {
        return operator.ask("GET", "queue?limit=100").map(ApiClient.ApiReply::body);
    }

    private void stop() {
        ended = true;
        Server running = server;
        if (running != null) {
            Objects.requireNonNull(program).start("stop", () -> {
                running.close();
                tell("server stopped");
            });
        }
    }

    private void check() throws IOException {
        boolean quiet = hostsAnswer && plan.faults().stream().noneMatch(WorldFault::mayLoseReplies);
        readMailboxes();
        checkBounds();
        if (!queueIsEmpty) {
            trouble("the queue is not empty a long time after the last fault");
        }
        ledger.submissions.forEach((number, submission) -> {
            for (String each : submission.recipients) {
                int copies = submission.delivered.getOrDefault(each, 0);
                int reports = submission.returned.getOrDefault(each, 0);
                if (submission.acknowledged && copies + reports == 0) {
                    trouble("message " + number + " for " + each + " was acknowledged, and is gone");
                }
                int recorded = submission.recorded.getOrDefault(each, List.of()).size();
                // A mailbox has one file for a message, also after a second delivery of it.
                if (copies < (each.endsWith("@here.example") ? Math.min(1, recorded) : recorded)) {
                    trouble("message " + number + " for " + each + " was recorded as sent, and was not taken");
                }
                if (quiet && copies + reports > 1) {
                    trouble("message " + number + " for " + each + ": " + copies + " copies and " + reports
                            + " reports, and no connection was lost");
                }
                // Octets that a failed write left on the disk may come back with the next start.
                if (submission.refusedNanos > 0 && copies + reports > 0
                        && !ledger.hasStopSince(submission.refusedNanos)) {
                    trouble("message " + number + " for " + each + " was refused, and has " + copies + " copies and "
                            + reports + " reports");
                }
                if (each.startsWith("nobody") && copies > 0) {
                    trouble("message " + number + " for " + each + " was delivered");
                }
            }
        });
    }

    /// A server whose queue is empty needs little of the disk.
    private void checkBounds() throws IOException {
        try (Stream<Path> all = Files.walk(home)) {
            files = all.filter(file -> home.relativize(file).toString().startsWith("spool")
                    && Files.isRegularFile(file)).toList();
        }
        int shards = Math.max(2, plan.shape().shards() + (plan.shape().growing() ? 2 : 0));
        if (queueIsEmpty && files.size() > MOST_FILES * shards) {
            trouble("the empty queue has " + files.size() + " files: " + files.stream().limit(20).toList());
        }
        List<Path> large = files.stream().filter(file -> file.toString().contains("/large/")).toList();
        if (queueIsEmpty && !large.isEmpty()) {
            trouble("the empty queue has contents: " + large.stream().limit(20).toList());
        }
    }

    private void readMailboxes() throws IOException {
        Path mail = home.resolve("mail");
        if (!Files.isDirectory(mail)) {
            return;
        }
        try (Stream<Path> all = Files.walk(mail)) {
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                Path parent = Objects.requireNonNull(each.getParent()).getFileName();
                if (parent.toString().equals("tmp") || mail.relativize(each).getNameCount() < 4) {
                    continue;
                }
                String box = mail.relativize(each).getName(1).toString();
                String content = Files.readString(each, StandardCharsets.ISO_8859_1);
                readMail(box, content);
            }
        }
    }

    private void readMail(String box, String content) {
        Matcher token = TOKEN.matcher(content);
        if (!token.find()) {
            return;
        }
        Submission submission = ledger.submissions.get(Integer.valueOf(token.group(1)));
        if (submission == null) {
            trouble("a mailbox has a message that was never sent");
        } else if (box.equals("sender")) {
            Matcher failed = FAILED.matcher(content);
            while (failed.find()) {
                if (failed.group(2).equalsIgnoreCase("failed")) {
                    WorldLedger.count(submission.returned, failed.group(1));
                }
            }
        } else {
            WorldLedger.count(submission.delivered, box + "@here.example");
        }
    }

    /// An event of the log of the program.
    void logged(ILoggingEvent event) {
        if (!scheduler.has(Thread.currentThread())) {
            return;
        }
        tell("log " + event.getLevel() + " " + event.getFormattedMessage());
        Matcher sent = SENT.matcher(event.getFormattedMessage());
        if (sent.find()) {
            sent(sent.group(1), sent.group(2));
        }
        boolean disturbed = plan.faults().stream().anyMatch(WorldFault::disturbsDisk);
        String failure = event.getThrowableProxy() == null
                ? ""
                : ThrowableProxyUtil.asString(event.getThrowableProxy());
        boolean fault = BUGS.stream().anyMatch(failure::contains) && !disturbed;
        if (fault || event.getLevel().isGreaterOrEqual(Level.ERROR) && !disturbed
                || NEVER.matcher(event.getFormattedMessage()).lookingAt()) {
            trouble("the log has: " + event.getFormattedMessage() + " " + failure);
        }
    }

    private void sent(String queueId, String recipient) {
        Integer number = ledger.queued.get(queueId);
        Submission submission = number == null ? null : ledger.submissions.get(number);
        if (submission == null || !submission.recipients.contains(recipient)) {
            return;
        }
        List<Long> recorded = submission.recorded.computeIfAbsent(recipient, _ -> new ArrayList<>());
        long now = scheduler.now();
        if (!recorded.isEmpty() && !ledger.mayBeForgotten(recorded.getLast())) {
            trouble("message " + number + " for " + recipient + " was sent twice, and the server knew it");
        }
        recorded.add(now);
    }

    private static final class WorldLog extends AppenderBase<ILoggingEvent> {
        private static void into(MailWorld world) {
            LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
            context.reset();
            WorldLog log = new WorldLog();
            log.setContext(context);
            log.start();
            context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.INFO);
            context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(log);
            log.world = world;
        }

        private @Nullable MailWorld world;

        @Override
        protected void append(ILoggingEvent event) {
            MailWorld told = world;
            if (told != null) {
                told.logged(event);
            }
        }
    }

    // ---- the machine

    @Override
    public boolean has(Thread thread) {
        return scheduler.has(thread);
    }

    @Override
    public long nanoTime() {
        return scheduler.nanoTime();
    }

    @Override
    public long epochNanos() {
        return EPOCH_NANOS + clockOffset + scheduler.nanoTime();
    }

    @Override
    public Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return scheduler.schedule(task, unit.toNanos(delay));
    }

    @Override
    public void begins(Thread thread) {
        if (!isOfTheMachine(thread.getName())) {
            JdkThreads.seed(thread);
        }
    }

    @Override
    public void yielded(Thread thread) {
        scheduler.yielded(thread);
    }

    @Override
    public Thread newThread(@Nullable String name, Runnable task, Thread.@Nullable UncaughtExceptionHandler handler) {
        boolean stays = name != null && isOfTheMachine(name);
        Thread thread = JdkThreads.make(stays ? machine : scheduler.current(), name == null ? "" : name, task);
        if (handler != null) {
            thread.setUncaughtExceptionHandler(handler);
        }
        return thread;
    }

    private static boolean isOfTheMachine(String thread) {
        return OF_THE_MACHINE.stream().anyMatch(thread::startsWith);
    }

    @Override
    public void start(Thread platform) {
        Thread runner = JdkThreads.make(scheduler.current(), platform.getName(), platform::run);
        runners.put(platform, runner);
        runner.start();
    }

    @Override
    public Thread runs(Thread platform) {
        return runners.getOrDefault(platform, platform);
    }

    @Override
    public void aboutToWrite(String path, ByteBuffer source, long position) throws IOException {
        disk.write(path, source, position);
    }

    @Override
    public void aboutToTruncate(String path, long size) throws IOException {
        disk.truncate(path, size);
    }

    @Override
    public void aboutToSync(String path) throws IOException {
        disk.sync(path);
    }

    @Override
    public void aboutToOpen(String path, boolean creates, boolean truncates) throws IOException {
        disk.open(path, creates, truncates);
    }

    @Override
    public void aboutToDelete(String path) throws IOException {
        disk.delete(path);
    }

    @Override
    public void aboutToMove(String from, String to) throws IOException {
        disk.move(from, to);
    }

    @Override
    public void aboutToMakeFolder(String path) throws IOException {
        disk.makeFolder(path);
    }

    /// A write that fails on a disk with space has met a quota, or needs an inode.
    @Override
    public long usableSpace() {
        return disk.health().full() && plan.seed() % 2 == 0 ? 0 : DISK_OCTETS / 2;
    }

    @Override
    public long totalSpace() {
        return DISK_OCTETS;
    }

    @Override
    public Object dnsClient() {
        return dns;
    }

    @Override
    public void halt(int status) {
        tell("the program ends its process with " + status);
        WorldScheduler.Process process = scheduler.current();
        scheduler.schedule(() -> {
            if (process == program && !process.isDead()) {
                end(process, false);
                ledger.stops.add(scheduler.now());
                scheduler.schedule(() -> {
                    if (program == process && !ended) {
                        startServer();
                    }
                }, 5 * SECOND);
            }
        }, 0);
        while (true) {
            LockSupport.park();
            Thread.interrupted();
        }
    }
}
