package org.slipstream.cli.host;

import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.HostOperations.Hosts;
import org.slipstream.admin.operations.HostOperations.StateView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintStream;
import java.time.Instant;
import java.util.List;

/// `destdb`: the server's knowledge about remote hosts. This class has the commands that show,
/// [HostOrderCommand] those that change.
@Command(header = "Shows and changes what the server knows about remote hosts.",
        description = "A host is given as in `destdb list`, by its address, or by its name.",
        footer = {"  mta destdb list", "  mta destdb suspend mx.example.org --reason 'their disk is full' --for 2h",
                "  mta destdb resume mx.example.org"})
public final class DestdbCommand implements CommandGroup {
    private static final String LMTP = "[lmtp:";

    static CommandFailure unknown(String host, String what) {
        return new CommandFailure(Exit.NO, "mta: " + what + " " + host + " (mta destdb list shows the known hosts)");
    }

    @Command(header = "Lists the known hosts, and why some are not tried.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta destdb list", "  mta destdb list --json | jq '.hosts[].host'"})
    public static final class HostListing implements MtaAction {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "destdb", json, Hosts.class, HostListing::lines);
        }

        private static List<String> lines(Hosts known) {
            if (known.hosts().isEmpty()) {
                return List.of("no host is known");
            }
            Instant now = Instant.now();
            Table table = new Table("HOST", "STATE", "FOR", "CONNECTIONS", "QUEUED", "WHY");
            for (HostView host : known.hosts()) {
                int queued = host.connections().stream().mapToInt(each -> each.queued()).sum();
                String connections = Integer.toString(host.connections().size());
                for (StateView state : host.states()) {
                    table.add(nameOf(host), state.state(), until(state, now), connections,
                            Integer.toString(queued), why(state));
                }
            }
            return table.lines();
        }
    }

    @Command(header = "Shows a host with each of its connections.",
            footer = {"  mta destdb show mx.example.org", "  mta destdb show '[192.0.2.1]:25/may'"})
    public static final class Show implements MtaAction {
        @Parameters(paramLabel = "HOST", description = "key, address or name")
        private String host;

        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private record Found(List<HostView> hosts) {}

        @Override
        public int run(MtaCommand mta) {
            try (AdminClient server = AdminClient.of(mta)) {
                String body = server.ask("GET", "destdb/host?name=" + AdminClient.encoded(host))
                        .orElseThrow(() -> unknown(host, "nothing is known about"));
                if (json) {
                    mta.world().out().println(body);
                } else {
                    RecordJson.read(body, Found.class).hosts().forEach(each -> print(each, mta.world().out()));
                }
            }
            return Exit.DONE;
        }

        private static void print(HostView host, PrintStream out) {
            Instant now = Instant.now();
            Table facts = new Table("host", nameOf(host));
            for (StateView state : host.states()) {
                facts.add(state.state(), why(state));
                addMoment(facts, "  since", state.since(), now);
                if (!state.until().isEmpty()) {
                    facts.add("  until", state.until() + " (" + DisplayUnits.until(state.until(), now) + ")");
                }
            }
            facts.lines().forEach(out::println);
            if (!host.connections().isEmpty()) {
                out.println();
                Table table = new Table("CONNECTION", "STATE", "QUEUED", "DEPTH", "ANSWERED", "AGE", "DESTINATIONS");
                host.connections().forEach(c -> table.add(Long.toString(c.number()), c.state(),
                        Integer.toString(c.queued()), Integer.toString(c.depth()), Long.toString(c.answered()),
                        DisplayUnits.age(c.opened(), now), String.join(", ", c.destinations())));
                table.lines().forEach(out::println);
            }
            out.println();
        }

        private static void addMoment(Table facts, String name, String moment, Instant now) {
            if (!moment.isEmpty()) {
                facts.add(name, moment + " (" + DisplayUnits.age(moment, now) + " ago)");
            }
        }
    }

    /// The form of the log: `mx.example.org[192.0.2.1]:25/may`. A host without a name has only its
    /// address.
    public static String nameOf(HostView host) {
        if (host.host().startsWith(LMTP)) {
            return host.host().substring(1, host.host().lastIndexOf(']'));
        }
        return host.host().startsWith("[" + host.name() + "]") ? host.host() : host.name() + host.host();
    }

    private static String until(StateView state, Instant now) {
        if (state.state().equals("suspended") && state.until().isEmpty()) {
            return "ever";
        }
        return state.until().isEmpty() ? "-" : DisplayUnits.until(state.until(), now);
    }

    private static String why(StateView state) {
        String times = state.failures() > 1 ? " (" + state.failures() + " times)" : "";
        return state.reason() + times + (state.author().isEmpty() ? "" : " (" + state.author() + ")");
    }
}
