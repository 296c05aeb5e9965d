package org.slipstream.cli.sendmail;

import org.slipstream.settings.RoffPage;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// The manual pages of `sendmail`, `mailq` and `newaliases`.
public final class SendmailManual {
    private static final String COMMANDS = "User commands";

    private SendmailManual() {}

    /// @param date of the build
    /// @return the pages by file name
    public static SequencedMap<String, RoffPage> pages(String date) {
        SequencedMap<String, RoffPage> pages = new LinkedHashMap<>();
        pages.put("sendmail.1", sendmail(date));
        pages.put("mailq.1", new RoffPage("mailq", 1, date, COMMANDS)
                .name("mailq", "list the queue in the format of Postfix").heading("SYNOPSIS").text("mailq [--json]")
                .heading("DESCRIPTION")
                .text("Each message has its queue id, its size, the time of its arrival and its sender, and then the"
                        + " recipients that still wait, with the last reply of their host. A message that is being"
                        + " delivered is marked with `*`, and one on hold with `!`.")
                .text("Only the owner of the server may list its queue.").heading("SEE ALSO")
                .text("`mta-queue`(1), `sendmail`(1)"));
        pages.put("newaliases.1", new RoffPage("newaliases", 1, date, COMMANDS)
                .name("newaliases", "check the aliases").heading("SYNOPSIS").text("newaliases")
                .heading("DESCRIPTION")
                .text("The command reads the aliases as the server does, and counts them or reports every mistake."
                        + " Nothing is rebuilt, because the server reads its aliases itself.")
                .heading("SEE ALSO").text("`mta.toml`(5), `sendmail`(1)"));
        return pages;
    }

    private static RoffPage sendmail(String date) {
        RoffPage page = new RoffPage("sendmail", 1, date, COMMANDS)
                .name("sendmail", "send mail as other programs expect it").heading("SYNOPSIS")
                .text("sendmail [options] [recipient ...] < message").heading("DESCRIPTION")
                .text("The command reads a message from standard input and writes it into the maildrop of the server,"
                        + " whether the server runs or not. A running server takes the message at once. The exit"
                        + " status 0 means that the message is on disk.")
                .text("A missing From, Date or Message-ID is added. Addresses without a domain get the server's"
                        + " `maildrop.domain`.")
                .heading("OPTIONS");
        options(page, SendmailOption.Treatment.HONOURED);
        page.heading("IGNORED OPTIONS").text("Programs set these options; they have no effect here.");
        options(page, SendmailOption.Treatment.IGNORED);
        page.heading("EXIT STATUS");
        SysExit.MEANINGS.forEach((code, meaning) -> page.entry(Integer.toString(code), List.of(meaning)));
        return page.heading("ENVIRONMENT")
                .entry("SLIPSTREAM_HOME", List.of("The home folder of the server. The default is"
                        + " /var/lib/slipstream where it exists, and ./var otherwise."))
                .entry("NAME", List.of("The sender's full name."))
                .heading("FILES").entry("maildrop/", List.of("In the home folder: messages that the server has not"
                        + " taken. Every user may add files, and none may list them."))
                .heading("SEE ALSO").text("`mailq`(1), `newaliases`(1), `mta`(1)");
    }

    private static void options(RoffPage page, SendmailOption.Treatment treatment) {
        Arrays.stream(SendmailOption.values()).filter(each -> each.treatment() == treatment)
                .forEach(each -> page.entry(each.synopsis(), List.of(each.doc())));
    }
}
