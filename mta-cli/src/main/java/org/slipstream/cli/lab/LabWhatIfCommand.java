package org.slipstream.cli.lab;

import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.cli.lab.Forecast.ForecastReport;
import org.slipstream.config.Config;
import org.slipstream.core.Units;
import org.slipstream.lab.SimulationStoppedException;
import org.slipstream.lab.journal.RecordedTraffic;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// `lab what-if`: the present queue under other settings, in simulated time.
@Command(header = "Forecasts the present queue under other settings.",
        description = "Reads the queue of the running server, or a saved one, and runs it through the queue manager in"
                + " simulated time: with the settings of mta.toml, and with the changed ones. Prints its"
                + " assumptions, when each destination would be done, and the slowest messages."
                + " Nothing is sent, and the server is not changed.",
        exitCodeList = {Exit.DONE_TEXT, " 1:the simulation stopped", Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT,
                Exit.CONFIGURATION_TEXT},
        footer = {"  mta lab what-if --from-live --set queue.lanes-per-destination=50",
                "  mta lab what-if --from-live --save queue.json",
                "  mta lab what-if --from-live --journal var/decisions.jsonl",
                "  mta lab what-if --from queue.json --set queue.lanes=10 --set scheduler.order=fifo"})
public final class LabWhatIfCommand implements MtaAction {
    private static final int PAGE = 1_000;

    private static final class Source {
        @Option(names = "--from-live", description = "the queue of the running server")
        private boolean live;

        @Option(names = "--from", paramLabel = "FILE", description = "a queue that --save has written")
        private Optional<Path> file = Optional.empty();
    }

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "a setting of mta.toml with another value; may be repeated")
    private List<String> changes = List.of();

    @Option(names = "--save", paramLabel = "FILE", description = "also write the queue to this file")
    private Optional<Path> save = Optional.empty();

    @Option(names = "--delivery", paramLabel = "TIME", defaultValue = "300ms",
            description = "duration of a delivery where none was measured (default: 300ms)")
    private String delivery = "";

    @Option(names = "--journal", paramLabel = "FILE",
            description = "the hosts of each next hop, and their replies, are those of the last 24 hours of this decision"
                    + " journal (default: one host, which accepts everything)")
    private Optional<Path> journal = Optional.empty();

    @Option(names = "--json", description = "as JSON: assumptions, destinations, slowest")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        long otherMillis = Units.DURATIONS.parse(delivery).orElseThrow(() -> new ParameterException(
                spec.commandLine(), "--delivery is a time such as 300ms or 2s, not \"" + delivery + "\""));
        Config present = LoadedConfig.read(mta.settings(), List.of());
        Config changed = LoadedConfig.read(mta.settings(), changes);
        LiveQueue queue = source.file.map(LabWhatIfCommand::saved).orElseGet(() -> live(mta));
        save.ifPresent(file -> write(file, RecordJson.write(queue)));
        try {
            ForecastReport report = Forecast.of(queue, present, changed, otherMillis,
                    journal.map(LabWhatIfCommand::recorded));
            if (json) {
                mta.world().out().println(RecordJson.write(report));
            } else {
                print(report, mta.world().out());
            }
            return Exit.DONE;
        } catch (SimulationStoppedException stopped) {
            throw new CommandFailure(Exit.NO, "mta: the simulation stopped: " + stopped.getMessage(), stopped);
        }
    }

    // ---- the queue

    private LiveQueue live(MtaCommand mta) {
        try (AdminClient server = AdminClient.of(mta)) {
            String taken = Instant.now().toString();
            List<MessageView> messages = PagedRequests
                    .of(server, "GET", "queue", "&limit=" + PAGE, QueuePage.class, QueuePage::next)
                    .flatMap(page -> page.messages().stream()).toList();
            Operations.Status status = RecordJson.read(server.ask("GET", "status").orElseThrow(),
                    Operations.Status.class);
            return LiveQueue.of(taken, messages, status.destinations());
        }
    }

    private static LiveQueue saved(Path file) {
        try {
            LiveQueue queue = RecordJson.read(Files.readString(file), LiveQueue.class);
            Instant.parse(queue.taken());
            return queue;
        } catch (JacksonException | DateTimeException damaged) {
            throw new CommandFailure(Exit.USAGE, "mta: " + file
                    + " is no saved queue; write one with --from-live --save", damaged);
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot read " + file + ": " + unreadable.getMessage(),
                    unreadable);
        }
    }

    private static RecordedTraffic recorded(Path file) {
        try {
            return RecordedTraffic.read(file, _ -> {});
        } catch (IOException damaged) {
            throw new CommandFailure(Exit.USAGE, "mta: " + damaged.getMessage(), damaged);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text + "\n");
        } catch (IOException e) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    // ---- the report

    private void print(ForecastReport report, PrintStream out) {
        out.println("Assumptions:");
        report.assumptions().forEach(line -> out.println("  " + line));
        out.println();
        if (report.destinations().isEmpty()) {
            out.println("no message waits");
            return;
        }
        out.println("Done after, with the settings of mta.toml and with "
                + (changes.isEmpty() ? "the same" : String.join(" ", changes)) + ":");
        Table destinations = new Table("DESTINATION", "MESSAGES", "RECIPIENTS", "PRESENT", "CHANGED");
        report.destinations().forEach(each -> destinations.add(each.destination(), Integer.toString(each.messages()),
                Integer.toString(each.recipients()), time(each.presentMillis()), time(each.changedMillis())));
        destinations.lines().forEach(out::println);
        out.println();
        out.println("The slowest messages:");
        Table slowest = new Table("ID", "DESTINATION", "RECIPIENTS", "PRESENT", "CHANGED");
        report.slowest().forEach(each -> slowest.add(each.id(), each.destination(),
                Integer.toString(each.recipients()), time(each.presentMillis()), time(each.changedMillis())));
        slowest.lines().forEach(out::println);
    }

    private static String time(Optional<Long> millis) {
        return millis.map(Duration::ofMillis).map(DisplayUnits::span).orElse("not within 2 days");
    }
}
