package org.slipstream.server.sendmail;

import java.io.InputStream;
import java.io.PrintStream;

/// `sendmail -bs`.
public final class SmtpOnStandardInput {
    public SmtpOnStandardInput(MessageSubmission submission, InputStream in, PrintStream out) {
    }

    public void run(SendmailCall call) {
    }
}
