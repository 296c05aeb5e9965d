package org.slipstream.cli.setup;

import org.slipstream.admin.operations.AccountOperations.AccountView;
import org.slipstream.admin.operations.AccountOperations.NetworkView;
import org.slipstream.admin.operations.AccountOperations.RateView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.order.AccountVerb;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// `user show` and `user release`: the mail of users, as the running server has counted it.
@Command
public final class UserMailCommand implements MtaAction {
    private final OrderArguments arguments;

    record AccountViews(List<AccountView> accounts) {}

    /// @param next where the next part of the queue begins
    record Released(boolean suspicious, long messages, Optional<String> next) {}

    private UserMailCommand(OrderForm<AccountVerb> form) {
        arguments = new OrderArguments(form, this, 0);
    }

    public static CommandSpec release() {
        return new UserMailCommand(OrderForm.of(AccountVerb.class, "release")).arguments.spec();
    }

    @Override
    public int run(MtaCommand mta) {
        List<String> name = arguments.positional();
        boolean[] was = new boolean[1];
        long[] messages = new long[1];
        try (AdminClient server = AdminClient.of(mta)) {
            PagedRequests.of(server, "POST", "accounts/" + arguments.word(), arguments.query(name), Released.class,
                    Released::next).forEach(part -> {
                        was[0] |= part.suspicious();
                        messages[0] += part.messages();
                    });
        }
        if (!was[0] && messages[0] == 0) {
            throw new CommandFailure(Exit.NO,
                    "mta: mail of " + Controls.replaced(name.getFirst()) + " is not held (mta user show)");
        }
        mta.world().out().println(Controls.replaced(arguments.did() + ": " + name.getFirst() + ", "
                + DisplayUnits.count(messages[0], "message")));
        return Exit.DONE;
    }

    @Command(header = "Shows what a user or a domain of senders has sent, and whether its mail is held.",
            description = "Without NAME, the users whose mail is unlike before (docs/accounts.md).",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta user show", "  mta user show alice", "  mta user show @shop.example"})
    public static final class AccountShow implements MtaAction {
        @Parameters(paramLabel = "NAME", arity = "0..1", description = "a user, or @ and a domain")
        private String name = "";

        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            String body;
            try (AdminClient server = AdminClient.of(mta)) {
                body = server.ask("GET", "accounts" + (name.isEmpty() ? "" : "?name=" + AdminClient.encoded(name)))
                        .orElseThrow(() -> new CommandFailure(Exit.NO, "mta: no mail of " + Controls.replaced(name)
                                + " was counted"));
            }
            if (json) {
                mta.world().out().println(body);
                return Exit.DONE;
            }
            List<AccountView> accounts = RecordJson.read(body, AccountViews.class).accounts();
            if (accounts.isEmpty()) {
                mta.world().out().println("mail of all users is as before");
            }
            accounts.forEach(each -> print(mta, each));
            return Exit.DONE;
        }

        private static void print(MtaCommand mta, AccountView of) {
            Instant now = Instant.now();
            say(mta, of.name() + ": " + of.state());
            if (!of.reason().isEmpty()) {
                say(mta, "  since " + of.reason());
                say(mta, "  mta user release " + of.name());
            }
            say(mta, "  sent       " + rate(of.minute()) + " in a minute, " + rate(of.hour()) + " in an hour, "
                    + rate(of.day()) + " in a day (recipients)");
            say(mta, "  usual      " + of.busiestHour() + " in the busiest hour of 14 days before");
            say(mta, "  refused    " + of.refused() + " in a day");
            say(mta, "  complaints " + of.complaints() + " in a day");
            say(mta, "  spam       " + of.spam() + " messages in an hour");
            say(mta, "  mail       since " + of.since() + ", the latest " + DisplayUnits.age(of.last(), now) + " ago");
            if (!of.networks().isEmpty()) {
                say(mta, "  networks   " + of.networks().stream().map(NetworkView::network)
                        .collect(Collectors.joining(", ")));
            }
        }

        private static String rate(RateView of) {
            return of.cap() > 0 ? of.recipients() + " of " + of.cap() : Long.toString(of.recipients());
        }

        private static void say(MtaCommand mta, String sentence) {
            mta.world().out().println(Controls.replaced(sentence));
        }
    }
}
