package org.slipstream.cli.host;

import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.order.MailOrder;
import org.slipstream.core.order.OrderForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Orders for the mail of one kind, `suspend` and `resume`, and for all mail, `freeze` and `thaw`. `suspend list` shows
/// what is suspended.
@Command
public final class MailOrderCommand implements MtaAction {
    private static final List<String> KINDS = List.of("destination", "domain", "provider", "sender", "transport",
            "host");

    private record Done(String done, List<String> names) {}

    private final OrderArguments arguments;

    private MailOrderCommand(OrderForm<MailOrder> form) {
        this.arguments = new OrderArguments(form, this, -1);
        if (!isForAll()) {
            arguments.spec().addPositional(PositionalParamSpec.builder().index("0").arity("0..1").type(String.class)
                    .paramLabel("KIND").completionCandidates(KINDS)
                    .description("one of ${COMPLETION-CANDIDATES}; a domain of recipients is a destination").build());
            arguments.spec().addPositional(PositionalParamSpec.builder().index("1").arity("0..1").type(String.class)
                    .paramLabel("NAME").description(
                            "a next hop or domain, an address or `<>`, a transport, or a host as in `destdb list`;"
                                    + " `*` in a domain or an address matches any text")
                    .build());
        }
    }

    private boolean isForAll() {
        return arguments.word().equals("freeze") || arguments.word().equals("thaw");
    }

    public static CommandSpec of(String word) {
        return new MailOrderCommand(OrderForm.of(MailOrder.class, word)).arguments.spec();
    }

    @Override
    public int run(MtaCommand mta) {
        if (isForAll()) {
            AdminClient.order(mta, arguments.word() + PagedRequests.asked(arguments.query(List.of())),
                    () -> new CommandFailure(Exit.NO, "mta: deliveries are not frozen"));
            mta.world().out().println(arguments.did());
            return Exit.DONE;
        }
        String kind = text(0);
        String name = text(1);
        if (kind.isEmpty() || name.isBlank()) {
            throw arguments.wrong("missing parameters: KIND NAME, such as destination example.org");
        }
        if (!KINDS.contains(kind)) {
            throw arguments.wrong("the kinds are " + String.join(", ", KINDS) + ", not \"" + kind + "\"");
        }
        String body = AdminClient.order(mta, "suspensions/" + arguments.word() + "?kind=" + kind + "&name="
                + AdminClient.encoded(name) + arguments.query(List.of()),
                () -> arguments.word().equals("suspend") ? unknownHost(name) : notSuspended(kind + " " + name));
        List<String> names = RecordJson.read(body, Done.class).names();
        names.forEach(each -> mta.world().out().println(arguments.did() + " " + kind + " " + each));
        if (names.size() > 1) {
            mta.world().out().println(names.size() + " hosts have this name or address; a name as in `destdb list`"
                    + " is one of them");
        }
        return Exit.DONE;
    }

    private String text(int position) {
        return Optional.ofNullable(arguments.spec().positionalParameters().get(position).getValue())
                .map(Object::toString).orElse("");
    }

    static CommandFailure unknownHost(String name) {
        return new CommandFailure(Exit.NO, "mta: no known host has this name, and it is not an address: " + name
                + " (mta destdb list shows the known hosts; mta suspend domain " + name
                + " suspends the mail of a domain)");
    }

    static CommandFailure notSuspended(String what) {
        return new CommandFailure(Exit.NO, "mta: not suspended: " + what
                + " (mta suspend list shows what is suspended)");
    }

    @Command(header = "Lists what is suspended, and why.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta suspend list", "  mta suspend list --json | jq '.suspensions[].name'"})
    public static final class SuspensionListing implements MtaAction {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private record Found(List<SuspensionView> suspensions) {}

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "suspensions", json, Found.class, found -> lines(found.suspensions()));
        }
    }

    /// A table of suspensions, or one sentence.
    static List<String> lines(List<SuspensionView> suspensions) {
        if (suspensions.isEmpty()) {
            return List.of("nothing is suspended");
        }
        Instant now = Instant.now();
        Table table = new Table("KIND", "NAME", "SINCE", "FOR", "AUTHOR", "REASON");
        suspensions.forEach(each -> table.add(each.scope(), each.name().isEmpty() ? "-" : each.name(),
                DisplayUnits.age(each.since(), now) + " ago",
                each.until().isEmpty() ? "ever" : DisplayUnits.until(each.until(), now), each.author(),
                each.reason()));
        return table.lines();
    }
}
