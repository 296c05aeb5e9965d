package org.slipstream.cli.frame;

/// Ends a command with this exit code and this message on standard error. Thrown anywhere in a
/// command and caught in one place, [org.slipstream.cli.Cli].
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exit;

    public CommandFailure(int exit, String sentence) {
        super(sentence);
        this.exit = exit;
    }

    public CommandFailure(int exit, String sentence, Throwable cause) {
        super(sentence, cause);
        this.exit = exit;
    }

    public int exit() {
        return exit;
    }
}
