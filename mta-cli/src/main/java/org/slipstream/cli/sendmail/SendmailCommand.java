package org.slipstream.cli.sendmail;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.local.maildrop.MaildropFolder;
import picocli.CommandLine.Command;

import java.util.List;

/// `sendmail`: the program that others call to send mail. Its arguments follow the rules of
/// Sendmail, and its exit codes are those of `sysexits.h`.
@Command(header = "Sends mail as the program sendmail does.",
        description = "Arguments and exit codes are those of sendmail: see sendmail(1), or docs/sendmail.md.",
        exitCodeList = {" 0:the message is on disk", "64:wrong usage", "65:an address or the header cannot be read",
                "75:a local problem; try again later", "77:no permission"},
        footer = {"  mta sendmail -i user@example.org < message", "  mta sendmail -t -oi < message"})
public final class SendmailCommand implements MtaAction {
    @Override
    public int run(MtaCommand mta) {
        try {
            SendmailCall call = SendmailArguments.parse(mta.rest());
            call.remarks().forEach(remark -> tell(mta, remark));
            return run(mta, call);
        } catch (SendmailException refused) {
            tell(mta, String.valueOf(refused.getMessage()));
            return refused.exit();
        }
    }

    private static int run(MtaCommand mta, SendmailCall call) throws SendmailException {
        MaildropFolder maildrop = MaildropFolder.in(mta.installedHome());
        CallingUser user = CallingUser.current();
        switch (call.mode()) {
            case MESSAGE -> new MessageSubmission(maildrop, user).submit(call, mta.world().in());
            case SMTP -> new SmtpOnStandardInput(maildrop, user, mta.world().in(), mta.world().out()).run();
            case LIST_QUEUE -> {
                return command(mta, "mailq");
            }
            case CHECK_ALIASES -> {
                return command(mta, "newaliases");
            }
            case VERIFY -> {
                return verify(mta, call.recipients());
            }
            case FLUSH -> {
                return flush(mta, call.queue());
            }
        }
        return SysExit.OK;
    }

    private static int verify(MtaCommand mta, List<String> addresses) {
        int exit = SysExit.OK;
        for (String address : addresses) {
            exit = Math.max(exit, command(mta, "verify", address));
        }
        return exit;
    }

    private static int flush(MtaCommand mta, String selection) {
        if (selection.isEmpty()) {
            return command(mta, "queue", "flush");
        }
        String word = selection.substring(1);
        return selection.startsWith("I")
                ? command(mta, "queue", "flush", word)
                : command(mta, "queue", "flush", "--domain", word);
    }

    /// The same as the command of `mta`, with an exit code that callers of `sendmail` know.
    private static int command(MtaCommand mta, String... words) {
        return switch (mta.run(words)) {
            case Exit.DONE -> SysExit.OK;
            case Exit.NO -> SysExit.UNAVAILABLE;
            case Exit.USAGE -> SysExit.USAGE;
            case Exit.CONFIGURATION -> SysExit.CONFIGURATION;
            case Exit.UNREACHABLE -> SysExit.UNAVAILABLE;
            default -> SysExit.SOFTWARE;
        };
    }

    private static void tell(MtaCommand mta, String sentence) {
        mta.world().err().println("sendmail: " + sentence);
    }
}
