package org.slipstream.cli.setup;

import org.slipstream.auth.dkim.KeyName;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.FindingsReport;
import org.slipstream.cli.frame.FindingsReport.FindingLine;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.CheckFinding;
import org.slipstream.core.Network;
import org.slipstream.core.text.Controls;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.preflight.MessagePreflight;
import org.slipstream.guard.zone.DomainCheck;
import org.slipstream.guard.zone.DomainQuestion;
import org.slipstream.guard.zone.MailService;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// `check --dns`, `--mail` and `--to`: what a domain or a message lacks, a line for each result, and the
/// record to add.
final class DomainOptions {
    private static final int DNS_PORT = 53;
    private static final int IMAPS_PORT = 993;

    @Option(names = "--dns", paramLabel = "DOMAIN",
            description = "checks this domain in DNS, and not the settings: MX, addresses, PTR, SPF, DKIM, DMARC, TLS")
    private String domain = "";

    @Option(names = "--resolver", paramLabel = "ADDRESS[:PORT]",
            description = "the name server to ask; may be repeated; default: smtp-client.dns-servers")
    private List<String> resolvers = List.of();

    @Option(names = "--address", paramLabel = "IP",
            description = "an address from which this server sends; may be repeated; default: those of its name")
    private List<String> addresses = List.of();

    @Option(names = "--selector", paramLabel = "NAME", description = "the DKIM selector of the program that signs")
    private Optional<String> selector = Optional.empty();

    @Option(names = "--block-list", paramLabel = "ZONE",
            description = "a DNS list of refused addresses to ask; may be repeated")
    private List<String> blockLists = List.of();

    @Option(names = "--mail", paramLabel = "FILE",
            description = "checks this message as large receivers do, signed by the key of its domain")
    private Optional<Path> mail = Optional.empty();

    @Option(names = "--to", paramLabel = "ADDRESS",
            description = "checks a new message in the same way and sends it to this address")
    private Optional<String> to = Optional.empty();

    @Option(names = "--from", paramLabel = "ADDRESS",
            description = "the sender with --mail and --to (default: postmaster of the domain)")
    private Optional<String> from = Optional.empty();

    private record DomainReport(String domain, String hostname, int lacking, List<FindingLine> findings) {}

    boolean isGiven() {
        return !domain.isEmpty() || mail.isPresent() || to.isPresent() || from.isPresent() || selector.isPresent()
                || !resolvers.isEmpty() || !addresses.isEmpty() || !blockLists.isEmpty();
    }

    int run(Config config, MtaCommand mta, boolean json) {
        if ((domain.isEmpty() ? 0 : 1) + mail.stream().count() + to.stream().count() != 1) {
            throw new CommandFailure(Exit.USAGE, "mta: give one of --dns DOMAIN, --mail FILE and --to ADDRESS");
        }
        List<InetAddress> own = addresses.isEmpty()
                ? sources(config)
                : addresses.stream().map(text -> literal("--address", text)).toList();
        List<InetSocketAddress> servers = resolvers.isEmpty()
                ? config.smtpClient().dnsServers()
                : resolvers.stream().map(DomainOptions::server).toList();
        MailCheck check = new MailCheck(mta, config, own, servers);
        if (mail.isPresent()) {
            return FindingsReport.print(mta, json, mail.get().toString(), check.ofFile(mail.get(), from).findings());
        }
        return to.isPresent() ? send(check, mta, json, config) : domain(config, mta, own, servers, json);
    }

    private int send(MailCheck check, MtaCommand mta, boolean json, Config config) {
        Address recipient = MailCheck.address(to.orElseThrow());
        Address sender = MailCheck.address(from.orElseGet(() -> "postmaster@" + config.local().postmaster().domain()));
        MessagePreflight.Preflight judged = check.ofNew(sender, recipient);
        int exit = FindingsReport.print(mta, json, "a message of " + sender, judged.findings());
        return Math.max(exit, check.send(judged, sender, recipient));
    }

    private int domain(Config config, MtaCommand mta, List<InetAddress> own, List<InetSocketAddress> servers,
            boolean json) {
        if (!Address.isDomain(domain.replaceFirst("\\.$", "")) || domain.startsWith("[")) {
            throw new CommandFailure(Exit.USAGE, "mta: --dns: \"" + Controls.replaced(domain) + "\" is not a domain");
        }
        DomainQuestion asked = question(mta, config, domain, own, selector, blockLists);
        List<CheckFinding> findings = DomainCheck.run(config.tls(), asked, servers);
        return FindingsReport.print(mta, asked.domain(), findings, json
                ? Optional.of(new DomainReport(asked.domain(), asked.hostname(), FindingsReport.lacking(findings),
                        FindingsReport.lines(findings)))
                : Optional.empty());
    }

    /// A domain, with the keys and the services that this server has for it.
    static DomainQuestion question(MtaCommand mta, Config config, String domain, List<InetAddress> addresses,
            Optional<String> selector, List<String> blockLists) {
        return new DomainQuestion(domain, config.hostname(), addresses, selector, blockLists,
                KeyName.plain(domain).map(plain -> keys(mta, plain)).orElse(List.of()), services(config),
                ofPools(config));
    }

    /// The addresses of `[source.NAME]`, with their names in EHLO.
    private static Map<InetAddress, String> ofPools(Config config) {
        Map<InetAddress, String> names = new LinkedHashMap<>();
        config.sources().sources().values().forEach(source -> source.addresses()
                .forEach(address -> names.put(address, source.hostname().orElse(config.hostname()))));
        return names;
    }

    private static List<KeyFolder.StoredKey> keys(MtaCommand mta, String domain) {
        try {
            return KeyFolder.in(mta.home()).keys(domain);
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.NO, "mta: the keys of " + domain + " cannot be read: "
                    + Controls.replaced(String.valueOf(unreadable.getMessage())), unreadable);
        }
    }

    /// Those that others reach, and the mailboxes of a Dovecot that decides logins.
    private static List<MailService> services(Config config) {
        List<MailService> services = new ArrayList<>();
        Map<String, Optional<InetSocketAddress>> listeners = new LinkedHashMap<>();
        listeners.put("submissions", config.listen().submissions());
        listeners.put("submission", config.listen().submission());
        listeners.forEach((name, listener) -> listener
                .filter(address -> !address.getAddress().isLoopbackAddress() && address.getPort() > 0)
                .ifPresent(address -> services.add(new MailService(name, config.hostname(), address.getPort()))));
        config.submission().auth()
                .ifPresent(_ -> services.add(new MailService("imaps", config.hostname(), IMAPS_PORT)));
        return services;
    }

    static List<InetAddress> sources(Config config) {
        return Stream.<InetAddress>concat(config.smtpClient().sourceAddressV4().stream(),
                config.smtpClient().sourceAddressV6().stream()).toList();
    }

    /// The name servers to ask.
    ///
    /// @param given values of `--resolver`; empty for those of the settings
    static List<InetSocketAddress> servers(Config config, List<String> given) {
        return given.isEmpty() ? config.smtpClient().dnsServers() : given.stream().map(DomainOptions::server).toList();
    }

    private static InetSocketAddress server(String text) {
        int colon = text.startsWith("[") ? text.indexOf("]:") + 1 : text.indexOf(':');
        boolean port = colon > 0 && text.indexOf(':', colon + 1) < 0;
        String host = port ? text.substring(0, colon) : text;
        String number = port ? text.substring(colon + 1) : String.valueOf(DNS_PORT);
        if (!number.matches("[1-9][0-9]{0,4}") || Integer.parseInt(number) > 65_535) {
            throw new CommandFailure(Exit.USAGE,
                    "mta: --resolver: \"" + Controls.replaced(text) + "\" is not an address with a port");
        }
        return new InetSocketAddress(literal("--resolver", host.replaceAll("[\\[\\]]", "")), Integer.parseInt(number));
    }

    static InetAddress literal(String option, String text) {
        return Network.parse(text).filter(_ -> text.indexOf('/') < 0).map(Network::base)
                .orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: " + option + ": \""
                        + Controls.replaced(text) + "\" is not an address such as 192.0.2.25 or 2001:db8::25"));
    }
}
