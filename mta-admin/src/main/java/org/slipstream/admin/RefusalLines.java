package org.slipstream.admin;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Refused requests by author, for the log. The first one is told at once, the others once a minute
/// with their number: a member of the group could otherwise fill the disk with lines.
public final class RefusalLines {
    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);
    /// Local users and names of tokens; the oldest makes room.
    private static final int MOST_AUTHORS = 1_000;

    private final LongSupplier nanos;
    private final Map<String, Window> authors = new LinkedHashMap<>();

    private static final class Window {
        private long untilNanos;
        private long untold;

        Window(long nowNanos) {
            untilNanos = nowNanos;
        }
    }

    public RefusalLines(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /// Counts a refusal.
    ///
    /// @return the refusals since the line before, when it is time for a line
    public synchronized OptionalLong toTell(String author) {
        long now = nanos.getAsLong();
        if (authors.size() == MOST_AUTHORS && !authors.containsKey(author)) {
            authors.remove(authors.keySet().iterator().next());
        }
        Window window = authors.computeIfAbsent(author, _ -> new Window(now));
        window.untold++;
        if (now - window.untilNanos < 0) {
            return OptionalLong.empty();
        }
        long count = window.untold;
        window.untold = 0;
        window.untilNanos = now + PERIOD_NANOS;
        return OptionalLong.of(count);
    }
}
