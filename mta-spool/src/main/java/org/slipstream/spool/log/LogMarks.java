package org.slipstream.spool.log;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The marks of the message log, whose names are the facts.
///
/// | Name | Says |
/// |---|---|
/// | `0000000007.swept` | segments up to 7 were deleted in order, because no message in them was queued |
/// | `0000000012.newest` | segment 12 was the last one that was made |
/// | `0000000009-4711.lost` | 4711 octets are left of segment 9 (0: its file is missing), and a start has reported that |
///
/// A log has a mark as soon as it exists. A folder without one is another folder, such as the mount point of a disk
/// that is not mounted.
final class LogMarks {
    private static final Pattern SWEPT = Pattern.compile("([0-9]{10,18})\\.swept");
    private static final Pattern NEWEST = Pattern.compile("([0-9]{10,18})\\.newest");
    private static final Pattern LOST = Pattern.compile("([0-9]{10,18})-([0-9]{1,18})\\.lost");

    private final LogStore store;
    private final Map<Long, Long> lost = new ConcurrentHashMap<>();
    private volatile long swept;
    private volatile long newest;

    /// @param store changes no mark when it only reads
    LogMarks(LogStore store) throws IOException {
        this.store = store;
        for (String mark : store.marks()) {
            Matcher name = SWEPT.matcher(mark);
            if (name.matches()) {
                swept = Math.max(swept, Long.parseLong(name.group(1)));
            } else if (name.usePattern(NEWEST).matches()) {
                newest = Math.max(newest, Long.parseLong(name.group(1)));
            } else if (name.usePattern(LOST).matches()) {
                lost.merge(Long.parseLong(name.group(1)), Long.parseLong(name.group(2)), Math::max);
            }
        }
    }

    static boolean exist(LogStore store) throws IOException {
        Set<String> marks = store.marks();
        return marks.stream().anyMatch(name -> NEWEST.matcher(name).matches() || SWEPT.matcher(name).matches());
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

    void swept(long segment) throws IOException {
        put(name(swept, "swept"), name(segment, "swept"));
        swept = segment;
        for (long each : lost().keySet()) {
            if (each <= segment) {
                found(each);
            }
        }
    }

    void newest(long segment) throws IOException {
        put(name(newest, "newest"), name(segment, "newest"));
        newest = segment;
    }

    void lost(long segment, long bytes) throws IOException {
        Long before = lost.put(segment, bytes);
        put(lostName(segment, String.valueOf(before)), lostName(segment, bytes));
    }

    void found(long segment) throws IOException {
        Long bytes = lost.remove(segment);
        if (bytes != null && !looks()) {
            store.unmark(lostName(segment, bytes));
        }
    }

    private void put(String before, String name) throws IOException {
        if (!looks()) {
            store.mark(before, name);
        }
    }

    private boolean looks() {
        return store.epoch() == 0;
    }

    private static String lostName(long segment, Object bytes) {
        return String.format(Locale.ROOT, "%010d-%s.lost", segment, bytes);
    }

    private static String name(long segment, String kind) {
        return String.format(Locale.ROOT, "%010d.%s", segment, kind);
    }
}
