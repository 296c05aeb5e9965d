package org.slipstream.cli.shard;

import org.slipstream.admin.operations.ShardOperations.ShardView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.ShardOrder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

import java.util.Optional;

/// Orders for shards, such as `shard drain`: one command for each verb, made from its form.
@Command
public final class ShardOrderCommand implements MtaAction {
    private static final String ADD = "add";

    @Option(names = "--json", description = "as the server's JSON")
    private boolean json;

    private record Done(ShardView shard) {}

    private final OrderArguments arguments;
    private final Optional<PositionalParamSpec> number;

    private ShardOrderCommand(OrderForm<ShardOrder> form) {
        this.arguments = new OrderArguments(form, this, 1);
        this.number = form.word().equals(ADD)
                ? Optional.empty()
                : Optional.of(PositionalParamSpec.builder().index("0").arity("1").type(int.class).paramLabel("N")
                        .description("number of the shard").build());
        number.ifPresent(arguments.spec()::addPositional);
    }

    public static CommandSpec of(OrderForm<ShardOrder> form) {
        return new ShardOrderCommand(form).arguments.spec();
    }

    @Override
    public int run(MtaCommand mta) {
        String path = number.map(each -> each.getValue()).map(each -> each + "/").orElse("") + arguments.word()
                + PagedRequests.asked(arguments.query(arguments.positional()));
        String body = AdminClient.order(mta, "shards/" + path, () -> new CommandFailure(Exit.NO,
                "mta: there is no shard " + path.split("/")[0] + " (mta shard list shows the shards)"));
        mta.world().out().println(json ? body : sentence(RecordJson.read(body, Done.class).shard()));
        return Exit.DONE;
    }

    private String sentence(ShardView shard) {
        return "shard " + shard.number() + switch (arguments.word()) {
            case ADD -> " is open in " + shard.folder();
            case "drain" -> shard.state().equals("closed")
                    ? " is drained and closed; " + shard.folder() + " can be removed"
                    : " drains: " + DisplayUnits.count(shard.messages(), "message")
                            + " to move; mta shard list shows the rest";
            case "disable" -> " takes no new mail; its deliveries go on";
            case "move" -> " is " + (shard.owner().isEmpty() ? "free" : "at " + shard.owner())
                    + " and moves; mta cluster status shows the rest";
            case "hold" -> " takes mail and starts no delivery; those under way end";
            case "load" -> " has a load of " + ShardCommand.load(shard) + ": local " + shard.local() + ", remote "
                    + shard.remote() + (shard.byHand() ? " (set by hand)" : " (as measured)");
            default -> " takes mail";
        };
    }
}
