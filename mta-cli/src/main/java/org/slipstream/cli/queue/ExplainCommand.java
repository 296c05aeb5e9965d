package org.slipstream.cli.queue;

import org.slipstream.admin.operations.ExplainOperations.MessageExplanation;
import org.slipstream.admin.operations.ExplainOperations.SubjectExplanation;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.Ids;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// `explain`: the reason for which a message waits, and what would release it.
@Command(header = "Explains why a message waits, and what would release it.",
        footer = {"  mta explain 1p4q0c8k2v0", "  mta explain --destination example.org",
                "  mta explain --host mx1.example.org"})
public final class ExplainCommand implements MtaAction {
    private static final class Wanted {
        @Parameters(paramLabel = "ID", description = "as in `queue list`", arity = "0..1")
        private Optional<String> id = Optional.empty();

        @Option(names = "--destination", paramLabel = "DOMAIN", description = "what waits for this domain")
        private Optional<String> destination = Optional.empty();

        @Option(names = "--host", paramLabel = "HOST", description = "what this host, or address, has deferred")
        private Optional<String> host = Optional.empty();

        @Option(names = "--sender", paramLabel = "ADDRESS", description = "what this sender has in the queue")
        private Optional<String> sender = Optional.empty();
    }

    @ArgGroup(multiplicity = "1")
    private Wanted wanted = new Wanted();

    @Option(names = "--json", description = "as the server's JSON")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        if (Stream.of(wanted.id, wanted.destination, wanted.host, wanted.sender).allMatch(Optional::isEmpty)) {
            throw new ParameterException(spec.commandLine(),
                    "nothing to explain is given: ID, --destination, --host or --sender");
        }
        String path = wanted.id.map(id -> "message=" + Ids.of(spec, id))
                .or(() -> wanted.destination.map(name -> "destination=" + AdminClient.encoded(name)))
                .or(() -> wanted.host.map(name -> "host=" + AdminClient.encoded(name)))
                .orElseGet(() -> "sender=" + AdminClient.encoded(wanted.sender.orElseThrow()));
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("GET", "explain?" + path).orElseThrow(() -> new CommandFailure(Exit.NO,
                    "mta: there is no message " + wanted.id.orElse("") + " in the queue"));
            mta.world().out().println(json ? body : text(body));
        }
        return Exit.DONE;
    }

    private String text(String body) {
        if (wanted.id.isEmpty()) {
            return RecordJson.read(body, SubjectExplanation.class).text();
        }
        MessageExplanation message = RecordJson.read(body, MessageExplanation.class);
        return Stream.concat(Stream.of(message.text()), ReplyMeanings.of(message.recipients()).stream())
                .collect(Collectors.joining(System.lineSeparator()));
    }
}
