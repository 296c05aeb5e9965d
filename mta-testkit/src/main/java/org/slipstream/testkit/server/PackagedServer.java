package org.slipstream.testkit.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The packaged server as a process with a home folder.
///
/// A started server is ready: it accepts connections. After [#stop] or [#kill9] it can start again
/// in the same home. Its ports are new then, so a test asks for them after each start. No server
/// outlives the virtual machine of the tests.
public final class PackagedServer implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("([a-z]+)=[^ ]*:(\\d+)");
    private static final int START_TIMEOUT_SECONDS = 120;
    private static final int STOP_TIMEOUT_SECONDS = 30;
    private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();
    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ALIVE.forEach(Process::destroyForcibly)));
    }

    private final Path program;
    private final Path home;
    private final Launch launch;
    private List<String> settings;
    private Process process;
    private Map<String, Integer> ports;

    private PackagedServer(Path program, Path home, List<String> settings, Launch launch) {
        this.program = program;
        this.home = home;
        this.settings = List.copyOf(settings);
        this.launch = launch;
        process = launched();
        ports = awaitReady();
    }

    /// Starts a server. Settings that the caller does not name have their defaults.
    ///
    /// @param program the folder of the packaged program
    /// @param home made when it does not exist
    /// @param settings each `key=value`
    /// @throws AssertionError when the server does not become ready
    public static PackagedServer start(Path program, Path home, List<String> settings) {
        return start(program, home, settings, Launch.USUAL);
    }

    public static PackagedServer start(Path program, Path home, List<String> settings, Launch launch) {
        return new PackagedServer(program, home, settings, launch);
    }

    /// How the process is started.
    ///
    /// @param environment variables that are added to those of the tests
    /// @param javaOptions for the virtual machine of the server, separated by spaces
    public record Launch(Map<String, String> environment, String javaOptions) {
        public static final Launch USUAL = new Launch(Map.of(), "");

        public Launch {
            environment = Map.copyOf(environment);
        }

        public static Launch withJavaOptions(String options) {
            return new Launch(Map.of(), options);
        }
    }

    /// The command line that an operator would type for a server with this home.
    public static List<String> commandLine(Path program, Path home, String... arguments) {
        List<String> line = new ArrayList<>(
                List.of(program.resolve("mta").toString(), "--home", home.toString()));
        line.addAll(List.of(arguments));
        return line;
    }

    public Path home() {
        return home;
    }

    /// The port for mail from other servers.
    public InetSocketAddress smtp() {
        return port("smtp");
    }

    /// The port for mail from programs and users.
    public InetSocketAddress submission() {
        return port("submission");
    }

    /// The port of a service that the settings open: `lmtp`, `submissions`.
    public InetSocketAddress port(String service) {
        Integer port = ports.get(service);
        if (port == null) {
            throw new IllegalArgumentException(service + " is not open: " + ports);
        }
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    public Maildirs mail() {
        return new Maildirs(home.resolve("mail"));
    }

    /// The file with the log of all runs in this home. It stands beside the home folder.
    public Path logFile() {
        return home.resolveSibling(home.getFileName() + ".log");
    }

    /// The log of all runs in this home.
    public String log() {
        try {
            return Files.exists(logFile()) ? Files.readString(logFile()) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Runs a command of `./mta` for this server.
    public ProgramRun command(String... arguments) {
        return command(new byte[0], arguments);
    }

    /// @param input the standard input of the command
    public ProgramRun command(byte[] input, String... arguments) {
        return ProgramRun.of(input, commandLine(program, home, arguments));
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// Of the Java process, which the launcher becomes.
    public long pid() {
        return process.pid();
    }

    /// Resident memory now.
    public long residentKibibytes() throws IOException {
        return status("VmRSS:");
    }

    /// The most it ever was.
    public long peakKibibytes() throws IOException {
        return status("VmHWM:");
    }

    public long openFiles() throws IOException {
        try (var files = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
            return files.count();
        }
    }

    private long status(String name) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid() + "/status")).stream().filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst().orElseThrow();
    }

    public double cpuSeconds() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        // User and system time in hundredths of a second: fields 14 and 15 of proc(5).
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    /// Kills the server as a power cut would, but for the disk: it writes nothing more.
    public void kill9() {
        List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
        family.add(process.toHandle());
        family.forEach(ProcessHandle::destroyForcibly);
        family.forEach(member -> member.onExit().orTimeout(90, TimeUnit.SECONDS).join());
        // The handle may know of the end before the process object does.
        process.onExit().orTimeout(90, TimeUnit.SECONDS).join();
    }

    /// Stops the server by SIGTERM and gives its exit code.
    ///
    /// @throws AssertionError when it does not stop in time
    public int stop() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                kill9();
                throw new AssertionError("the server did not stop within " + STOP_TIMEOUT_SECONDS + " s of SIGTERM");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while stopping the server", e);
        }
    }

    /// Starts a stopped server with other settings.
    public void startAgain(List<String> changed) {
        settings = List.copyOf(changed);
        startAgain();
    }

    /// Starts a stopped server.
    public void startAgain() {
        launchAgain();
        ports = awaitReady();
    }

    /// Starts a stopped server, and does not wait until it is ready.
    public void beginStart() {
        launchAgain();
        watch(new CompletableFuture<>());
    }

    /// Starts a stopped server and kills it after this time, whatever it does then: read its
    /// settings, or replay the log.
    ///
    /// @param before done just before the signal
    public void dieWhileStarting(Duration after, Runnable before) {
        beginStart();
        try {
            process.waitFor(after.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        before.run();
        kill9();
    }

    /// Stops the server if it runs.
    @Override
    public void close() {
        if (process.isAlive()) {
            stop();
        }
    }

    private void launchAgain() {
        if (process.isAlive()) {
            throw new IllegalStateException("the server still runs");
        }
        process = launched();
    }

    private Process launched() {
        List<String> command = commandLine(program, home, "run");
        settings.forEach(setting -> command.addAll(List.of("--set", setting)));
        ProcessBuilder builder = new ProcessBuilder(command).redirectInput(Path.of("/dev/null").toFile())
                .redirectError(Redirect.appendTo(logFile().toFile()));
        builder.environment().putAll(launch.environment());
        builder.environment().merge("SLIPSTREAM_JAVA_OPTS", launch.javaOptions(), (given, more) -> given + " " + more);
        try {
            Files.createDirectories(home);
            Process started = builder.start();
            ALIVE.add(started);
            started.onExit().thenAccept(ALIVE::remove);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, Integer> awaitReady() {
        var ready = new CompletableFuture<Map<String, Integer>>();
        watch(ready);
        try {
            return ready.get(START_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            kill9();
            throw new AssertionError("the server did not become ready, exit code " + process.exitValue() + ": "
                    + log().strip().lines().reduce((_, last) -> last).orElse("its log is empty"), e);
        } catch (InterruptedException e) {
            kill9();
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the server started", e);
        }
    }

    /// A virtual thread that reads from a pipe keeps its carrier thread, and there are as many of
    /// those as processors. So this is a platform thread.
    private void watch(CompletableFuture<Map<String, Integer>> ready) {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name("server-output").start(() -> watch(output, ready));
    }

    /// Reads on after the line `ready`, because a full pipe would block the server.
    private static void watch(BufferedReader output, CompletableFuture<Map<String, Integer>> ready) {
        try (output) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith("ready ")) {
                    ready.complete(PORT.matcher(line).results().collect(
                            Collectors.toMap(port -> port.group(1), port -> Integer.parseInt(port.group(2)))));
                }
            }
            ready.completeExceptionally(new IOException("the server ended without the line \"ready\""));
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
    }
}
