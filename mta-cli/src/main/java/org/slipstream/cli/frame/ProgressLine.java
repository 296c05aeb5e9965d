package org.slipstream.cli.frame;

import java.io.PrintStream;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// The progress of a long command on standard error: no line in the first two seconds, then at most
/// one line a second.
///
/// Standard output has the result of the command only, so it is the same with and without these
/// lines.
public final class ProgressLine {
    private static final long FIRST_NANOS = 2_000_000_000L;
    private static final long BETWEEN_NANOS = 1_000_000_000L;

    private final PrintStream err;
    private final LongSupplier nanoClock;
    private final long startNanos;
    private long waitNanos = FIRST_NANOS;

    public ProgressLine(PrintStream err, LongSupplier nanoClock) {
        this.err = err;
        this.nanoClock = nanoClock;
        this.startNanos = nanoClock.getAsLong();
    }

    /// @param what the position of the command, computed only when a line is due
    public void report(Supplier<String> what) {
        long nanos = nanoClock.getAsLong() - startNanos;
        if (nanos >= waitNanos) {
            waitNanos = nanos + BETWEEN_NANOS;
            err.println("mta: " + what.get() + " after " + nanos / BETWEEN_NANOS + " s");
        }
    }
}
