package org.slipstream.cli.events;

import org.slipstream.admin.operations.EventOperations.SubscribersView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `events`: the commands that show the event stream of a running server.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Shows what became of each message, for programs.",
        description = "Needs a running server with [events] keep. Each event is a line; with --json-lines it is an object with"
                + " the cursor to go on with. An event may come twice; its id is the same then. docs/events.md describes"
                + " the fields.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
        footer = {"  mta events list --since 1h", "  mta events follow --json-lines --subscriber billing",
                "  mta events subscribers"})
public final class EventsCommand implements CommandGroup {
    private static final int PAGE = 1000;
    private static final int WAIT_SECONDS = 20;
    private static final Pattern AGO = Pattern.compile("(\\d{1,9})(s|m|h|d)");

    /// The place from which events are shown.
    static final class EventPlace {
        @Option(names = "--since", paramLabel = "TIME",
                description = "events from this time on: 90s, 15m, 2h, 7d ago, or 2027-01-31T08:00:00Z")
        private Optional<String> since = Optional.empty();

        @Option(names = "--after", paramLabel = "CURSOR", description = "events behind the one with this cursor")
        private Optional<String> after = Optional.empty();

        @Option(names = "--json-lines", description = "each event as a JSON object in a line")
        private boolean json;

        Optional<String> parameter(CommandSpec spec) {
            if (since.isPresent() && after.isPresent()) {
                throw new ParameterException(spec.commandLine(), "give --since or --after");
            }
            return since.map(text -> "since=" + time(text, spec))
                    .or(() -> after.map(text -> "after=" + AdminClient.encoded(text)));
        }

        private static String time(String text, CommandSpec spec) {
            Matcher ago = AGO.matcher(text);
            if (ago.matches()) {
                Duration back = Duration.parse(ago.group(2).equals("d")
                        ? "P" + ago.group(1) + "D"
                        : "PT" + ago.group(1) + ago.group(2));
                return Clock.systemUTC().instant().minus(back).toString();
            }
            try {
                return Instant.parse(text).toString();
            } catch (DateTimeParseException no) {
                throw new ParameterException(spec.commandLine(),
                        "--since must be such as 15m, 2h, 7d or 2027-01-31T08:00:00Z, not \"" + text + "\"");
            }
        }
    }

    /// The events of an answer, and where to go on.
    private record Part(List<String> events, String next) {
        private static final Pattern HEAD = Pattern.compile("\\{\"next\":\"([0-9._]*)\",\"events\":\\[");

        static Part of(String body) {
            List<String> lines = new ArrayList<>(body.lines().filter(each -> !each.isEmpty()).toList());
            Matcher head = HEAD.matcher(lines.isEmpty() ? "" : lines.removeFirst());
            if (!head.matches()) {
                throw new CommandFailure(Exit.INTERNAL, "mta: the server answered in another form");
            }
            lines.removeLast();
            return new Part(lines.stream().map(each -> each.endsWith(",") ? each.substring(0, each.length() - 1) : each)
                    .toList(), head.group(1));
        }
    }

    private static Part ask(AdminClient server, String parameters) {
        return Part.of(server.ask("GET", "events?limit=" + PAGE + parameters)
                .orElseThrow(() -> new CommandFailure(Exit.NO, "mta: no such subscriber")));
    }

    private static void print(MtaCommand mta, Part part, boolean json) {
        PrintStream out = mta.world().out();
        part.events().forEach(each -> out.println(json ? each : EventText.line(each)));
        out.flush();
    }

    @Command(header = "Lists the events that are there, the oldest first.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta events list --since 1h", "  mta events list --json-lines --after 1.12.4711.1"})
    public static final class EventListing implements MtaAction {
        @Mixin
        private EventPlace start = new EventPlace();

        @Spec
        private CommandSpec spec;

        @Override
        public int run(MtaCommand mta) {
            try (AdminClient server = AdminClient.of(mta)) {
                String from = start.parameter(spec).map(each -> "&" + each).orElse("");
                for (Part part = ask(server, from); !part.events().isEmpty(); part = ask(server,
                        "&after=" + part.next())) {
                    print(mta, part, start.json);
                    if (mta.world().out().checkError()) {
                        return Exit.NO;
                    }
                }
            }
            return Exit.DONE;
        }
    }

    @Command(header = "Shows events as they come, until it is stopped.",
            description = "Without a place it begins behind the latest event. A subscriber has a place that the server"
                    + " stores: the command goes on where it stopped, and the server keeps events until the subscriber"
                    + " has them, up to [events] size. The place is stored when events have been written to the output."
                    + " A program that must not miss one keeps the cursor of the last event it has done, and begins"
                    + " with --after.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta events follow", "  mta events follow --json-lines --subscriber billing",
                    "  mta events follow --json-lines --after 1.12.4711.1"})
    public static final class EventFollowing implements MtaAction {
        @Mixin
        private EventPlace start = new EventPlace();

        @Option(names = "--subscriber", paramLabel = "NAME",
                description = "goes on where the last one of this name stopped; a new one begins with the next event")
        private Optional<String> subscriber = Optional.empty();

        @Spec
        private CommandSpec spec;

        @Override
        public int run(MtaCommand mta) {
            try (AdminClient server = AdminClient.of(mta)) {
                Optional<String> place = start.parameter(spec);
                if (subscriber.isPresent() && place.isEmpty()) {
                    place = Optional.of("subscriber=" + known(server, subscriber.get()));
                }
                String from = place.orElseGet(() -> "since=" + Clock.systemUTC().instant());
                while (true) {
                    Part part = ask(server, "&wait=" + WAIT_SECONDS + "&" + from);
                    print(mta, part, start.json);
                    if (mta.world().out().checkError()) {
                        return Exit.NO;
                    }
                    if (subscriber.isPresent() && !part.events().isEmpty()) {
                        move(server, subscriber.get(), "?after=" + part.next());
                    }
                    from = "after=" + part.next();
                }
            }
        }

        private static String known(AdminClient server, String name) {
            boolean there = RecordJson
                    .read(server.ask("GET", "events/subscribers").orElseThrow(), SubscribersView.class).subscribers()
                    .stream().anyMatch(each -> each.name().equals(name));
            if (!there) {
                move(server, name, "");
            }
            return AdminClient.encoded(name);
        }

        private static void move(AdminClient server, String name, String query) {
            server.ask("POST", "events/subscribers/" + AdminClient.encoded(name) + "/move" + query);
        }
    }

    @Command(header = "Lists the subscribers, or forgets one of them.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta events subscribers", "  mta events subscribers --forget billing"})
    public static final class EventSubscribers implements MtaAction {
        @Option(names = "--json", description = "as JSON")
        private boolean json;

        @Option(names = "--forget", paramLabel = "NAME",
                description = "ends this subscription; events no longer wait for it")
        private Optional<String> forgotten = Optional.empty();

        @Override
        public int run(MtaCommand mta) {
            if (forgotten.isPresent()) {
                String name = forgotten.get();
                AdminClient.order(mta, "events/subscribers/" + AdminClient.encoded(name) + "/forget",
                        () -> new CommandFailure(Exit.NO, "mta: no such subscriber: " + name));
                return Exit.DONE;
            }
            return AdminClient.show(mta, "events/subscribers", json, SubscribersView.class, EventSubscribers::lines);
        }

        private static List<String> lines(SubscribersView found) {
            if (found.subscribers().isEmpty()) {
                return List.of("no subscribers");
            }
            Table table = new Table("NAME", "CURSOR");
            found.subscribers().forEach(each -> table.add(each.name(), each.cursor()));
            return table.lines();
        }
    }
}
