package org.slipstream.server.source;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.text.Controls;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.WholeFiles;
import org.slipstream.smtpout.source.SourceTable;
import org.slipstream.smtpout.source.WarmUp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/// The suspensions of sources, and what each source that is warmed up has sent today to each provider.
///
/// All methods return at once; a thread of its own writes the file `sources` of the home folder, a second after
/// a change at most. **After a crash** the messages of the last second are not counted, which a provider cannot
/// notice. A message counts when its delivery starts, whatever its end, because the provider has seen the
/// attempt.
///
/// **Bounds.** A suspension needs a source of the settings and a known provider; [#MOST] are kept. Counts of an
/// earlier day are dropped when the day changes. A clock that goes back over midnight brings no quota again: the
/// day that was counted stays in use. One that is more than a day behind it counts as right, because it may
/// have been far ahead before.
final class SourceStates implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SourceStates.class);
    static final int MOST = 10_000;
    private static final int MOST_COUNTS = SourceTable.MOST_SOURCES * (ProviderTable.MOST_PROVIDERS + 1);
    static final int MOST_REASON = 400;
    private static final int MOST_OCTETS = 48 << 20;
    private static final long REST_MILLIS = 1_000;
    /// A disk that hangs does not hold up the stop for longer.
    private static final Duration LAST_WRITE = Duration.ofSeconds(5);
    /// For all providers.
    static final String ALL = "*";
    private static final String SUSPENDED = "suspended";
    private static final String USED = "used";

    private final Path file;
    private final LongSupplier clock;

    // Guarded by this.
    private final Map<SourceKey, SourceSuspension> suspensions = new LinkedHashMap<>();
    private final Map<SourceKey, Long> used = new HashMap<>();
    private LocalDate day = LocalDate.EPOCH;
    private boolean changed;
    private boolean closed;
    private Optional<Thread> writer = Optional.empty();

    /// @param provider a name, [ProviderTable#OTHER] or [#ALL]
    record SourceKey(String source, String provider) {}

    /// @param untilMillis `Long.MAX_VALUE`: until it is resumed
    record SourceSuspension(long untilMillis, String author, String reason) {
        Optional<Instant> until() {
            return untilMillis == Long.MAX_VALUE
                    ? Optional.empty()
                    : Optional.of(Instant.ofEpochMilli(untilMillis));
        }

        String words() {
            return "suspended by " + author + until().map(time -> " until " + time).orElse("") + ": " + reason;
        }
    }

    SourceStates(Path file, LongSupplier clock) {
        this.file = file;
        this.clock = clock;
        read();
    }

    // ---- suspensions

    /// The suspension that concerns mail of a source to a provider: that for all mail first.
    synchronized Optional<SourceSuspension> suspension(String source, String provider) {
        return own(new SourceKey(source, ALL)).or(() -> own(new SourceKey(source, provider)));
    }

    private Optional<SourceSuspension> own(SourceKey key) {
        SourceSuspension found = suspensions.get(key);
        if (found != null && found.untilMillis() <= clock.getAsLong()) {
            suspensions.remove(key);
            change();
            return Optional.empty();
        }
        return Optional.ofNullable(found);
    }

    synchronized Map<SourceKey, SourceSuspension> suspensions() {
        List.copyOf(suspensions.keySet()).forEach(this::own);
        return new LinkedHashMap<>(suspensions);
    }

    /// Replaces the one of the same source and provider.
    ///
    /// @return false when there are too many
    synchronized boolean suspend(SourceKey key, SourceSuspension suspension) {
        if (suspensions.size() >= MOST && !suspensions.containsKey(key)) {
            return false;
        }
        suspensions.put(key, new SourceSuspension(suspension.untilMillis(), clean(suspension.author()),
                clean(suspension.reason())));
        change();
        return true;
    }

    /// @param provider empty: all
    /// @return false when there was none
    synchronized boolean resume(String source, Optional<String> provider) {
        boolean found = suspensions.keySet().removeIf(key -> key.source().equals(source)
                && provider.map(key.provider()::equals).orElse(true));
        if (found) {
            change();
        }
        return found;
    }

    private static String clean(String text) {
        String one = Controls.replaced(text);
        return one.length() > MOST_REASON ? one.substring(0, MOST_REASON) : one;
    }

    // ---- warm-up

    /// Today in UTC, or the day behind it when that was counted already.
    synchronized LocalDate today() {
        LocalDate now = LocalDate.ofInstant(Instant.ofEpochMilli(clock.getAsLong()), ZoneOffset.UTC);
        if (now.isAfter(day) || now.isBefore(day.minusDays(1))) {
            if (!used.isEmpty()) {
                used.clear();
                change();
            }
            day = now;
        }
        return day;
    }

    /// Messages that may start today; empty without a limit.
    synchronized OptionalLong left(SourceKey key, WarmUp schedule) {
        var limit = schedule.limit(today());
        return limit.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, limit.getAsInt() - used.getOrDefault(key, 0L)));
    }

    synchronized Map<SourceKey, Long> used() {
        today();
        return new HashMap<>(used);
    }

    /// Counts a message that starts now. False when the day is used up.
    synchronized boolean start(SourceKey key, WarmUp schedule) {
        OptionalLong left = left(key, schedule);
        if (left.isEmpty()) {
            return true;
        }
        if (left.getAsLong() == 0) {
            return false;
        }
        used.merge(key, 1L, Long::sum);
        change();
        return true;
    }

    // ---- file

    private void change() {
        changed = true;
        if (writer.isEmpty() && !closed) {
            writer = Optional.of(Thread.ofPlatform().daemon().name("sources").start(this::writeChanges));
        }
        notifyAll();
    }

    private void writeChanges() {
        try {
            while (awaitChange()) {
                write();
                rest();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean awaitChange() throws InterruptedException {
        while (!changed && !closed) {
            wait();
        }
        return !closed;
    }

    private synchronized void rest() throws InterruptedException {
        long until = System.nanoTime() + REST_MILLIS * 1_000_000;
        for (long left = REST_MILLIS; left > 0 && !closed; left = (until - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
    }

    private synchronized boolean isChanged() {
        return changed;
    }

    private synchronized List<String> lines() {
        changed = false;
        List<String> lines = new ArrayList<>();
        suspensions.forEach((key, each) -> lines.add(String.join("\t", SUSPENDED, key.source(), key.provider(),
                Long.toString(each.untilMillis()), each.author(), each.reason())));
        used.forEach((key, count) -> lines.add(
                String.join("\t", USED, key.source(), key.provider(), day.toString(), Long.toString(count))));
        return lines;
    }

    private void write() {
        try {
            WholeFiles.write(file, String.join("\n", lines()).concat("\n").getBytes(StandardCharsets.UTF_8),
                    "rw-------");
        } catch (IOException failed) {
            synchronized (this) {
                changed = true;
            }
            log.error("event=sources-not-kept next=\"tried again\" error=\"{}\"",
                    LogText.text(FailureWords.of(failed)));
        }
    }

    private void read() {
        try {
            for (String line : BoundedFiles.lines(file, MOST_OCTETS)) {
                if (!line.isBlank() && !read(line.split("\t", -1))) {
                    log.warn("event=source-line-ignored line=\"{}\"", LogText.text(line));
                }
            }
        } catch (NoSuchFileException _) {
            // The first start.
        } catch (IOException unreadable) {
            log.error("event=sources-not-read next=\"no source is suspended\" error=\"{}\"",
                    LogText.text(FailureWords.of(unreadable)));
        }
    }

    private boolean read(String[] cell) {
        if (cell.length < 5 || !SourceTable.isName(cell[1]) || !isProvider(cell[2])
                || suspensions.size() >= MOST || used.size() >= MOST_COUNTS) {
            return false;
        }
        SourceKey key = new SourceKey(cell[1], cell[2]);
        try {
            if (cell[0].equals(SUSPENDED) && cell.length == 6) {
                suspensions.put(key, new SourceSuspension(Long.parseLong(cell[3]), clean(cell[4]), clean(cell[5])));
                return true;
            }
            LocalDate date = LocalDate.parse(cell[3]);
            if (!cell[0].equals(USED) || date.isBefore(day)) {
                return cell[0].equals(USED);
            }
            if (date.isAfter(day)) {
                used.clear();
                day = date;
            }
            used.put(key, Long.parseLong(cell[4]));
            return true;
        } catch (NumberFormatException | DateTimeParseException damaged) {
            return false;
        }
    }

    static boolean isProvider(String text) {
        return text.equals(ALL) || text.equals(ProviderTable.OTHER) || ProviderTable.isName(text);
    }

    /// Writes what is not written yet.
    @Override
    public void close() {
        Optional<Thread> running;
        synchronized (this) {
            closed = true;
            running = writer;
            notifyAll();
        }
        try {
            if (running.isPresent() && running.get().join(LAST_WRITE) && isChanged()) {
                write();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
