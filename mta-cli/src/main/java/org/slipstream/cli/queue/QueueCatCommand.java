package org.slipstream.cli.queue;

import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.Ids;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.QueueId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// `queue cat`: the content of a queued message, as Postfix's `postcat` prints it.
///
/// The content goes through a temporary file of the owner, so that a reader that pauses, such as a
/// pager, does not keep a connection of the server waiting.
@Command(header = "Prints a queued message: header and body as they lie in the spool.",
        description = "Header and body can also be read while the server is stopped.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT, Exit.CANNOT_START_TEXT,
                Exit.CONFIGURATION_TEXT},
        footer = {"  mta queue cat 1p4q0c8k2v0 > message.eml", "  mta queue cat --headers 1p4q0c8k2v0",
                "  mta queue cat --envelope 1p4q0c8k2v0"})
public final class QueueCatCommand implements MtaAction {
    @Parameters(paramLabel = "ID", description = "as in `queue list`")
    private String id;

    @Option(names = "--headers", description = "only the header")
    private boolean headers;

    @Option(names = "--body", description = "only the body")
    private boolean body;

    @Option(names = "--envelope", description = "only the envelope: sender, recipients, submitter")
    private boolean envelope;

    @Option(names = "--json", description = "the envelope as the server's JSON")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) throws IOException {
        QueueId queueId = Ids.of(spec, id);
        boolean running = AdminClient.isRunning(mta.home());
        if (json || envelope) {
            try (AdminClient server = AdminClient.of(mta)) {
                printEnvelope(mta, server, queueId);
            }
        }
        if (headers || body || !(json || envelope)) {
            printContent(mta, queueId,
                    running ? out -> ofServer(mta, out) : out -> SpoolMessage.write(mta, queueId, out));
        }
        return Exit.DONE;
    }

    private interface MessageSource {
        /// @return false when there is no such message
        boolean writeTo(OutputStream out);
    }

    private boolean ofServer(MtaCommand mta, OutputStream out) {
        try (AdminClient server = AdminClient.of(mta)) {
            return server.fetch("queue/" + Ids.of(spec, id) + "/content", out);
        }
    }

    private void printEnvelope(MtaCommand mta, AdminClient server, QueueId queueId) {
        String view = server.ask("GET", "queue/" + queueId).orElseThrow(() -> none(queueId));
        if (json) {
            mta.world().out().println(view);
            return;
        }
        MessageView message = RecordJson.read(view, MessageView.class);
        Table facts = new Table("queue_id", message.id());
        facts.add("message_arrival_time", message.created());
        facts.add("message_size", Long.toString(message.sizeBytes()));
        facts.add("submitted", TraceText.submitter(message.submitter()));
        facts.add("message-id", message.submitter().messageId());
        facts.add("sender", message.sender());
        message.recipients().forEach(each -> facts.add(
                each.state().equals("open") ? "recipient" : "done_recipient", each.address()));
        facts.lines().forEach(mta.world().out()::println);
    }

    private void printContent(MtaCommand mta, QueueId queueId, MessageSource source) throws IOException {
        Path file = Files.createTempFile("mta-message-", ".eml");
        try (FileChannel content = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE)) {
            if (!source.writeTo(Channels.newOutputStream(content))) {
                throw none(queueId);
            }
            content.position(0);
            InputStream in = new BufferedInputStream(Channels.newInputStream(content));
            OutputStream out = mta.world().out();
            if (headers == body) {
                in.transferTo(out);
            } else {
                skipOrPrintHeader(in, headers ? out : OutputStream.nullOutputStream());
                if (body) {
                    in.transferTo(out);
                }
            }
            out.flush();
        }
    }

    /// Reads up to the empty line, which belongs to neither part.
    private static void skipOrPrintHeader(InputStream in, OutputStream out) throws IOException {
        boolean lineIsEmpty = true;
        for (int octet = in.read(); octet >= 0; octet = in.read()) {
            if (octet == '\r' && lineIsEmpty) {
                in.mark(1);
                if (in.read() == '\n') {
                    return;
                }
                in.reset();
            } else if (octet == '\n' && lineIsEmpty) {
                return;
            }
            lineIsEmpty = octet == '\n';
            out.write(octet);
        }
    }

    private static CommandFailure none(QueueId queueId) {
        return new CommandFailure(Exit.NO, "mta: there is no message " + queueId
                + " in the queue (mta trace " + queueId + " knows mail that has left)");
    }
}
