package org.slipstream.server.cli;

/// Ends a command with this exit code and this message on standard error. Thrown anywhere in a
/// command and caught in one place, [Cli].
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exit;

    CommandFailure(int exit, String sentence) {
        super(sentence);
        this.exit = exit;
    }

    CommandFailure(int exit, String sentence, Throwable cause) {
        super(sentence, cause);
        this.exit = exit;
    }

    int exit() {
        return exit;
    }
}
