package org.slipstream.cli.events;

import org.slipstream.admin.operations.WebhookOperations.WebhookView;
import org.slipstream.admin.operations.WebhookOperations.WebhooksView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.WebhookVerb;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

import java.util.List;

/// `webhook`: the web servers that get events. The list, and one command for each verb, made from its form.
@Command(header = "Shows and directs the web servers that get events.",
        description = "The settings have a section [webhook.name] for each (docs/events.md).",
        footer = {"  mta webhook list", "  mta webhook test shop", "  mta webhook replay shop --since 2h"})
public final class WebhookCommand implements CommandGroup {
    @Command(header = "Lists the webhooks, with their last answers.",
            description = "WAITING is the time of the event that is tried now. CURSOR is the place behind the last event"
                    + " that the receiver has.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta webhook list", "  mta webhook list --json"})
    public static final class WebhookListing implements MtaAction {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "webhooks", json, WebhooksView.class, WebhookListing::lines);
        }

        private static List<String> lines(WebhooksView found) {
            if (found.webhooks().isEmpty()) {
                return List.of("no webhooks");
            }
            Table table = new Table("NAME", "STATE", "SENT", "FAILURES", "NEXT TRY", "WAITING", "CURSOR",
                    "LAST ANSWER");
            found.webhooks().forEach(each -> table.add(each.name(), each.state(), String.valueOf(each.sent()),
                    String.valueOf(each.failures()), shown(each.nextTry()), shown(each.oldest()), each.cursor(),
                    answer(each)));
            return table.lines();
        }

        private static String shown(String text) {
            return text.isEmpty() ? "-" : text;
        }

        private static String answer(WebhookView each) {
            return Controls.replaced(shown(each.state().equals("paused")
                    ? "paused: " + each.reason()
                    : each.lastAnswer()));
        }
    }

    /// An order for one webhook.
    @Command
    public static final class WebhookOrdering implements MtaAction {
        private final OrderArguments arguments;
        private final PositionalParamSpec name = PositionalParamSpec.builder().index("0").arity("1")
                .type(String.class).paramLabel("NAME").description("the webhook").build();

        private record Done(String webhook, String failure) {}

        private WebhookOrdering(OrderForm<WebhookVerb> form) {
            arguments = new OrderArguments(form, this, -1);
            arguments.spec().addPositional(name);
        }

        public static CommandSpec of(OrderForm<WebhookVerb> form) {
            return new WebhookOrdering(form).arguments.spec();
        }

        @Override
        public int run(MtaCommand mta) {
            String webhook = name.getValue();
            String body = AdminClient.order(mta, "webhooks/" + AdminClient.encoded(webhook) + "/" + arguments.word()
                    + PagedRequests.asked(arguments.query(List.of())),
                    () -> new CommandFailure(Exit.NO, "mta: there is no webhook " + webhook
                            + " (mta webhook list shows them)"));
            Done done = RecordJson.read(body, Done.class);
            if (!done.failure().isEmpty()) {
                throw new CommandFailure(Exit.NO, "mta: " + done.webhook() + ": " + Controls.replaced(done.failure()));
            }
            mta.world().out().println(done.webhook() + " " + arguments.did());
            return Exit.DONE;
        }
    }
}
