package org.slipstream.cli.frame;

import java.io.InputStream;
import java.io.PrintStream;

/// The environment of a command.
///
/// @param stopSignal ends `run`
public record CliContext(InputStream in, PrintStream out, PrintStream err, ServerStarter starter,
        StoppedServer stopped,
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
