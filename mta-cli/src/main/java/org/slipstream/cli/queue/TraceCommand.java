package org.slipstream.cli.queue;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.config.Config;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.text.Controls;
import org.slipstream.spool.history.HistorySearch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// `trace`: the story of a message, also of one that has left the queue. Without a server the command
/// reads the history's files.
@Command(header = "Tells what happened to a message, also after it has left.",
        description = "Several messages are listed in one line each, the latest last. The history reaches back as far"
                + " as [history] keep and size permit. It also works while the server is stopped.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta trace 1p4q0c8k2v0", "  mta trace '<4711@client.example>'",
                "  mta trace bob@example.org --limit 5", "  mta trace @example.org --json"})
public final class TraceCommand implements MtaAction {
    private static final int MOST = 1000;

    @Parameters(paramLabel = "ID|MESSAGE-ID|ADDRESS",
            description = "a queue id, a Message-ID, the address of a sender or recipient, or @domain")
    private String wanted;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20",
            description = "the latest N messages, 1 to 1000 (default: 20)")
    private int limit;

    @Option(names = "--json", description = "as JSON: messages, more, since")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        if (limit < 1 || limit > MOST) {
            throw new ParameterException(spec.commandLine(), "--limit must be a number from 1 to " + MOST);
        }
        boolean isId = QueueId.parse(wanted).isPresent();
        if (!isId && !wanted.contains("@")) {
            throw new ParameterException(spec.commandLine(),
                    "\"" + wanted + "\" is neither a queue id nor a Message-ID nor an address");
        }
        TraceResult found = AdminClient.isRunning(mta.home()) ? ofServer(mta) : ofFiles(mta);
        if (found.messages().isEmpty()) {
            throw new CommandFailure(Exit.NO, "mta: no message " + (isId ? wanted : "of " + wanted)
                    + " is known; " + TraceText.reach(found.since()));
        }
        if (json) {
            mta.world().out().println(RecordJson.write(found));
        } else {
            TraceText.lines(found).stream().map(Controls::replaced).forEach(mta.world().out()::println);
        }
        return Exit.DONE;
    }

    private TraceResult ofServer(MtaCommand mta) {
        try (AdminClient server = AdminClient.of(mta)) {
            return RecordJson.read(server.ask("GET",
                    "trace?of=" + URLEncoder.encode(wanted, StandardCharsets.UTF_8) + "&limit=" + limit).orElseThrow(),
                    TraceResult.class);
        }
    }

    private TraceResult ofFiles(MtaCommand mta) {
        Config config = LoadedConfig.read(mta.settings(), List.of());
        try {
            return HistorySearch.in(config.historyFolder(), config.history(),
                    System.currentTimeMillis()).find(wanted, limit);
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.NO, "mta: the history cannot be read: " + trouble.getMessage(), trouble);
        }
    }
}
