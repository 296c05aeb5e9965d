package org.slipstream.cli.queue;

import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.Operations.RecipientView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MissingShards;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.text.Controls;
import org.slipstream.local.maildrop.MaildropFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/// `mailq`: the queue in the format of Postfix, which monitoring programs read.
@Command(header = "Lists the queue in the format of Postfix.",
        description = "A message that is being delivered is marked with *, and one on hold with !. mta queue list shows"
                + " more.",
        exitCodeList = {Exit.DONE_TEXT, MissingShards.EXIT_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
        footer = "  mta mailq | tail -n 1")
public final class MailqCommand implements MtaAction {
    private static final int PAGE = 1000;
    private static final String HEADING = "-Queue ID-  --Size-- ----Arrival Time---- -Sender/Recipient-------";
    private static final String REASON_END = " ".repeat(76);
    private static final DateTimeFormatter ARRIVAL = DateTimeFormatter.ofPattern("EEE MMM d HH:mm:ss", Locale.ENGLISH);

    @Option(names = "--json", description = "the pages of the server's JSON, one a line: messages, next, total")
    private boolean json;

    private long messages;
    private long bytes;

    @Override
    public int run(MtaCommand mta) {
        try (AdminClient server = AdminClient.of(mta)) {
            return list(mta, server);
        } catch (CommandFailure failure) {
            if (failure.exit() != Exit.UNREACHABLE || AdminClient.isRunning(mta.home())) {
                throw failure;
            }
            throw new CommandFailure(Exit.UNREACHABLE, "mailq: the mail system is down" + waiting(mta)
                    + System.lineSeparator() + failure.getMessage(), failure);
        }
    }

    private String waiting(MtaCommand mta) {
        return MaildropFolder.in(mta.home()).waiting()
                .map(count -> "; " + DisplayUnits.count(count, "message") + " in the maildrop").orElse("");
    }

    private int list(MtaCommand mta, AdminClient server) {
        PrintStream out = mta.world().out();
        Optional<String> after = Optional.of("");
        int exit = Exit.DONE;
        while (after.isPresent()) {
            String body = server.ask("GET", "queue?limit=" + PAGE + after.get()).orElseThrow();
            QueuePage page = RecordJson.read(body, QueuePage.class);
            if (json) {
                out.println(body.strip());
            } else {
                page.messages().forEach(message -> print(message, out));
            }
            exit = Math.max(exit, MissingShards.tell(mta, page.faults()));
            after = page.next().map(id -> "&after=" + id);
        }
        if (!json) {
            out.println(messages == 0 ? "Mail queue is empty" : summary());
        }
        return exit;
    }

    private String summary() {
        return "-- " + bytes / 1024 + " Kbytes in " + messages + " Request" + (messages == 1 ? "." : "s.");
    }

    private void print(MessageView message, PrintStream out) {
        if (messages == 0) {
            out.println(HEADING);
        }
        messages++;
        bytes += message.sizeBytes();
        String mark = switch (message.state()) {
            case "active" -> "*";
            case "held" -> "!";
            default -> "";
        };
        String sender = message.sender().isEmpty() ? "MAILER-DAEMON" : message.sender();
        out.printf("%-12s %7d %s  %s%n", message.id() + mark, message.sizeBytes(), arrival(message.created()),
                Controls.replaced(sender));
        message.recipients().stream().filter(each -> each.state().equals("open")).forEach(each -> print(each, out));
        out.println();
    }

    /// Like asctime(3): `Mon Nov  3 06:30:00`.
    private static String arrival(String created) {
        String time = ARRIVAL.format(Instant.parse(created).atZone(ZoneId.systemDefault()));
        String[] words = time.split(" ");
        return "%s %s %2s %s".formatted(words[0], words[1], words[2], words[3]);
    }

    private static void print(RecipientView recipient, PrintStream out) {
        if (!recipient.lastReply().isEmpty()) {
            String reason = "(" + Controls.onOneLine(recipient.lastReply()).replaceAll(" +", " ") + ")";
            out.println(REASON_END.substring(Math.min(reason.length(), REASON_END.length())) + reason);
        }
        out.println(" ".repeat(42) + Controls.replaced(recipient.address()));
    }
}
