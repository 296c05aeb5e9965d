package org.slipstream.cli.host;

import org.slipstream.admin.operations.SourceOperations.SourceProviderView;
import org.slipstream.admin.operations.SourceOperations.SourceView;
import org.slipstream.admin.operations.SourceOperations.SourcesView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.SourceVerb;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

import java.util.List;

/// `source`: the addresses from which mail leaves. The list, and one command for each verb, made from its form.
@Command(header = "Shows and directs the sources of outgoing connections.",
        description = "The settings have a section [source.name] for each (docs/sources.md).",
        footer = {"  mta source list", "  mta source suspend out-a --reason 'delisting asked for' --for 12h",
                "  mta source resume out-a"})
public final class SourceCommand implements CommandGroup {
    @Command(header = "Lists the sources, with their suspensions and their warm-up.",
            description = "DAY is that of the warm-up, and LIMIT the messages to each provider on it. Below a source"
                    + " stand the providers to which it sent today in its warm-up, or for which it is suspended.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta source list", "  mta source list --json"})
    public static final class SourceListing implements MtaAction {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "sources", json, SourcesView.class, SourceListing::lines);
        }

        private static List<String> lines(SourcesView found) {
            if (found.sources().isEmpty()) {
                return List.of("no sources");
            }
            Table table = new Table("SOURCE", "STATE", "POOLS", "ADDRESSES", "EHLO", "DAY", "LIMIT", "USED", "LEFT",
                    "DELIVERIES", "REASON");
            for (SourceView each : found.sources()) {
                table.add(each.name(), each.state(), joined(each.pools()), joined(each.addresses()), each.hostname(),
                        each.day() == 0 ? "-" : String.valueOf(each.day()), number(each.limit()), "-", "-",
                        String.valueOf(each.deliveries()), reason(each.until(), each.reason()));
                for (SourceProviderView one : each.providers()) {
                    table.add("  " + one.provider(), one.state(), "", "", "", "", "", String.valueOf(one.used()),
                            number(one.left()), "", reason(one.until(), one.reason()));
                }
            }
            return table.lines();
        }

        private static String joined(List<String> words) {
            return words.isEmpty() ? "-" : String.join(",", words);
        }

        private static String number(long number) {
            return number < 0 ? "-" : String.valueOf(number);
        }

        private static String reason(String until, String reason) {
            return reason.isEmpty()
                    ? "-"
                    : Controls.replaced((until.isEmpty() ? "" : "until " + until + ", ") + reason);
        }
    }

    /// An order for one source.
    @Command
    public static final class SourceOrdering implements MtaAction {
        private final OrderArguments arguments;
        private final PositionalParamSpec name = PositionalParamSpec.builder().index("0").arity("1")
                .type(String.class).paramLabel("SOURCE").description("the source").build();

        private SourceOrdering(OrderForm<SourceVerb> form) {
            arguments = new OrderArguments(form, this, -1);
            arguments.spec().addPositional(name);
        }

        public static CommandSpec of(OrderForm<SourceVerb> form) {
            return new SourceOrdering(form).arguments.spec();
        }

        @Override
        public int run(MtaCommand mta) {
            String source = name.getValue();
            AdminClient.order(mta, "sources/" + AdminClient.encoded(source) + "/" + arguments.word()
                    + PagedRequests.asked(arguments.query(List.of())),
                    () -> new CommandFailure(Exit.NO, "mta: there is no source " + source
                            + (arguments.word().equals("resume") ? ", or it is not suspended" : "")
                            + " (mta source list shows them)"));
            mta.world().out().println(source + " " + arguments.did());
            return Exit.DONE;
        }
    }
}
