package org.slipstream.local.maildrop;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/// At most one log line a minute for each kind of event, because any user can cause such events.
/// The next line has the number of those that were left out. May be called by any thread.
public final class SeldomLines {
    private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

    private final Map<String, Line> lines = new HashMap<>();
    private final LongSupplier nanos;

    private record Line(long atNanos, long leftOut) {}

    SeldomLines(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /// @param kind a constant of the program
    /// @return the number of lines that were left out before this one; empty when this one is left out as well
    public synchronized OptionalLong next(String kind) {
        Line last = lines.get(kind);
        if (last != null && nanos.getAsLong() - last.atNanos() < INTERVAL_NANOS) {
            lines.put(kind, new Line(last.atNanos(), last.leftOut() + 1));
            return OptionalLong.empty();
        }
        lines.put(kind, new Line(nanos.getAsLong(), 0));
        return OptionalLong.of(last == null ? 0 : last.leftOut());
    }
}
