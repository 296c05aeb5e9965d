package org.slipstream.cli.suppression;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.SuppressionVerb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

import java.util.List;

/// `suppression add` and `suppression remove`: one command for each verb, made from its form.
@Command
public final class SuppressionOrderCommand implements MtaAction {
    private final OrderArguments arguments;

    record Done(String done, List<String> recipients) {}

    private SuppressionOrderCommand(OrderForm<SuppressionVerb> form) {
        arguments = new OrderArguments(form, this, 0);
    }

    public static CommandSpec of(OrderForm<SuppressionVerb> form) {
        return new SuppressionOrderCommand(form).arguments.spec();
    }

    @Override
    public int run(MtaCommand mta) {
        List<String> recipients = arguments.positional();
        String body = AdminClient.order(mta,
                "suppressions/" + arguments.word() + PagedRequests.asked(arguments.query(recipients)),
                () -> new CommandFailure(Exit.NO, "mta: there is no such suppression of " + recipients.getFirst()
                        + " (mta suppression list shows those that are)"));
        RecordJson.read(body, Done.class).recipients()
                .forEach(each -> mta.world().out().println(arguments.did() + ": " + each));
        return Exit.DONE;
    }
}
