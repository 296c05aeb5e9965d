package org.slipstream.spool.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The marks of the message log: empty files beside the segments whose names are the facts.
///
/// | Name | Says |
/// |---|---|
/// | `0000000007.swept` | segments up to 7 were deleted in order, because no message in them was queued |
/// | `0000000012.newest` | segment 12 was the last one that was made |
/// | `0000000009-4711.lost` | 4711 octets are left of segment 9 (0: its file is missing), and a start has reported that |
///
/// A mark is renamed and not made, so that a full disk does not prevent it. The folder of a log has a mark as soon as
/// it exists. A folder without one is another folder, such as the mount point of a disk that is not mounted.
final class LogMarks {
    private static final Pattern SWEPT = Pattern.compile("([0-9]{10,18})\\.swept");
    private static final Pattern NEWEST = Pattern.compile("([0-9]{10,18})\\.newest");
    private static final Pattern LOST = Pattern.compile("([0-9]{10,18})-([0-9]{1,18})\\.lost");

    private final Path directory;
    private final boolean looks;
    private final Map<Long, Long> lost = new ConcurrentHashMap<>();
    private volatile long swept;
    private volatile long newest;

    /// @param looks changes no file
    LogMarks(Path directory, boolean looks) throws IOException {
        this.directory = directory;
        this.looks = looks;
        for (Matcher name : names(directory, SWEPT).values()) {
            swept = Math.max(swept, Long.parseLong(name.group(1)));
        }
        for (Matcher name : names(directory, NEWEST).values()) {
            newest = Math.max(newest, Long.parseLong(name.group(1)));
        }
        for (Matcher name : names(directory, LOST).values()) {
            lost.merge(Long.parseLong(name.group(1)), Long.parseLong(name.group(2)), Math::max);
        }
    }

    static boolean exist(Path directory) throws IOException {
        return !(names(directory, NEWEST).isEmpty() && names(directory, SWEPT).isEmpty());
    }

    /// The names in the folder that have this form.
    static Map<String, Matcher> names(Path directory, Pattern form) throws IOException {
        Map<String, Matcher> names = new TreeMap<>();
        if (Files.notExists(directory)) {
            return names;
        }
        try (Stream<Path> files = Files.list(directory)) {
            files.map(file -> form.matcher(file.getFileName().toString())).filter(Matcher::matches)
                    .forEach(name -> names.put(name.group(), name));
        }
        return names;
    }

    long swept() {
        return swept;
    }

    long newest() {
        return newest;
    }

    /// Octets that were left of each segment whose loss was reported.
    Map<Long, Long> lost() {
        return Map.copyOf(lost);
    }

    /// The caller syncs the folder.
    void swept(long segment) throws IOException {
        put(name(swept, "swept"), name(segment, "swept"));
        swept = segment;
        for (long each : lost().keySet()) {
            if (each <= segment) {
                found(each);
            }
        }
    }

    /// The caller syncs the folder.
    void newest(long segment) throws IOException {
        put(name(newest, "newest"), name(segment, "newest"));
        newest = segment;
    }

    void lost(long segment, long bytes) throws IOException {
        Long before = lost.put(segment, bytes);
        put(lostName(segment, String.valueOf(before)), lostName(segment, bytes));
        sync();
    }

    void found(long segment) throws IOException {
        Long bytes = lost.remove(segment);
        if (bytes != null && !looks) {
            Files.deleteIfExists(directory.resolve(lostName(segment, bytes)));
        }
    }

    private void put(String before, String name) throws IOException {
        if (looks) {
            return;
        }
        Path from = directory.resolve(before);
        if (Files.exists(from)) {
            Files.move(from, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } else if (Files.notExists(directory.resolve(name))) {
            Files.createFile(directory.resolve(name));
        }
    }

    void sync() throws IOException {
        if (!looks) {
            Directories.sync(directory);
        }
    }

    private static String lostName(long segment, Object bytes) {
        return String.format(Locale.ROOT, "%010d-%s.lost", segment, bytes);
    }

    private static String name(long segment, String kind) {
        return String.format(Locale.ROOT, "%010d.%s", segment, kind);
    }
}
