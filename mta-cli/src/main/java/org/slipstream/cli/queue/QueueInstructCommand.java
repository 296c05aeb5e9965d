package org.slipstream.cli.queue;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/// Other ways for messages that stay in the queue: `queue requeue` and `queue reroute`.
public final class QueueInstructCommand {
    private QueueInstructCommand() {}

    @Command(name = "requeue", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Routes messages again from scratch and tries them now.", descriptionHeading = "%n",
            description = "Their route, lease and choice of hosts are forgotten, and a hold ends. The count of attempts stays. A delivery under way is finished first.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta queue requeue 1p4q0c8k2v0",
                    "  mta queue requeue --domain example.org"})
    public static final class RequeueCommand implements Callable<Integer> {
        @Mixin
        private QueueSweep sweep;

        @Option(names = "--all", description = "all messages that are in the queue now")
        private boolean all;

        @Spec
        private CommandSpec spec;

        private final MtaCommand mta;

        public RequeueCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            sweep.check(spec, all);
            return sweep.give(mta, spec, "requeue", "requeued");
        }
    }

    @Command(name = "reroute", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Sends messages to another next hop until they are delivered.", descriptionHeading = "%n",
            description = "All open recipients of these messages go there, whatever their domain, also after a restart. A delivery under way is finished first. TLS and login are those of the route to the same host in [routes].",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta queue reroute --to relay.example.net 1p4q0c8k2v0",
                    "  mta queue reroute --to smtp:[192.0.2.25]:2525 --domain example.org --dry-run",
                    "  mta queue reroute --to default --domain example.org"})
    public static final class RerouteCommand implements Callable<Integer> {
        @Mixin
        private QueueSweep sweep;

        @Option(names = "--all", description = "all messages that are in the queue now")
        private boolean all;

        @Option(names = "--to", required = true, paramLabel = "NEXTHOP",
                description = "HOST[:PORT], smtp:HOST[:PORT], lmtp:HOST:PORT, lmtp:unix:/PATH, discard; default: the routing table again")
        private String to = "";

        @Spec
        private CommandSpec spec;

        private final MtaCommand mta;

        public RerouteCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            sweep.check(spec, all);
            return sweep.give(mta, spec, "reroute", "to=" + AdminClient.encoded(to), "rerouted");
        }
    }
}
