package org.slipstream.cli.host;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Version;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.OrderForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.Callable;

/// Orders for hosts, such as `destdb suspend`: one command for each verb, made from its form.
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class)
public final class HostOrderCommand implements Callable<Integer> {
    @Parameters(paramLabel = "HOST", description = "key, address or name; an unknown host only by key or address")
    private String host = "";

    private record Done(String done, List<String> hosts) {}

    private final MtaCommand mta;
    private final OrderForm<HostOrder> form;
    private final OrderArguments arguments;

    private HostOrderCommand(OrderForm<HostOrder> form, MtaCommand mta) {
        this.mta = mta;
        this.form = form;
        this.arguments = new OrderArguments(form, this, -1);
    }

    public static CommandSpec of(String word, MtaCommand mta) {
        return new HostOrderCommand(OrderForm.of(HostOrder.class, word), mta).arguments.spec();
    }

    @Override
    public Integer call() {
        String query = "?name=" + AdminClient.encoded(host) + arguments.query(List.of());
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("POST", "destdb/" + form.word() + query).orElseThrow(this::unknown);
            RecordJson.read(body, Done.class).hosts()
                    .forEach(each -> mta.world().out().println(form.verb().did() + " " + each));
        }
        return Exit.DONE;
    }

    private CommandFailure unknown() {
        return switch (form.word()) {
            case "suspend" -> MailOrderCommand.unknownHost(host);
            case "resume" -> new CommandFailure(Exit.NO, "mta: not suspended: " + host
                    + " (mta suspend list shows what is suspended)");
            default -> DestdbCommand.unknown(host, "there is nothing to " + form.word() + " about");
        };
    }
}
