package org.slipstream.cli.dmarc;

import org.slipstream.cli.frame.CommandGroup;
import picocli.CommandLine.Command;

/// `dmarc`: the commands for reports of other servers.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Tells what other servers report about mail of a domain.",
        footer = "  mta dmarc report google.com!example.org!1764115200!1764201600.xml.gz")
public final class DmarcCommand implements CommandGroup {}
