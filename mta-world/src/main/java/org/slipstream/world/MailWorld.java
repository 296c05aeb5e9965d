package org.slipstream.world;

import org.jspecify.annotations.Nullable;
import org.slipstream.admin.ApiClient;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.config.SettingsAgain;
import org.slipstream.server.Server;
import org.slipstream.settings.SettingsSource;
import org.slipstream.world.WorldPlan.WorldFault;
import org.slipstream.world.hook.WorldHooks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One world: a whole server, its clients, the servers that it sends to, and their machine.
///
/// The server is [Server] as it runs in production. Everything that it asks the system for comes
/// from the classes of this package, by the ways that `docs/world.md` describes.
final class MailWorld {
    private static final long SECOND = 1_000_000_000L;
    static final int DOMAINS = 4;
    /// A server that does not come up again has failed.
    private static final int MOST_STARTS = 60;
    private static final int MOST_FAILED_STARTS = 5;
    private static final int MOST_FRAMES = 12;
    private static final int LIFETIME_MINUTES = 120;
    /// Longer than an idle connection is kept.
    private static final int REST_SECONDS = 400;
    /// Numbers of static counters, which go on in the next process and the next world.
    private static final Pattern NUMBER_OF_JVM = Pattern.compile("(?<=session=|connection=)\\d+");
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
    private final WorldSystem system;
    private final WorldHosts hosts;
    private final WorldClients clients;
    private final WorldCheck check;
    private final WorldScheduler.Process outside;
    private WorldScheduler.@Nullable Process program;
    private @Nullable Server server;
    private int starts;
    private int failedStarts;
    private final boolean hostsAnswer;
    private boolean queueIsEmpty;
    private boolean calm;
    private boolean ended;
    private int concurrency = 20;

    /// @param fingerprint of the order of everything
    record WorldResult(WorldPlan plan, List<String> troubles, List<String> history, long fingerprint,
            double virtualSeconds, double realSeconds, long turns, long syncs, int files, WorldCheck.AtRest atRest) {
        boolean isGood() {
            return troubles.isEmpty();
        }
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
        system = new WorldSystem(scheduler, disk, dns, !hostsAnswer, this::halted);
        outside = scheduler.process("outside");
        hosts = new WorldHosts(this, plan, ledger, operator, script);
        clients = new WorldClients(this, plan, ledger);
        check = new WorldCheck(this, plan, ledger, home);
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

    WorldScheduler.@Nullable Process program() {
        return program;
    }

    int starts() {
        return starts;
    }

    /// Whether hosts answer each command, so that without other faults each reply arrives.
    boolean hostsAnswer() {
        return hostsAnswer;
    }

    boolean queueIsEmpty() {
        return queueIsEmpty;
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
        // Before the disk of the world begins, so that no cut of the power takes it away.
        Files.writeString(world.home.resolve("mta.toml"), world.hosts.settings());
        present = world;
        JdkThreads.seeds(plan.seed());
        StateOfJvm.forget();
        long began = System.nanoTime();
        WorldHooks.use(world.system);
        WorldCheck.WorldLog.into(world.check);
        try {
            world.live();
        } finally {
            WorldHooks.use(null);
            present = null;
        }
        return new WorldResult(plan, List.copyOf(world.troubles), List.copyOf(world.ledger.history),
                world.scheduler.fingerprint(), world.scheduler.now() / 1e9, (System.nanoTime() - began) / 1e9,
                world.scheduler.turns(), world.disk.syncs(), world.check.files(), world.check.atRest());
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
        hosts.name(dns);
        outside.start("peers", hosts::start);
        network.whenOpened(hosts::lookAtLimit);
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
        clients.start(outside, script);
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
        outside.start("operator", () -> tell("queue: " + operator.ask("GET", "queue?limit=100")
                .map(ApiClient.ApiReply::body).orElse("?")));
        until(scheduler.now() / SECOND + REST_SECONDS);
        WorldScheduler.Process running = program;
        if (queueIsEmpty && running != null && server != null) {
            check.lookAtRest(running);
        } else if (running != null) {
            running.threads().forEach(this::tellWhereItStands);
        }
        stop();
        until(scheduler.now() / SECOND + 60);
        check.check();
    }

    /// When mail does not go on, the reason is where some thread waits.
    private void tellWhereItStands(Thread thread) {
        tell("thread " + thread.getName() + " stands at " + Stream.of(thread.getStackTrace())
                .dropWhile(frame -> frame.getClassName().startsWith("java.")).limit(MOST_FRAMES)
                .map(frame -> frame.getClassName().replaceAll(".*\\.", "") + "." + frame.getMethodName() + ":"
                        + frame.getLineNumber())
                .collect(Collectors.joining(" < ")));
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
        long began = scheduler.now();
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
                if (!ledger.hasDiskTroubleEndedAfter(began)) {
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

    /// The program ends its process.
    private void halted(int status) {
        tell("the program ends its process with " + status);
        WorldScheduler.Process process = scheduler.current();
        scheduler.schedule(() -> {
            if (process == program && !process.isDead()) {
                end(process, false);
                ledger.stops.add(scheduler.now());
                startAgain(process, 5);
            }
        }, 0);
    }

    private void startAgain(WorldScheduler.Process old, long seconds) {
        scheduler.schedule(() -> {
            if (program == old && !ended) {
                startServer();
            }
        }, seconds * SECOND);
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
        system.forgetEnded();
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
            case CLOCK -> system.move(strength * SECOND);
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
        startAgain(process, fault.seconds());
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

    // ---- the end

    private void awaitEmptyQueue() {
        operator.takeAllBack();
        while (!queueIsEmpty) {
            LockSupport.parkNanos(60 * SECOND);
            queueIsEmpty = clients.haveEnded() && operator.seesEmptyQueue();
        }
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
}
