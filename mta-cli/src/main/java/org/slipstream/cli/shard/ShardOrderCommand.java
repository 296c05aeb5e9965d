package org.slipstream.cli.shard;

import org.slipstream.admin.operations.ShardOperations.ShardView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.concurrent.Callable;
import java.util.function.Function;

/// Orders for shards: `shard add`, `drain`, `enable`, `disable` and `load`.
public final class ShardOrderCommand {
    private static final String FORCE_TEXT = "also when no other shard takes mail; new mail is answered with 451 then";

    private ShardOrderCommand() {}

    private record Done(ShardView shard) {}

    /// The options of each order.
    static final class ShardOrderOptions {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;
    }

    private static int give(MtaCommand mta, ShardOrderOptions options, String path,
            Function<ShardView, String> sentence) {
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("POST", "shards/" + path).orElseThrow(() -> new CommandFailure(Exit.NO,
                    "mta: there is no shard " + path.split("/")[0] + " (mta shard list shows the shards)"));
            mta.world().out().println(options.json
                    ? body
                    : sentence.apply(RecordJson.read(body, Done.class).shard()));
        }
        return Exit.DONE;
    }

    private static String forced(boolean force) {
        return force ? "?force=true" : "";
    }

    @Command(name = "add", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Opens one more shard.", descriptionHeading = "%n",
            description = "It takes new mail at once. Mail that is queued stays where it is. `shard.maximum` is the"
                    + " limit, in each mode of `shard.mode`.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta shard add"})
    public static final class ShardAdd implements Callable<Integer> {
        @Mixin
        private ShardOrderOptions options;

        private final MtaCommand mta;

        public ShardAdd(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, options, "add", shard -> "shard " + shard.number() + " is open in " + shard.folder());
        }
    }

    @Command(name = "drain", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Moves the mail of a shard to the others and closes it.", descriptionHeading = "%n",
            description = "It takes no new mail. Deliveries in progress are finished. When `shard list` shows it as"
                    + " closed, its folder can be removed. The shard with the smallest number cannot be drained,"
                    + " because its spool keeps the records of hosts and the suspensions.",
            parameterListHeading = "%nParameters:%n", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta shard drain 2", "  mta shard list"})
    public static final class ShardDrain implements Callable<Integer> {
        @Parameters(paramLabel = "N", description = "number of the shard")
        private int number;

        @Option(names = "--force", description = FORCE_TEXT)
        private boolean force;

        @Mixin
        private ShardOrderOptions options;

        private final MtaCommand mta;

        public ShardDrain(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, options, number + "/drain" + forced(force), shard -> "shard " + number
                    + (shard.state().equals("closed")
                            ? " is drained and closed; " + shard.folder() + " can be removed"
                            : " drains: " + DisplayUnits.count(shard.messages(), "message")
                                    + " to move; mta shard list shows the rest"));
        }
    }

    @Command(name = "disable", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "A shard takes no new mail; its deliveries go on.", descriptionHeading = "%n",
            description = "A restart keeps it disabled. `enable` ends that.",
            parameterListHeading = "%nParameters:%n", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta shard disable 2"})
    public static final class ShardDisable implements Callable<Integer> {
        @Parameters(paramLabel = "N", description = "number of the shard")
        private int number;

        @Option(names = "--force", description = FORCE_TEXT)
        private boolean force;

        @Mixin
        private ShardOrderOptions options;

        private final MtaCommand mta;

        public ShardDisable(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, options, number + "/disable" + forced(force),
                    _ -> "shard " + number + " takes no new mail; its deliveries go on");
        }
    }

    @Command(name = "enable", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "A shard that was disabled or drained takes mail again.",
            parameterListHeading = "%nParameters:%n", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta shard enable 2"})
    public static final class ShardEnable implements Callable<Integer> {
        @Parameters(paramLabel = "N", description = "number of the shard")
        private int number;

        @Mixin
        private ShardOrderOptions options;

        private final MtaCommand mta;

        public ShardEnable(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, options, number + "/enable", _ -> "shard " + number + " takes mail");
        }
    }

    @Command(name = "load", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Sets the load of a shard by hand, or measures it again.", descriptionHeading = "%n",
            description = "Placement of new mail and the growth of `dynamic` mode use it; limits of deliveries do not"
                    + " change. It ends with `auto` or with the process.",
            parameterListHeading = "%nParameters:%n", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta shard load 2 2/10 5/20",
                    "  mta shard load 2 90", "  mta shard load 2 auto"})
    public static final class ShardLoadCommand implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "N", description = "number of the shard")
        private int number;

        @Parameters(index = "1", paramLabel = "LOCAL",
                description = "use and limit such as 2/10, a percentage such as 45, or auto: as measured")
        private String local;

        @Parameters(index = "2", arity = "0..1", paramLabel = "REMOTE", description = "the same; without it as LOCAL")
        private String remote = "";

        @Mixin
        private ShardOrderOptions options;

        private final MtaCommand mta;

        public ShardLoadCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, options, number + "/load?local=" + AdminClient.encoded(local) + "&remote="
                    + AdminClient.encoded(remote.isEmpty() ? local : remote),
                    shard -> "shard " + number + " has a load of " + ShardCommand.load(shard) + ": local "
                            + shard.local() + ", remote " + shard.remote()
                            + (shard.byHand() ? " (set by hand)" : " (as measured)"));
        }
    }
}
