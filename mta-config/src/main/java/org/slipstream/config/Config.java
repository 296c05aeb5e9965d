package org.slipstream.config;

import org.slipstream.cluster.ClusterSettings;
import org.slipstream.core.Address;
import org.slipstream.core.DataSize;
import org.slipstream.core.Network;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;
import org.slipstream.core.TransportKind;
import org.slipstream.events.account.AccountRules;
import org.slipstream.events.bounce.BounceClasses;
import org.slipstream.events.bounce.BounceSettings;
import org.slipstream.events.feedback.FeedbackSettings;
import org.slipstream.events.stream.EventSettings;
import org.slipstream.events.webhook.WebhookReceiver;
import org.slipstream.guard.login.SubmissionSettings;
import org.slipstream.guard.policy.PolicySettings;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.AddressTables;
import org.slipstream.local.address.LocalSettings;
import org.slipstream.local.address.MapFile;
import org.slipstream.local.address.Srs;
import org.slipstream.local.maildrop.MaildropSettings;
import org.slipstream.local.program.PipeSettings;
import org.slipstream.monitor.alarm.AlarmSettings;
import org.slipstream.qmgr.journal.file.JournalSettings;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.settings.Key;
import org.slipstream.settings.NamedFile;
import org.slipstream.settings.Written;
import org.slipstream.shaping.ShapingRules;
import org.slipstream.smtpin.policy.HeaderPatterns;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpout.ClientSettings;
import org.slipstream.smtpout.source.SourceTable;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySettings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// All settings of a server after reading and checking: every value parsed, every default filled
/// in, every path absolute.
///
/// A section of `mta.toml` is a record of the module that uses it. The records here are those of
/// this module.
///
/// @param home the folder that holds everything
/// @param aliases by key of the aliased address (see [Address#key]), one entry per local domain for
///     bare local parts
/// @param addressTables of the files that settings name
/// @param routes by domain, `.suffix` or `*`, in lower case
/// @param senderRoutes by sender: `user@domain` or `@domain`, in lower case
/// @param headerRules of the file that `policy.header-checks` names
/// @param bounceClasses with those of the file that `bounces.classes` names
/// @param retries the retry policies by name, with the built-in ones
/// @param transports for all transports, and for those that differ
/// @param programs of the transports of the kind `pipe`
/// @param destinations for single destinations
/// @param shaping the rules from replies, with those of the file that `shaping.rules` names
/// @param sources addresses of outgoing connections, and their pools
/// @param shardLanes of the shards with a section of their own, by number
/// @param written the places of the settings
/// @param files the text files that settings name, as they were read
public record Config(Path home, String hostname, Listen listen, LocalSettings local, Map<String, List<Address>> aliases,
        AddressTables addressTables, Relay relay, Map<String, RouteTarget> routes,
        Map<String, RouteTarget> senderRoutes, TlsSettings tls, Limits limits,
        SubmissionSettings submission, Trust trust,
        PolicySettings policy, DailyReportSettings dailyReports,
        List<HeaderPatterns.Rule> headerRules, QueueSettings queue, SequencedMap<String, RetrySettings> retries,
        TransportTable transports, SequencedMap<String, PipeSettings> programs, DestinationTable destinations,
        SourceTable sources,
        Operation operation,
        PlacementSettings placement, ClientSettings smtpClient, SmartHost smartHost, SpoolConfig spool,
        ClusterSettings cluster, ShardSettings shard, SortedMap<Integer, ShardLanes> shardLanes,
        HistorySettings history, EventSettings events,
        List<WebhookReceiver> webhooks,
        AlarmSettings alarm, BounceSettings bounces, BounceClasses bounceClasses, FeedbackSettings feedback,
        AccountRules accounts, ShapingRules shaping, Log log,
        Written written, List<NamedFile> files) {
    public Config {
        aliases = Map.copyOf(aliases);
        routes = Map.copyOf(routes);
        senderRoutes = Map.copyOf(senderRoutes);
        headerRules = List.copyOf(headerRules);
        webhooks = List.copyOf(webhooks);
        files = List.copyOf(files);
    }

    /// This configuration for a server that runs already: where a change needs a restart, the value
    /// of the running server stays.
    public Config keeping(Config running) {
        return SettingsRecords.with(SettingsRecords.keepIn(this, running), "written", written.keeping(running.written));
    }

    /// The addresses of this server.
    ///
    /// @param isThisMachine true for addresses under which this server is reached
    public AddressBook addressBook(Predicate<InetAddress> isThisMachine) {
        return addressBook(isThisMachine, Optional.empty());
    }

    /// @param srs for mail that is forwarded; only a server has its secrets
    public AddressBook addressBook(Predicate<InetAddress> isThisMachine, Optional<Srs> srs) {
        return new AddressBook(local, aliases, isThisMachine, Optional.of(hostname.toLowerCase(Locale.ROOT)),
                addressTables, operation.maildrop().domain(), routes.keySet(), srs);
    }

    /// The folder of the history of messages, beside the message log.
    public Path historyFolder() {
        return History.folder(spool.directory());
    }

    /// The settings of the queue manager.
    public QmgrConfig queueManager() {
        return QmgrConfig.of(queue, transports).withRecipientDelimiter(local.subaddressDelimiter())
                .withRoutedSenders(senderRoutes.keySet()).withRoutedMessages(!sources.isEmpty())
                .withRetries(retries).withDestinations(destinations);
    }

    /// The transports that routes lead to, by the side of a shard on which they count.
    ///
    /// @param toMailboxes those that deliver to mailboxes of this server; otherwise all others
    public List<String> routedTransports(boolean toMailboxes) {
        Set<String> used = new TreeSet<>();
        Stream.concat(routes.values().stream(), senderRoutes.values().stream()).map(RouteTarget::transport)
                .forEach(used::add);
        used.add(operation.store().delivery().isPresent()
                ? TransportKind.LMTP.word()
                : TransportKind.LOCAL.word());
        if (!routes.containsKey("*")) {
            used.add(TransportKind.SMTP.word());
        }
        return used.stream()
                .filter(each -> transports.kind(each).equals(Optional.of(TransportKind.LOCAL)) == toMailboxes)
                .toList();
    }

    /// The limit of one side of a shard (IM-04): the sum over the transports of this side that have routes.
    ///
    /// @param shards that are open: each has its share of the limits of the server
    public int lanesOfShard(int number, boolean toMailboxes, int shards) {
        ShardLanes own = shardLanes.getOrDefault(number, ShardLanes.of(shard));
        return routedTransports(toMailboxes).stream()
                .mapToInt(each -> ShardSettings.share(transports.of(each).processLimit(),
                        toMailboxes ? own.local() : own.remote(), shards))
                .sum();
    }

    /// The limits of one shard by transport, where they are set (IM-21).
    public Map<String, Integer> lanesOfShard(int number) {
        return shardLanes.getOrDefault(number, ShardLanes.of(shard)).byTransport(transports);
    }

    /// The placement's rules of SMTP. A failed host is avoided as long as a destination.
    public PlaceRules smtpPlacement() {
        return QmgrConfig.of(queue, transports).smtpRules(placement);
    }

    /// The lines before the first section.
    @SettingsSection("")
    record Identity(
            @Setting(value = Key.HOSTNAME, form = "hostname",
                    doc = "The server's own name in greetings, EHLO, `Received` lines and reports. The default is"
                            + " the machine's name. Other servers trust only a name that DNS"
                            + " knows.") String hostname) {}

    /// The section `[listen]`. An empty address is not opened.
    @SettingsSection("listen")
    public record Listen(
            @Setting(value = "127.0.0.1:2525",
                    doc = "Mail from other servers. Port 0 takes any free one.") Optional<InetSocketAddress> smtp,
            @Setting(value = "127.0.0.1:2587",
                    doc = "Mail from local programs and users, who log in after STARTTLS (see `[submission]`);"
                            + " `mta send` uses it. Usually port 587.") Optional<InetSocketAddress> submission,
            @Setting(value = "off",
                    doc = "The same with TLS from the first byte (RFC 8314). Every client logs in here. Usually port"
                            + " 465.") Optional<InetSocketAddress> submissions,
            @Setting(value = "off",
                    doc = "Mail from a relay in front of this server by LMTP (RFC 2033). For loopback or a private"
                            + " network.") Optional<InetSocketAddress> lmtp,
            @Setting(value = "off", form = "loopback", restart = "the pages are served",
                    doc = "Pages for people with a browser (docs/console.md), on loopback. `mta console` makes a link"
                            + " that opens them.") Optional<InetSocketAddress> console,
            @Setting(value = "off", restart = "the port is open",
                    doc = "Metrics for Prometheus, and the state of health, by HTTP without a login: `/metrics`,"
                            + " `/health/live`, `/health/ready` (docs/observing.md). They name destinations. For"
                            + " loopback or a private network, such as"
                            + " `127.0.0.1:9626`.") Optional<InetSocketAddress> metrics,
            @Setting(value = "off", restart = "the port is open",
                    doc = "Mail that programs hand in by HTTP (docs/injection.md). With TLS, except on loopback and when"
                            + " `tls.off` names `http`.") Optional<InetSocketAddress> http) {
        /// The ports for mail, by key: `listen.smtp`.
        public SequencedMap<String, InetSocketAddress> open() {
            SequencedMap<String, InetSocketAddress> open = new LinkedHashMap<>();
            smtp.ifPresent(address -> open.put("listen.smtp", address));
            submission.ifPresent(address -> open.put("listen.submission", address));
            submissions.ifPresent(address -> open.put("listen.submissions", address));
            lmtp.ifPresent(address -> open.put("listen.lmtp", address));
            return open;
        }
    }

    /// The section `[relay]`, and the treatment of line ends in `[limits]`.
    @SettingsSection("relay")
    public record Relay(
            @Setting(value = "127.0.0.0/8, ::1/128", form = "relay-network",
                    doc = "Clients that may send to other domains. All others are refused. Blocks wider than /8"
                            + " (IPv6: /16) are not allowed.") List<Network> networks,
            @Setting(value = "", form = "domain",
                    doc = "Domains of other servers whose mail is accepted from all clients and passed on by the"
                            + " route of the domain (docs/cookbook.md).") List<String> domains,
            @Setting(value = "false",
                    doc = "Recipients of `relay.domains`, and those behind `local.delivery` by LMTP, are verified"
                            + " before their mail is accepted: the next hop is asked, and its answer is"
                            + " remembered (docs/security.md).") boolean verify,
            @Setting(section = "limits", value = "normalize", expert = true,
                    doc = "`normalize`: a line that ends with LF alone counts as one that ends with CRLF, in"
                            + " messages of clients that may relay or have logged in; other clients are refused."
                            + " `strict`: all clients are refused. The end of a message is always"
                            + " CRLF.CRLF.") BareLineFeed bareLineFeed) {
        public Relay {
            networks = List.copyOf(networks);
            domains = domains.stream().distinct().toList();
        }

        public boolean contains(InetAddress address) {
            return networks.stream().anyMatch(network -> network.contains(address));
        }

        public boolean normalizes() {
            return bareLineFeed == BareLineFeed.NORMALIZE;
        }
    }

    /// The treatment of lines that end with LF alone.
    public enum BareLineFeed {
        NORMALIZE, STRICT
    }

    /// The section `[smarthost]`.
    ///
    /// @param credentials file of logins at smart hosts
    /// @param authorities file of the certificates that `verify` accepts; empty for those of the
    ///     system
    @SettingsSection("smarthost")
    public record SmartHost(
            @Setting(value = "",
                    doc = "File of logins, a line each: `host user password`, or `host:port user password`. It must"
                            + " be readable by its owner only. A host in this file gets no mail without the"
                            + " login.") Optional<Path> credentials,
            @Setting(value = "false", expert = true,
                    doc = "Send the password also without TLS (PLAIN and LOGIN; SCRAM never sends"
                            + " it).") boolean loginInTheClear,
            @Setting(value = "",
                    doc = "File of the certificates in PEM whose signature `tls=verify` accepts. Empty: the"
                            + " authorities that this Java knows.") Optional<Path> authorities) {}

    /// More of the section `[smarthost]`.
    @SettingsSection("smarthost")
    record SenderHosts(
            @Setting(value = "", form = "map",
                    doc = "Tables from a sender, `user@domain` or `@domain`, to the smart host of its mail, instead"
                            + " of the route `*` (`sender_dependent_relayhost_maps`).") List<MapFile> senderMaps) {}

    /// The section `[trust]`.
    ///
    /// @param proxies whose connections begin with a PROXY header
    /// @param xclientHosts may send XCLIENT
    @SettingsSection("trust")
    public record Trust(
            @Setting(value = "", form = "relay-network",
                    doc = "Load balancers in front of this server. Each of their connections begins with a PROXY"
                            + " header (version 1 or 2) that names the client.") List<Network> proxies,
            @Setting(key = "xclient", value = "", form = "relay-network",
                    doc = "Clients that may name another client by XCLIENT, logins"
                            + " included.") List<Network> xclientHosts) {
        public Trust {
            proxies = List.copyOf(proxies);
            xclientHosts = List.copyOf(xclientHosts);
        }
    }

    /// Settings of the server as a whole, from several sections.
    ///
    /// @param journal of the queue manager's decisions
    @SettingsSection("queue")
    public record Operation(
            @Setting(section = "limits", value = "32MiB", min = "1MiB", expert = true,
                    doc = "Memory for the recipients of all open transactions, and for headers that a check reads. 8"
                            + " KiB of each transaction are not counted. Beyond the limit recipients are deferred"
                            + " with 452.") DataSize transactionMemory,
            @Setting(value = "1s", max = "60s", expert = true,
                    doc = "While mail arrives faster than the queue manager takes it, each message waits this long"
                            + " before it is accepted. `0s`: never.") Duration inFlowDelay,
            @Setting(key = "deliver", value = "true",
                    restart = "the queue manager was started with or without deliveries",
                    doc = "`false`: mail is accepted and kept, and none is sent before the server is started with"
                            + " `true` again.") boolean delivers,
            @Setting(section = "concurrency", value = "false",
                    restart = "the queue manager was started with or without this observer", expert = true,
                    doc = "Log each change of a window, and which message passes which.") boolean feedbackDebug,
            @Setting(section = "admin", value = "", restart = "the socket is open",
                    doc = "A second socket of the admin API for the members of the server's group, relative to the"
                            + " home folder, in a folder that exists. Each request there needs a token"
                            + " (`mta token`). Empty: none.") Optional<Path> groupSocket,
            MailStore store,
            JournalSettings journal,
            MaildropSettings maildrop) {}

    /// The place of local mailboxes, in `[local]`.
    ///
    /// @param delivery empty: the Maildirs of [LocalSettings]; otherwise the next hop of LMTP
    /// @param mailboxLookup Dovecot's socket `auth-userdb`, `unix:/path` or `host:port`
    @SettingsSection("local")
    public record MailStore(
            @Setting(value = "maildir", form = "local-delivery", restart = "queued mail has its route",
                    doc = "Where mail for local domains is delivered: `maildir`, the directories below"
                            + " `local.maildir`, or a mail store by LMTP, `lmtp:unix:/run/dovecot/lmtp` or"
                            + " `lmtp:host:port`.") Optional<String> delivery,
            @Setting(value = "", form = "mailbox-lookup",
                    doc = "Mailboxes of `local.mailboxes` that Dovecot does not know are refused:"
                            + " `dovecot:/run/dovecot/auth-userdb`. With `local.mailboxes = [\"*\"]` Dovecot's list"
                            + " is the only one. Empty: not asked.") Optional<String> mailboxLookup) {}

    /// The section `[log]`.
    @SettingsSection("log")
    public record Log(
            @Setting(value = "info", oneOf = {"error", "warn", "info", "debug", "trace"},
                    doc = "Least severe level that is logged.") String level,
            @Setting(value = "text", oneOf = {"text", "json"},
                    doc = "`text`: lines of keys and values. `json`: the same keys as one JSON object a"
                            + " line.") String format,
            @Setting(value = "",
                    doc = "File of the log, relative to the home folder, in a folder that exists. A reload, and a"
                            + " file that was renamed, open it again. Empty: standard error.") Optional<Path> file) {}
}
