package org.slipstream.server.cli;

import java.io.InputStream;
import java.io.PrintStream;

/// The environment of a command.
///
/// @param spoolReports reports lost mail for `spool corrupt report`
/// @param stopSignal ends `run`
public record CliContext(InputStream in, PrintStream out, PrintStream err, ServerStarter starter,
        SpoolReports spoolReports,
        StopSignal stopSignal) {
    /// The signal that stops a running server.
    public interface StopSignal {
        /// From now on a signal does not end the process by itself.
        void arm();

        void await() throws InterruptedException;

        /// Called when the command has cleaned up and ends with this exit code.
        void done(int exit);
    }
}
