package org.slipstream.bench.load.sustain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/// The values of a process from Linux (proc(5)).
record Watched(long pid) {
    private static final double TICKS_PER_SECOND = 100;

    double residentMebibytes() throws IOException {
        return kibibytes("smaps_rollup", "Rss:") / 1_024.0;
    }

    /// Its share of pages that it shares with others.
    double proportionalMebibytes() throws IOException {
        return kibibytes("smaps_rollup", "Pss:") / 1_024.0;
    }

    long threads() throws IOException {
        return kibibytes("status", "Threads:");
    }

    long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(of("fd"))) {
            return files.count();
        }
    }

    double cpuSeconds() throws IOException {
        String stat = Files.readString(of("stat"));
        // The name before the parenthesis may contain blanks; user and system time are fields 14
        // and 15.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    private long kibibytes(String file, String name) throws IOException {
        try (Stream<String> lines = Files.lines(of(file))) {
            return lines.filter(line -> line.startsWith(name))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst().orElseThrow();
        }
    }

    private Path of(String file) {
        return Path.of("/proc/" + pid + "/" + file);
    }

    /// The files below a folder whose names end so. Files that are deleted during the walk are left
    /// out.
    static double mebibytes(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending)).mapToLong(Watched::size).sum() / 1048576.0;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (NoSuchFileException gone) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
