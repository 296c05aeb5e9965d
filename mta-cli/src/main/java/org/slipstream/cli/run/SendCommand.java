package org.slipstream.cli.run;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.HostName;
import org.slipstream.config.ReadResult;
import org.slipstream.core.Address;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// `send`: sends a message from the command line to the server.
@Command(header = "Sends a message.",
        description = {
                "With --subject or --text a message is composed; text that is not given is read from standard input. Otherwise a"
                        + " whole message, header and body, is read from --eml or from standard input and sent unchanged but"
                        + " for its line ends.",
                "",
                "The server's reply is printed. Refused recipients are printed on standard error, one per line."},
        exitCodeList = {Exit.DONE_TEXT, " 1:a recipient or the message was refused", Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta send --to user@localhost --subject Hello --text 'It works.'",
                "  df -h | mta send --from root@localhost --to user@localhost --subject 'Disks'",
                "  mta send --from me@localhost --to a@x.example,b@y.example --eml message.eml",
                "  mta send --server 192.0.2.1:25 --from '<>' --to user@example.org < message.eml"})
public final class SendCommand implements MtaAction {
    private static final int SMTP_PORT = 25;

    @Option(names = {"-f", "--from"}, paramLabel = "ADDRESS",
            description = "the sender; '<>' for none (default: the user who calls, at maildrop.domain)")
    private Optional<String> from = Optional.empty();

    @Option(names = {"-t",
            "--to"}, required = true, paramLabel = "ADDRESS", split = ",", description = "a recipient; may be repeated")
    private List<String> to;

    @Option(names = {"-s", "--subject"}, paramLabel = "WORDS", description = "compose a message with this subject")
    private Optional<String> subject = Optional.empty();

    @Option(names = "--text", paramLabel = "WORDS", description = "compose a message with this text")
    private Optional<String> text = Optional.empty();

    @Option(names = "--eml", paramLabel = "FILE", description = "send this file unchanged")
    private Optional<Path> eml = Optional.empty();

    @Option(names = {"-i",
            "--stdin"}, description = "send standard input unchanged (this is also what happens without any message)")
    private boolean stdin;

    @Option(names = "--server", paramLabel = "HOST:PORT",
            description = "where to (default: listen.submission of the home where it needs no login, or listen.smtp)")
    private Optional<String> server = Optional.empty();

    @Spec
    private CommandSpec spec;

    private record Place(String host, int port) {}

    @Override
    public int run(MtaCommand mta) throws IOException {
        boolean composes = subject.isPresent() || text.isPresent();
        if ((composes ? 1 : 0) + (eml.isPresent() ? 1 : 0) + (stdin ? 1 : 0) > 1) {
            throw usage("choose one: --subject and --text, --eml, or -i");
        }
        List<Address> recipients = to.stream().map(String::strip).map(this::address).toList();
        Optional<Config> config = config(mta);
        Place place = place(config);
        String hostname = config.map(Config::hostname).orElseGet(HostName::ofMachine);
        Optional<Address> sender = sender(config.map(each -> each.operation().maildrop().domain()).orElse(hostname));
        byte[] content = composes ? composed(mta, sender, recipients, hostname) : whole(mta);
        return send(mta, new SubmissionClient(place.host(), place.port(), hostname), sender, recipients, content);
    }

    private int send(MtaCommand mta, SubmissionClient submission, Optional<Address> sender, List<Address> recipients,
            byte[] content) {
        try {
            SubmissionClient.SubmissionResult result = submission.send(sender.map(Address::toString),
                    recipients.stream().map(Address::toString).toList(), content);
            result.accepted().ifPresent(reply -> mta.world().out().println(Controls.replaced(reply)));
            result.refused().forEach((who, reply) -> mta.world().err().println("mta: "
                    + (who.isEmpty() ? "the message" : who) + " was refused: " + Controls.replaced(reply)));
            return result.refused().isEmpty() ? Exit.DONE : Exit.NO;
        } catch (SubmissionClient.Unreachable unreachable) {
            throw new CommandFailure(Exit.UNREACHABLE,
                    "mta: " + Controls.replaced(String.valueOf(unreachable.getMessage())), unreachable);
        }
    }

    private byte[] composed(MtaCommand mta, Optional<Address> sender, List<Address> recipients, String hostname)
            throws IOException {
        Address author = sender
                .orElseThrow(() -> usage("a composed message needs a sender; give an address in --from"));
        String words = text.isPresent()
                ? text.get()
                : new String(mta.world().in().readAllBytes(), StandardCharsets.UTF_8);
        return Composer.compose(author, recipients, subject.orElse(""), words, hostname);
    }

    private byte[] whole(MtaCommand mta) throws IOException {
        if (eml.isEmpty()) {
            return mta.world().in().readAllBytes();
        }
        if (!Files.isReadable(eml.get()) || Files.isDirectory(eml.get())) {
            throw usage("the file " + eml.get() + " cannot be read");
        }
        return Files.readAllBytes(eml.get());
    }

    private Address address(String given) {
        return Address.parse(given).orElseThrow(() -> usage("\"" + given + "\" is not an address"));
    }

    private Optional<Address> sender(String domain) {
        if (from.isEmpty()) {
            return Optional.of(Address.parse(System.getProperty("user.name") + "@" + domain)
                    .orElseThrow(() -> usage("the name of the user is no address; give the sender in --from")));
        }
        return from.filter(given -> !given.equals("<>") && !given.isEmpty()).map(this::address);
    }

    /// The settings are needed to find the server; with --server they only supply the hostname, if
    /// they can be read.
    private Optional<Config> config(MtaCommand mta) {
        if (server.isEmpty()) {
            return Optional.of(LoadedConfig.read(mta.settings(), List.of()));
        }
        return ConfigReader.read(mta.settings(), List.of()) instanceof ReadResult.Accepted(Config config)
                ? Optional.of(config)
                : Optional.empty();
    }

    private Place place(Optional<Config> config) {
        if (server.isPresent()) {
            return place(server.get());
        }
        Config.Listen listen = config.orElseThrow().listen();
        Optional<InetSocketAddress> withoutLogin = listen.submission()
                .filter(_ -> config.orElseThrow().submission().networksWithoutLogin());
        // This command has no password. A port for other servers accepts mail of relay.networks.
        InetSocketAddress address = withoutLogin.or(listen::smtp)
                .orElseThrow(() -> usage("mta.toml opens no port that accepts mail without a login; give --server,"
                        + " or use sendmail"));
        if (address.getPort() == 0) {
            throw usage("mta.toml has port 0; give --server with the port of the line \"ready\"");
        }
        return new Place(address.getAddress().isAnyLocalAddress() ? "127.0.0.1" : address.getAddress().getHostAddress(),
                address.getPort());
    }

    private Place place(String text) {
        int colon = text.indexOf(':', Math.max(0, text.indexOf(']')));
        String host = (colon < 0 ? text : text.substring(0, colon)).replaceAll("[\\[\\]]", "");
        String port = colon < 0 ? Integer.toString(SMTP_PORT) : text.substring(colon + 1);
        if (host.isEmpty() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65535 || port.equals("0")) {
            throw usage("\"" + text + "\" is not host:port");
        }
        return new Place(host, Integer.parseInt(port));
    }

    private ParameterException usage(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
