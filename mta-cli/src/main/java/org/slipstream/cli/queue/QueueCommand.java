package org.slipstream.cli.queue;

import org.slipstream.cli.frame.CommandGroup;
import picocli.CommandLine.Command;

/// `queue`: the commands for waiting mail.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Shows and manages waiting mail.",
        footer = {"  mta queue list --sender 'news@*'", "  mta queue count --older-than 1d",
                "  mta queue flush --domain example.org", "  mta queue hold 1p4q0c8k2v0 1p4q0c8k2v1"})
public final class QueueCommand implements CommandGroup {}
