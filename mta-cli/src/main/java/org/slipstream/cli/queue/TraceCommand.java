package org.slipstream.cli.queue;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MissingShards;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.HostName;
import org.slipstream.config.ReadResult;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.text.Controls;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.ClientSettings;
import org.slipstream.smtpout.TlsTrace;
import org.slipstream.smtpout.demand.TlsDemands;
import org.slipstream.smtpout.dns.DnsRouteFinder;
import org.slipstream.smtpout.host.Dns;
import org.slipstream.smtpout.host.DnsHostFinder;
import org.slipstream.smtpout.host.SecureDns;
import org.slipstream.spool.history.HistorySearch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `trace`: the story of a message, also of one that has left the queue. Without a server the command
/// reads the history's files. With `--tls` it is the dialogue with a host instead.
@Command(header = "Tells what happened to a message, or what happens when mail is sent to a host.",
        description = "Several messages are listed in one line each, the latest last. The history reaches back as far"
                + " as [history] keep and size permit. It also works while the server is stopped. With --tls one dialogue"
                + " with each host of a domain is made and shown, without mail: greeting, extensions, TLS, certificates,"
                + " and whether they meet what MTA-STS and DANE demand.",
        exitCodeList = {Exit.DONE_TEXT, " 1:no such message, or a host without the TLS that is demanded",
                Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta trace 1p4q0c8k2v0", "  mta trace '<4711@client.example>'",
                "  mta trace bob@example.org --limit 5", "  mta trace @example.org --json",
                "  mta trace --tls example.org", "  mta trace --tls mx.example.org:25"})
public final class TraceCommand implements MtaAction {
    private static final int MOST = 1000;
    private static final int HIGHEST_PORT = 65_535;
    /// For a connection, a reply, or a handshake.
    private static final long STEP_MILLIS = 15_000;
    private static final Pattern PLACE = Pattern.compile("(?<name>\\[[^]]+]|[^:]+)(?::(?<port>[1-9][0-9]{0,4}))?");

    @Parameters(arity = "0..1", paramLabel = "ID|MESSAGE-ID|ADDRESS",
            description = "a queue id, a Message-ID, the address of a sender or recipient, or @domain")
    private Optional<String> about = Optional.empty();

    @Option(names = "--tls", paramLabel = "DOMAIN|HOST[:PORT]",
            description = "the hosts for the mail of a domain, or one host at a port")
    private Optional<String> tls = Optional.empty();

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20",
            description = "the latest N messages, 1 to 1000 (default: 20)")
    private int limit;

    @Option(names = "--json", description = "as JSON: messages, more, since, faults")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        if (tls.isPresent() == about.isPresent() || tls.isPresent() && json) {
            throw usage("give a message or --tls; --tls has no --json");
        }
        return tls.isPresent() ? dialogue(mta, tls.get()) : story(mta, about.get());
    }

    private int dialogue(MtaCommand mta, String place) {
        Matcher form = PLACE.matcher(place);
        if (!form.matches() || !Address.isDomain(form.group("name")) || port(form) > HIGHEST_PORT) {
            throw usage("\"" + place + "\" is neither a domain nor HOST:PORT");
        }
        // The settings name the resolver; a machine without them has one, too.
        Optional<Config> config = ConfigReader.read(mta.settings(), List.of()) instanceof ReadResult.Accepted found
                ? Optional.of(found.config())
                : Optional.empty();
        List<InetSocketAddress> servers = config.map(each -> each.smtpClient().dnsServers()).orElse(List.of());
        String hostname = config.map(Config::hostname).orElseGet(HostName::ofMachine);
        boolean trusted = new SecureDns(servers).isTrusted();
        if (!trusted) {
            mta.world().out().println("DANE is not asked: the DNS server is not on this machine");
        }
        Dns dns = new Dns(servers);
        TlsTrace trace = new TlsTrace(hostname,
                new DnsRouteFinder(ClientConfig.of(hostname, config.map(Config::smtpClient)
                        .orElseGet(ClientSettings::defaults))),
                new DnsHostFinder(dns), TlsDemands.of(new TlsDemands.DemandSettings(true, trusted), servers,
                        Optional.empty(), Clock.systemUTC()),
                STEP_MILLIS);
        TlsTrace.TracedTls traced = port(form) == 0
                ? trace.domain(form.group("name"))
                : trace.host(form.group("name").replaceAll("[\\[\\]]", ""), port(form));
        traced.lines().forEach(mta.world().out()::println);
        return traced.good() ? Exit.DONE : Exit.NO;
    }

    /// 0 when there is none.
    private static int port(Matcher form) {
        return Optional.ofNullable(form.group("port")).map(Integer::parseInt).orElse(0);
    }

    private ParameterException usage(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    private int story(MtaCommand mta, String wanted) {
        if (limit < 1 || limit > MOST) {
            throw usage("--limit must be a number from 1 to " + MOST);
        }
        boolean isId = QueueId.parse(wanted).isPresent();
        if (!isId && !wanted.contains("@")) {
            throw usage("\"" + wanted + "\" is neither a queue id nor a Message-ID nor an address");
        }
        TraceResult found = AdminClient.isRunning(mta.home()) ? ofServer(mta, wanted) : ofFiles(mta, wanted);
        int exit = MissingShards.tell(mta, found.faults());
        if (found.messages().isEmpty()) {
            throw new CommandFailure(Exit.NO, "mta: no message " + (isId ? wanted : "of " + wanted)
                    + " is known; " + TraceText.reach(found.since()));
        }
        if (json) {
            mta.world().out().println(RecordJson.write(found));
        } else {
            TraceText.lines(found).stream().map(Controls::replaced).forEach(mta.world().out()::println);
        }
        return exit;
    }

    private TraceResult ofServer(MtaCommand mta, String wanted) {
        try (AdminClient server = AdminClient.of(mta)) {
            return RecordJson.read(server.ask("GET",
                    "trace?of=" + URLEncoder.encode(wanted, StandardCharsets.UTF_8) + "&limit=" + limit).orElseThrow(),
                    TraceResult.class);
        }
    }

    private TraceResult ofFiles(MtaCommand mta, String wanted) {
        Config config = LoadedConfig.read(mta.settings(), List.of());
        try {
            return HistorySearch.in(config.historyFolder(), config.history(),
                    System.currentTimeMillis()).find(wanted, limit);
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.NO, "mta: the history cannot be read: " + trouble.getMessage(), trouble);
        }
    }
}
