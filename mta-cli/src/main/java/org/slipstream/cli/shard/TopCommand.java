package org.slipstream.cli.shard;

import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;

/// `top`: the load of the running server, refreshed.
@Command(header = "Shows the load of the running server, of its shards, and its busiest destinations, refreshed.",
        description = "The letter q or Ctrl-C ends it. Without a terminal, frames are printed below each other.",
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
        footer = {"  mta top", "  mta top --once --rows 5", "  mta top --interval 10 --count 6 > load.txt"})
public final class TopCommand implements MtaAction {
    private static final long SLICE_MILLIS = 100;

    @Option(names = "--interval", paramLabel = "SECONDS", defaultValue = "2",
            description = "time between two frames, 1 to 3600 (default: 2)")
    private int seconds;

    @Option(names = "--count", paramLabel = "N", defaultValue = "0",
            description = "end after N frames (default: never)")
    private int count;

    @Option(names = "--once", description = "one frame, as --count 1")
    private boolean once;

    @Option(names = "--rows", paramLabel = "N", defaultValue = "0",
            description = "at most N destinations (default: as many as the terminal has lines, or 20)")
    private int rows;

    @Option(names = "--json", description = "each frame as the server's JSON, one a line")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) throws IOException, InterruptedException {
        if (seconds < 1 || seconds > 3600 || count < 0 || rows < 0) {
            throw new ParameterException(spec.commandLine(),
                    "--interval is 1 to 3600 seconds, --count and --rows are 0 or more");
        }
        int most = once ? 1 : count;
        try (AdminClient server = AdminClient.of(mta);
                TopTerminal terminal = TopTerminal.of(mta.world(), json || most == 1)) {
            Optional<Activity> before = Optional.empty();
            for (int frame = 1;; frame++) {
                String body = server.ask("GET", "destinations").orElseThrow();
                Activity now = RecordJson.read(body, Activity.class);
                show(mta, terminal, body, now, before);
                before = Optional.of(now);
                if (frame == most || !pause(terminal)) {
                    return Exit.DONE;
                }
            }
        }
    }

    private void show(MtaCommand mta, TopTerminal terminal, String body, Activity now, Optional<Activity> before) {
        PrintStream out = mta.world().out();
        if (json) {
            out.println(body);
            return;
        }
        TopTerminal.Size size = terminal.size();
        TopFrame frame = new TopFrame(now, before);
        int shown = rows > 0 ? rows : Math.max(1, size.lines() - frame.headLines() - 1);
        terminal.frame(frame.lines(shown, size.columns()));
    }

    /// False when the user wants to end.
    private boolean pause(TopTerminal terminal) throws IOException, InterruptedException {
        for (long waited = 0; waited < seconds * 1000L; waited += SLICE_MILLIS) {
            if (terminal.isQuit()) {
                return false;
            }
            Thread.sleep(SLICE_MILLIS);
        }
        return true;
    }
}
