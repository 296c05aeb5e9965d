package org.slipstream.config;

import org.slipstream.core.Address;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The machine's name, the default of `hostname`.
///
/// `InetAddress.getLocalHost` would query DNS and may delay a start by seconds, so the name is read
/// from the system's files. RFC 5321 section 4.1.1.1 requires a full name. Where the machine has
/// only a short one, `/etc/hosts` may have the long one. Otherwise `.localdomain` is added, which
/// no public host can have.
public final class HostName {
    private static final String NONE = "localhost";

    private HostName() {}

    public static String ofMachine() {
        String name = Stream.of(file("/proc/sys/kernel/hostname"), file("/etc/hostname"),
                Optional.ofNullable(System.getenv("COMPUTERNAME"))).flatMap(Optional::stream).findFirst()
                .or(HostName::command).orElse(NONE);
        return full(name, hosts());
    }

    /// @param hosts lines of `/etc/hosts`
    static String full(String machine, List<String> hosts) {
        String name = machine.strip().toLowerCase(Locale.ROOT);
        if (!Address.isDomain(name) || name.startsWith("[") || name.chars().anyMatch(c -> c > 127)) {
            return NONE + ".localdomain";
        }
        return name.contains(".") ? name : longName(name, hosts).orElse(name + ".localdomain");
    }

    private static Optional<String> longName(String name, List<String> hosts) {
        return hosts.stream().map(line -> line.replaceFirst("#.*", "").strip().toLowerCase(Locale.ROOT).split("\\s+"))
                .filter(words -> Arrays.asList(words).subList(1, words.length).contains(name))
                .flatMap(words -> Arrays.stream(words).skip(1))
                .filter(word -> word.startsWith(name + ".") && Address.isDomain(word)).findFirst();
    }

    private static Optional<String> file(String path) {
        try {
            return Files.readAllLines(Path.of(path)).stream().map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#")).findFirst();
        } catch (IOException | RuntimeException notHere) {
            return Optional.empty();
        }
    }

    private static List<String> hosts() {
        try {
            return Files.readAllLines(Path.of("/etc/hosts"));
        } catch (IOException | RuntimeException notHere) {
            return List.of();
        }
    }

    /// Where there is no file with the name, as on macOS.
    private static Optional<String> command() {
        try {
            Process process = new ProcessBuilder("hostname").redirectErrorStream(true).start();
            process.getOutputStream().close();
            if (!process.waitFor(1, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.empty();
            }
            String name = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.exitValue() == 0 && !name.isEmpty() ? Optional.of(name) : Optional.empty();
        } catch (IOException notHere) {
            return Optional.empty();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
