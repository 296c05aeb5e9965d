package org.slipstream.dist.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;

/// `queue flush`: try now.
@Command(name = "flush", mixinStandardHelpOptions = true, versionProvider = Version.class, header = "Tries mail now instead of at its next time.", descriptionHeading = "%n", description = "Without ID and domain, all of it. Held mail stays.", optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
        Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
        Exit.UNREACHABLE_TEXT}, footerHeading = "%nExamples:%n", footer = {"  ./mta queue flush",
                "  ./mta queue flush 1p4q0c8k2v0", "  ./mta queue flush --domain example.org"})
final class QueueFlushCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", arity = "0..*", description = "only these messages")
    private List<String> ids = List.of();

    @Option(names = "--domain", paramLabel = "DOMAIN", description = "only mail for this domain")
    private String domain = "";

    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    QueueFlushCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        if (!ids.isEmpty() && !domain.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "give ids or a domain, not both");
        }
        if (!ids.isEmpty()) {
            return QueueOrderCommand.give(mta, spec, "flush", ids);
        }
        String query = domain.isEmpty() ? "" : "?domain=" + URLEncoder.encode(domain, StandardCharsets.UTF_8);
        try (AdminClient server = AdminClient.of(mta.home())) {
            server.ask("POST", "queue/flush" + query).orElseThrow();
        }
        return Exit.DONE;
    }
}
