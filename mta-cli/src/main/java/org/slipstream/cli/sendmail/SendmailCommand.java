package org.slipstream.cli.sendmail;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import org.slipstream.local.maildrop.MaildropFolder;
import picocli.CommandLine.Command;

import java.util.List;
import java.util.concurrent.Callable;

/// `sendmail`: the program that others call to send mail. Its arguments follow the rules of
/// Sendmail, and its exit codes are those of `sysexits.h`.
@Command(name = "sendmail", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Sends mail as the program sendmail does.",
        description = "Arguments and exit codes are those of sendmail: see sendmail(1), or docs/sendmail.md.",
        optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                " 0:the message is on disk", "64:wrong usage", "65:an address or the header cannot be read",
                "75:a local problem; try again later", "77:no permission"},
        footerHeading = "%nExamples:%n", footer = {"  mta sendmail -i user@example.org < message",
                "  mta sendmail -t -oi < message"})
public final class SendmailCommand implements Callable<Integer> {
    private final MtaCommand mta;

    public SendmailCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        try {
            SendmailCall call = SendmailArguments.parse(mta.rest());
            call.remarks().forEach(this::tell);
            return run(call);
        } catch (SendmailException refused) {
            tell(String.valueOf(refused.getMessage()));
            return refused.exit();
        }
    }

    private int run(SendmailCall call) throws SendmailException {
        MaildropFolder maildrop = MaildropFolder.in(mta.installedHome());
        CallingUser user = CallingUser.current();
        switch (call.mode()) {
            case MESSAGE -> new MessageSubmission(maildrop, user).submit(call, mta.world().in());
            case SMTP -> new SmtpOnStandardInput(maildrop, user, mta.world().in(), mta.world().out()).run();
            case LIST_QUEUE -> {
                return command("mailq");
            }
            case CHECK_ALIASES -> {
                return command("newaliases");
            }
            case VERIFY -> {
                return verify(call.recipients());
            }
            case FLUSH -> {
                return flush(call.queue());
            }
        }
        return SysExit.OK;
    }

    private int verify(List<String> addresses) {
        int exit = SysExit.OK;
        for (String address : addresses) {
            exit = Math.max(exit, command("verify", address));
        }
        return exit;
    }

    private int flush(String selection) {
        if (selection.isEmpty()) {
            return command("queue", "flush");
        }
        String word = selection.substring(1);
        return selection.startsWith("I")
                ? command("queue", "flush", word)
                : command("queue", "flush", "--domain", word);
    }

    /// The same as the command of `mta`, with an exit code that callers of `sendmail` know.
    private int command(String... words) {
        return switch (mta.run(words)) {
            case Exit.DONE -> SysExit.OK;
            case Exit.NO -> SysExit.UNAVAILABLE;
            case Exit.USAGE -> SysExit.USAGE;
            case Exit.CONFIGURATION -> SysExit.CONFIGURATION;
            case Exit.UNREACHABLE -> SysExit.UNAVAILABLE;
            default -> SysExit.SOFTWARE;
        };
    }

    private void tell(String sentence) {
        mta.world().err().println("sendmail: " + sentence);
    }
}
