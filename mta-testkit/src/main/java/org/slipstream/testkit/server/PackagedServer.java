package org.slipstream.testkit.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The packaged server as a process in a folder of its own. Settings that a caller does not name
/// have their defaults.
public final class PackagedServer implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("([a-z]+)=[^ ]*:(\\d+)");
    private final Path program;
    private final Process process;
    private final Map<String, Integer> ports;

    private PackagedServer(Path program, Process process, Map<String, Integer> ports) {
        this.program = program;
        this.process = process;
        this.ports = ports;
    }

    /// @param program the folder of the packaged program
    /// @param home empty or new
    /// @param settings each `key=value`
    public static PackagedServer start(Path program, Path home, List<String> settings) throws IOException {
        return start(program, home, settings, "");
    }

    /// @param javaOptions for the virtual machine of the server, separated by spaces
    public static PackagedServer start(Path program, Path home, List<String> settings, String javaOptions)
            throws IOException {
        Files.createDirectories(home);
        List<String> command = new ArrayList<>(
                List.of(program.resolve("mta").toString(), "--home", home.toString(), "run"));
        settings.forEach(setting -> command.addAll(List.of("--set", setting)));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(Redirect.appendTo(home.resolve("log").toFile()));
        builder.environment().merge("SLIPSTREAM_JAVA_OPTS", javaOptions, (given, more) -> given + " " + more);
        Process process = builder.start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("ready ")) {
                return new PackagedServer(program, process, PORT.matcher(line).results()
                        .collect(Collectors.toMap(port -> port.group(1), port -> Integer.parseInt(port.group(2)))));
            }
        }
        throw new IOException("the server did not start; see " + home.resolve("log"));
    }

    /// The folder of the packaged program.
    public Path program() {
        return program;
    }

    /// Where mail from other servers goes.
    public InetSocketAddress address() {
        return port("smtp");
    }

    /// @param service as in the line `ready`: `smtp`, `submission`
    public InetSocketAddress port(String service) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Objects.requireNonNull(ports.get(service)));
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// Of the Java process: the launcher may stand before it.
    public long pid() {
        return process.descendants().mapToLong(ProcessHandle::pid).max().orElse(process.pid());
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

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
