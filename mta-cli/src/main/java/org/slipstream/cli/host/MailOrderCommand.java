package org.slipstream.cli.host;

import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.cli.frame.Version;
import org.slipstream.core.order.MailOrder;
import org.slipstream.core.order.OrderForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/// Orders for the mail of one kind, `suspend` and `resume`, and for all mail, `freeze` and `thaw`. `suspend list` shows
/// what is suspended.
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class)
public final class MailOrderCommand implements Callable<Integer> {
    private static final List<String> KINDS = List.of("destination", "domain", "sender", "transport", "host");
    private static final String SUSPEND = "suspend";

    private record Done(String done, List<String> names) {}

    private final MtaCommand mta;
    private final OrderForm<MailOrder> form;
    private final OrderArguments arguments;
    private final Optional<PositionalParamSpec> kind;
    private final Optional<PositionalParamSpec> name;

    private MailOrderCommand(OrderForm<MailOrder> form, MtaCommand mta) {
        this.mta = mta;
        this.form = form;
        this.arguments = new OrderArguments(form, this, -1);
        boolean isForAll = form.word().equals("freeze") || form.word().equals("thaw");
        this.kind = isForAll
                ? Optional.empty()
                : Optional.of(PositionalParamSpec.builder().index("0").arity("0..1")
                        .type(String.class).paramLabel("KIND").completionCandidates(KINDS)
                        .description("one of ${COMPLETION-CANDIDATES}; a domain of recipients is a destination")
                        .build());
        this.name = isForAll
                ? Optional.empty()
                : Optional.of(PositionalParamSpec.builder().index("1").arity("0..1")
                        .type(String.class).paramLabel("NAME")
                        .description(
                                "a next hop or domain, an address or `<>`, a transport, or a host as in `destdb list`;"
                                        + " `*` in a domain or an address matches any text")
                        .build());
        kind.ifPresent(arguments.spec()::addPositional);
        name.ifPresent(arguments.spec()::addPositional);
    }

    public static CommandSpec of(String word, MtaCommand mta) {
        return new MailOrderCommand(OrderForm.of(MailOrder.class, word), mta).arguments.spec();
    }

    @Override
    public Integer call() {
        if (kind.isEmpty()) {
            ask(form.word() + PagedRequests.asked(arguments.query(List.of())),
                    new CommandFailure(Exit.NO, "mta: deliveries are not frozen"));
            mta.world().out().println(form.verb().did());
            return Exit.DONE;
        }
        String ofKind = text(kind);
        String named = text(name);
        if (ofKind.isEmpty() || named.isBlank()) {
            throw arguments.wrong("missing parameters: KIND NAME, such as destination example.org");
        }
        if (!KINDS.contains(ofKind)) {
            throw arguments.wrong("the kinds are " + String.join(", ", KINDS) + ", not \"" + ofKind + "\"");
        }
        String body = ask("suspensions/" + form.word() + "?kind=" + ofKind + "&name=" + AdminClient.encoded(named)
                + arguments.query(List.of()),
                form.word().equals(SUSPEND)
                        ? unknownHost(named)
                        : new CommandFailure(Exit.NO, "mta: not suspended: " + ofKind + " " + named
                                + " (mta suspend list shows what is suspended)"));
        List<String> names = RecordJson.read(body, Done.class).names();
        names.forEach(each -> mta.world().out().println(form.verb().did() + " " + ofKind + " " + each));
        if (names.size() > 1) {
            mta.world().out().println(names.size() + " hosts have this name or address; a name as in `destdb list`"
                    + " is one of them");
        }
        return Exit.DONE;
    }

    private String ask(String path, CommandFailure unknown) {
        try (AdminClient server = AdminClient.of(mta)) {
            return server.ask("POST", path).orElseThrow(() -> unknown);
        }
    }

    private static String text(Optional<PositionalParamSpec> parameter) {
        return parameter.map(each -> each.getValue()).map(Object::toString).orElse("");
    }

    static CommandFailure unknownHost(String name) {
        return new CommandFailure(Exit.NO, "mta: no known host has this name, and it is not an address: " + name
                + " (mta destdb list shows the known hosts; mta suspend domain " + name
                + " suspends the mail of a domain)");
    }

    @Command(name = "list", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Lists what is suspended, and why.", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {
                    "  mta suspend list", "  mta suspend list --json | jq '.suspensions[].name'"})
    public static final class SuspensionListing implements Callable<Integer> {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private final MtaCommand mta;

        public SuspensionListing(MtaCommand mta) {
            this.mta = mta;
        }

        private record Found(List<SuspensionView> suspensions) {}

        @Override
        public Integer call() {
            try (AdminClient server = AdminClient.of(mta)) {
                String body = server.ask("GET", "suspensions").orElseThrow();
                if (json) {
                    mta.world().out().println(body);
                } else {
                    lines(RecordJson.read(body, Found.class).suspensions()).forEach(mta.world().out()::println);
                }
            }
            return Exit.DONE;
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
