package org.slipstream.cli.queue;

import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

import java.util.List;

/// Orders for messages, such as `queue hold`: one command for each verb, made from its form.
@Command
public final class MessageOrderCommand implements MtaAction {
    @Mixin
    private QueueSweep sweep;

    @Option(names = "--all", description = "all messages that are in the queue now")
    private boolean all;

    private final OrderForm<MessageOrder> form;
    private final OrderArguments arguments;

    private MessageOrderCommand(OrderForm<MessageOrder> form) {
        this.form = form;
        this.arguments = new OrderArguments(form, this, -1);
        if (needsConsent()) {
            arguments.spec().addOption(
                    OptionSpec.builder("--yes").type(boolean.class).description("confirms --all").build());
        }
    }

    public static CommandSpec of(OrderForm<MessageOrder> form) {
        return new MessageOrderCommand(form).arguments.spec();
    }

    private boolean needsConsent() {
        return !form.verb().ofAll().isEmpty();
    }

    @Override
    public int run(MtaCommand mta) {
        List<String> first = form.parts().stream().filter(part -> part.argument().positional())
                .flatMap(_ -> sweep.takeFirst().stream()).toList();
        String query = arguments.query(first);
        CommandSpec spec = arguments.spec();
        sweep.check(spec, all);
        if (all && needsConsent() && !sweep.isDryRun() && !arguments.isGiven("--yes")) {
            throw new ParameterException(spec.commandLine(),
                    "--all " + form.verb().ofAll() + "; confirm it with --yes");
        }
        return sweep.give(mta, spec, form.word(), query, form.did(first.isEmpty() ? "" : first.getFirst()));
    }
}
