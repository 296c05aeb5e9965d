package org.slipstream.cli.sendmail;

/// A call of `sendmail` that ends with an exit code of `sysexits.h` and one sentence.
public final class SendmailException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int exit;

    public SendmailException(int exit, String sentence) {
        super(sentence);
        this.exit = exit;
    }

    public SendmailException(int exit, String sentence, Throwable cause) {
        super(sentence, cause);
        this.exit = exit;
    }

    public int exit() {
        return exit;
    }
}
