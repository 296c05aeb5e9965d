package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.text.Controls;
import org.slipstream.lab.world.WorldHistory;
import org.slipstream.lab.world.WorldHistory.WorldStep;
import org.slipstream.lab.world.WorldPage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// `lab replay-world`: shows what happened in a world that failed.
///
/// A world needs an agent in its JVM and the classes of `mta-world`, which are not part of the package. So
/// this command plays the recorded history, and tells how the sources run the world again.
@Command(header = "Shows what happened in a simulated world, step by step.",
        description = "Reads the file of a failed world (docs/world.md): its plan, what the checker said, and each event"
                + " with its second. The history in the file is played; the last line tells how the world runs again.",
        parameterListHeading = "%n",
        exitCodeList = {Exit.DONE_TEXT, " 1:the file is none of a world", Exit.USAGE_TEXT},
        footer = {"  mta lab replay-world world-13.txt", "  mta lab replay-world world-13.txt --message 7",
                "  mta lab replay-world world-13.txt --from 300 --to 320 --find event=delivery",
                "  mta lab replay-world world-13.txt --page world-13.html    to play it in a browser"})
public final class LabReplayWorldCommand implements MtaAction {
    @Parameters(paramLabel = "FILE", description = "the file of a world")
    private Path file;

    @Option(names = "--message", paramLabel = "N", defaultValue = "0",
            description = "only events that name this message, by the number of its client")
    private int message;

    @Option(names = "--find", paramLabel = "TEXT", defaultValue = "", description = "only events with this text")
    private String text;

    @Option(names = "--from", paramLabel = "SECOND", defaultValue = "0", description = "begin, in the world's time")
    private double from;

    @Option(names = "--to", paramLabel = "SECOND", defaultValue = "1e9", description = "end")
    private double to;

    @Option(names = "--json", description = "as JSON: plan, troubles, events")
    private boolean json;

    @Option(names = "--page", paramLabel = "OUT",
            description = "write the world as a page instead, with a slider and a button that play it: the states of the"
                    + " server and of each message, and the events; the page needs no other file")
    private Optional<Path> page = Optional.empty();

    @Override
    public int run(MtaCommand mta) {
        if (!Files.isRegularFile(file)) {
            throw new CommandFailure(Exit.USAGE, "mta: there is no file " + file);
        }
        try {
            WorldHistory history = read();
            Predicate<WorldStep> chosen = history.choice(from, to, message, text);
            if (page.isPresent()) {
                write(page.get(), WorldPage.of(history, chosen, message, "The world of " + file.getFileName()));
                mta.world().out().println("the world is in " + page.get());
                return Exit.DONE;
            }
            List<WorldStep> events = history.events().stream().filter(chosen).toList();
            if (json) {
                mta.world().out().println(RecordJson.write(new WorldHistory(history.plan(), history.troubles(),
                        events)));
            } else {
                print(history, events, mta.world().out());
            }
            return Exit.DONE;
        } catch (IOException | IllegalArgumentException wrong) {
            throw new CommandFailure(Exit.NO, "mta: " + wrong.getMessage(), wrong);
        }
    }

    private WorldHistory read() throws IOException {
        // Octets that are no UTF-8 are shown as such, as they may be in a log.
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(Files.newInputStream(file),
                StandardCharsets.UTF_8))) {
            return WorldHistory.read(file.toString(), lines);
        }
    }

    private static void write(Path out, String page) {
        try {
            Files.writeString(out, page);
        } catch (IOException refused) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot write " + out + ": " + refused.getMessage(), refused);
        }
    }

    private void print(WorldHistory history, List<WorldStep> events, PrintStream out) {
        out.println("The world: " + Controls.replaced(String.join(", ", history.plan())));
        history.troubles().forEach(each -> lines("The checker: ", each, out));
        out.println();
        events.forEach(each -> lines("%10s  ".formatted(each.second()), each.text(), out));
        out.println();
        out.println(
                events.size() + " of " + history.events().size() + " events. To run the world again, in the sources:");
        out.println("  mvn -q -Pworlds -pl mta-world -am test -DskipTests -Dworlds=\"replay "
                + Controls.replaced(file.toAbsolutePath().toString()) + "\"");
    }

    /// Further lines, of an exception, stand below the text.
    private static void lines(String head, String text, PrintStream out) {
        String indent = "\n" + " ".repeat(head.length());
        out.println(head + String.join(indent, text.lines().map(Controls::replaced).toList()));
    }
}
