package org.slipstream.server.cli;

import java.io.InputStream;
import java.io.PrintStream;

/// What a command touches outside of itself.
///
/// @param spoolReports how `spool corrupt report` tells senders
/// @param stopSignal how `run` learns that it is to end
public record CliContext(InputStream in, PrintStream out, PrintStream err, ServerStarter starter,
        SpoolReports spoolReports,
        StopSignal stopSignal) {
    /// How a server that runs is told to stop.
    public interface StopSignal {
        /// From now on a signal no longer ends the process by itself.
        void arm();

        void await() throws InterruptedException;

        /// The command has cleaned up and ends with this exit code.
        void done(int exit);
    }
}
