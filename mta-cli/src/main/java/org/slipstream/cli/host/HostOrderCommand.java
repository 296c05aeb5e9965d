package org.slipstream.cli.host;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.OrderForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;

import java.util.List;

/// Orders for hosts, such as `destdb suspend`: one command for each verb, made from its form.
@Command
public final class HostOrderCommand implements MtaAction {
    @Parameters(paramLabel = "HOST", description = "key, address or name; an unknown host only by key or address")
    private String host = "";

    private record Done(String done, List<String> hosts) {}

    private final OrderArguments arguments;

    private HostOrderCommand(OrderForm<HostOrder> form) {
        this.arguments = new OrderArguments(form, this, -1);
    }

    public static CommandSpec of(OrderForm<HostOrder> form) {
        return new HostOrderCommand(form).arguments.spec();
    }

    @Override
    public int run(MtaCommand mta) {
        String body = AdminClient.order(mta, "destdb/" + arguments.word() + "?name=" + AdminClient.encoded(host)
                + arguments.query(List.of()), this::unknown);
        RecordJson.read(body, Done.class).hosts()
                .forEach(each -> mta.world().out().println(arguments.did() + " " + each));
        return Exit.DONE;
    }

    private CommandFailure unknown() {
        return switch (arguments.word()) {
            case "suspend" -> MailOrderCommand.unknownHost(host);
            case "resume" -> MailOrderCommand.notSuspended(host);
            default -> DestdbCommand.unknown(host, "there is nothing to " + arguments.word() + " about");
        };
    }
}
