package org.slipstream.cli.queue;

import org.slipstream.admin.operations.Operations.VerdictView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/// `verify`: checks whether the host of an address would accept mail for it.
@Command(header = "Asks the host of an address whether it would accept mail.",
        description = "The server makes a probe up to RCPT and sends no message. Many hosts"
                + " accept every recipient, so the verdict deliverable is no proof that a mailbox exists.",
        footer = {"  mta verify user@example.org", "  mta verify user@example.org --json | jq .verdict"})
public final class VerifyCommand implements MtaAction {
    @Parameters(paramLabel = "ADDRESS", description = "user@domain")
    private String address;

    @Option(names = "--json", description = "as the server's JSON: address, verdict, route, host, reply")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        Address wanted = Address.parse(address).orElseThrow(
                () -> new ParameterException(spec.commandLine(), "not an address: " + address));
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("POST",
                    "verify?address=" + URLEncoder.encode(wanted.toString(), StandardCharsets.UTF_8)).orElseThrow();
            VerdictView verdict = RecordJson.read(body, VerdictView.class);
            if (json) {
                mta.world().out().println(body);
            } else {
                print(verdict, mta.world().out());
            }
            return verdict.verdict().equals("deliverable") ? Exit.DONE : Exit.NO;
        }
    }

    private static void print(VerdictView verdict, PrintStream out) {
        Table facts = new Table("address", verdict.address());
        facts.add("verdict", verdict.verdict());
        facts.add("route", orNone(verdict.route()));
        facts.add("host", orNone(verdict.host()));
        facts.add("reply", verdict.reply());
        facts.lines().forEach(out::println);
    }

    private static String orNone(String text) {
        return text.isEmpty() ? "-" : text;
    }
}
