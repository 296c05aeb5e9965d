package org.slipstream.cli.dmarc;

import org.slipstream.cli.frame.CommandGroup;
import picocli.CommandLine.Command;

/// `tlsrpt`: the commands for TLS reports of other servers.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Tells what other servers report about TLS to a domain's hosts.",
        footer = "  mta tlsrpt report google.com!example.org!1764115200!1764201599!001.json.gz")
public final class TlsrptCommand implements CommandGroup {}
