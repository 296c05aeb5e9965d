package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import picocli.CommandLine.Command;

/// `lab`: the production queue manager in simulated time. No server is needed.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Runs the queue manager in simulated time.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
        footer = {"  mta lab run ten-two-two", "  mta lab golden traces/"})
public final class LabCommand implements CommandGroup {}
