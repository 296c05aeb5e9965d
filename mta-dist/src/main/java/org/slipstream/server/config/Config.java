package org.slipstream.server.config;

import org.slipstream.core.Address;
import org.slipstream.core.DataSize;
import org.slipstream.core.Route;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QueueSettings;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.TransportTable;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.server.history.History;
import org.slipstream.server.history.HistorySettings;
import org.slipstream.server.journal.JournalSettings;
import org.slipstream.server.rspamd.RspamdSettings;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpout.ClientSettings;
import org.slipstream.spool.SpoolConfig;

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
import java.util.regex.Pattern;

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
/// @param headerRules of the file that `policy.header-checks` names
/// @param retries the retry policies by name, with the built-in ones
/// @param transports for all transports, and for those that differ
/// @param destinations for single destinations
/// @param written the places of the settings
/// @param files the text files that settings name, as they were read
public record Config(Path home, String hostname, Listen listen, Local local, Map<String, List<Address>> aliases,
        AddressTables addressTables, Relay relay, Map<String, RouteTarget> routes, Tls tls, Limits limits,
        Submission submission, Trust trust,
        PolicySettings policy,
        List<HeaderRule> headerRules, QueueSettings queue, SequencedMap<String, RetrySettings> retries,
        TransportTable transports, DestinationTable destinations, Operation operation,
        PlacementSettings placement, ClientSettings smtpClient, SmartHost smartHost, SpoolConfig spool,
        ShardSettings shard, HistorySettings history,
        Log log,
        Written written, List<NamedFile> files) {
    public Config {
        aliases = Map.copyOf(aliases);
        routes = Map.copyOf(routes);
        headerRules = List.copyOf(headerRules);
        files = List.copyOf(files);
    }

    /// This configuration for a server that runs already: where a change needs a restart, the value
    /// of the running server stays.
    public Config keeping(Config running) {
        return SettingsRecords.with(SettingsRecords.keepIn(this, running), "written", written.keeping(running.written));
    }

    /// The folder of the history of messages, beside the message log.
    public Path historyFolder() {
        return History.folder(spool.directory());
    }

    /// The settings of the queue manager.
    public QmgrConfig queueManager() {
        return QmgrConfig.of(queue, transports).withRecipientDelimiter(local.subaddressDelimiter())
                .withRoutedSenders(addressTables.senderRoutes().keySet())
                .withRetries(retries).withDestinations(destinations);
    }

    /// The placement's rules of SMTP. A failed host is avoided as long as a destination.
    public PlaceRules smtpPlacement() {
        TransportSettings smtp = transports.of("smtp");
        int workers = smtp.workers();
        int perHost = smtp.concurrencyLimit() == 0 ? workers : Math.min(workers, smtp.concurrencyLimit());
        Duration retry = queue.minimalBackoff();
        Duration told = retry.compareTo(queue.maximalBackoff()) > 0 ? retry : queue.maximalBackoff();
        return placement.rules(workers, perHost, queue.idleConnection(), retry, told);
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
                            + " network.") Optional<InetSocketAddress> lmtp) {
        /// By key: `listen.smtp`.
        public SequencedMap<String, InetSocketAddress> open() {
            SequencedMap<String, InetSocketAddress> open = new LinkedHashMap<>();
            smtp.ifPresent(address -> open.put("listen.smtp", address));
            submission.ifPresent(address -> open.put("listen.submission", address));
            submissions.ifPresent(address -> open.put("listen.submissions", address));
            lmtp.ifPresent(address -> open.put("listen.lmtp", address));
            return open;
        }
    }

    /// The section `[local]`.
    ///
    /// @param domains lower case
    /// @param mailboxes local parts, full addresses (keys), or `*`
    /// @param subaddressDelimiter empty when off
    @SettingsSection("local")
    public record Local(
            @Setting(value = "localhost, " + Key.HOSTNAME, form = "domain",
                    doc = "Domains whose mail is delivered here. The default is `localhost` and the"
                            + " hostname.") List<String> domains,
            @Setting(value = "user", form = "mailbox",
                    doc = "Mailboxes: local parts (in every local domain), full addresses, or `*` for every local"
                            + " part.") List<String> mailboxes,
            @Setting(value = "mail",
                    doc = "Directory of the mailboxes: `<maildir>/<domain>/<local-part>/{tmp,new,cur}`. Relative to"
                            + " the home folder.") Path maildir,
            @Setting(key = "postmaster", value = "postmaster", form = "person",
                    doc = "Recipient of mail for `postmaster` of every local domain, which is always accepted. A"
                            + " local part means that mailbox in the first local domain.") String postmasterName,
            @Setting(value = "+", form = "delimiter",
                    doc = "`user+anything` is delivered to `user`. Empty:"
                            + " off.") Optional<String> subaddressDelimiter) {
        public Local {
            domains = domains.stream().distinct().toList();
            mailboxes = List.copyOf(mailboxes);
        }

        public Address postmaster() {
            String domain = domains.isEmpty() ? "localhost" : domains.getFirst();
            return Address.parse(postmasterName).orElseGet(() -> new Address(postmasterName, domain));
        }
    }

    /// The section `[relay]`, and the treatment of line ends in `[limits]`.
    @SettingsSection("relay")
    public record Relay(
            @Setting(value = "127.0.0.0/8, ::1/128", form = "relay-network",
                    doc = "Clients that may send to other domains. All others are refused. Blocks wider than /8"
                            + " (IPv6: /16) are not allowed.") List<Network> networks,
            @Setting(section = "limits", value = "normalize",
                    doc = "`normalize`: a line that ends with LF alone counts as one that ends with CRLF, in"
                            + " messages of clients that may relay or have logged in; other clients are refused."
                            + " `strict`: all clients are refused. The end of a message is always"
                            + " CRLF.CRLF.") BareLineFeed bareLineFeed) {
        public Relay {
            networks = List.copyOf(networks);
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

    /// The target of a route.
    public sealed interface RouteTarget {
        /// Ask DNS for the domain's mail exchangers.
        record Mx() implements RouteTarget {}

        /// @param tls empty for the default
        /// @param implicitTls TLS from the first byte; then `tls` is given and mandatory
        record Fixed(Route.Host host, Optional<TlsUse> tls, boolean implicitTls) implements RouteTarget {
            public Fixed(Route.Host host) {
                this(host, Optional.empty(), false);
            }
        }

        /// @param endpoint `host:port` or `unix:/path`
        record Lmtp(String endpoint) implements RouteTarget {}

        record Discard() implements RouteTarget {}
    }

    /// The TLS that a route or a destination demands of its hosts, from the loosest to the strictest.
    public enum TlsUse {
        NONE, MAY, ENCRYPT, VERIFY;

        /// Mail waits rather than going in the clear.
        public static final List<TlsUse> STRICT = List.of(ENCRYPT, VERIFY);

        public static TlsUse of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// True when this is a demand, and the other one is none or a smaller one.
        public boolean isStricter(Optional<TlsUse> other) {
            return STRICT.contains(this) && other.map(each -> compareTo(each) > 0).orElse(true);
        }
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
            @Setting(value = "false",
                    doc = "Send the password also without TLS (PLAIN and LOGIN; SCRAM never sends"
                            + " it).") boolean loginInTheClear,
            @Setting(value = "",
                    doc = "File of the certificates in PEM whose signature `tls=verify` accepts. Empty: the"
                            + " authorities that this Java knows.") Optional<Path> authorities) {}

    /// The section `[tls]`.
    ///
    /// @param certificate both empty: a self-signed pair is made at the first handshake
    /// @param further for clients that ask for one of their names
    /// @param off names of listeners that do not offer STARTTLS
    @SettingsSection("tls")
    public record Tls(
            @Setting(value = "",
                    doc = "The certificate chain in PEM, relative to the home folder. Without it a self-signed pair"
                            + " is made at the first handshake in `tls/self-signed.*`.") Optional<Path> certificate,
            @Setting(value = "",
                    doc = "Its private key in PEM (PKCS#8 or PKCS#1). Files that change are used from the next"
                            + " session on.") Optional<Path> key,
            @Setting(value = "",
                    doc = "More certificates, for clients that ask for one of their names (SNI): each"
                            + " `certificate-file key-file`, or one file that holds both.") List<Pair> further,
            @Setting(value = "", oneOf = {
                    "smtp", "submission", "lmtp"},
                    doc = "Listeners that do not offer STARTTLS: for tests, and where something else encrypts. No"
                            + " user can log in there.") List<String> off) {
        public Tls {
            further = List.copyOf(further);
            off = List.copyOf(off);
        }

        public Tls(Optional<Path> certificate, Optional<Path> key) {
            this(certificate, key, List.of(), List.of());
        }

        /// Two files, which may be one and the same.
        public record Pair(Path certificate, Path key) {}
    }

    /// The section `[submission]`: how users log in and what they may do then.
    ///
    /// @param networksWithoutLogin clients of [Relay] need not log in
    /// @param auth empty: the file of users; otherwise Dovecot's socket, `unix:/path` or `host:port`
    /// @param longestHold how far ahead mail may be submitted; zero: not at all
    @SettingsSection("submission")
    public record Submission(
            @Setting(value = "true",
                    doc = "Clients of `relay.networks` may send without a login, and without TLS, on"
                            + " `listen.submission`. `false`: every client logs in.") boolean networksWithoutLogin,
            @Setting(value = "true",
                    doc = "A user who has logged in may send only in the name of the addresses that belong to the"
                            + " user (`mta user list`).") boolean senderMustBelong,
            @Setting(value = "false",
                    doc = "Offer SCRAM-SHA-256-PLUS, which binds a login to its TLS connection: a relay between"
                            + " client and server cannot use it. Some clients, such as mutt, choose it and cannot"
                            + " bind.") boolean channelBinding,
            @Setting(value = "users", form = "login-source",
                    doc = "Where logins are decided: `users`, the file of `mta user`, or a socket of Dovecot's"
                            + " authentication service, `dovecot:/run/dovecot/auth-client` or"
                            + " `dovecot:host:port`.") Optional<String> auth,
            GuessGuard.GuessSettings guesses,
            @Setting(value = "30d", max = "999999999s",
                    doc = "How far ahead a message may be submitted that is to be sent later (FUTURERELEASE, RFC"
                            + " 4865). `0s`: not offered.") Duration longestHold) {}

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
            @Setting(section = "limits", value = "32MiB", min = "1MiB",
                    doc = "Memory for the recipients of all open transactions, and for headers that a check reads. 8"
                            + " KiB of each transaction are not counted. Beyond the limit recipients are deferred"
                            + " with 452.") DataSize transactionMemory,
            @Setting(value = "1s", max = "60s",
                    doc = "While mail arrives faster than the queue manager takes it, each message waits this long"
                            + " before it is accepted. `0s`: never.") Duration inFlowDelay,
            @Setting(key = "deliver", value = "true",
                    restart = "the queue manager was started with or without deliveries",
                    doc = "`false`: mail is accepted and kept, and none is sent before the server is started with"
                            + " `true` again.") boolean delivers,
            @Setting(section = "concurrency", value = "false",
                    restart = "the queue manager was started with or without this observer",
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
    /// @param delivery empty: the Maildirs of [Local]; otherwise the next hop of LMTP
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

    /// The section `[policy]`, besides the limits of a session; see `server.policy`.
    ///
    /// @param strictTurns clients wait for the replies to EHLO and DATA
    /// @param exempt besides the relay networks: clients that only the header checks concern
    /// @param clientPrefixV4 clients of one such network count as one
    /// @param connectionsPerMinute 0: no limit, as for the other rates
    @SettingsSection("policy")
    public record PolicySettings(
            @Setting(value = "0s", max = "30s",
                    doc = "Pause before the greeting. A client that sends something in this time is refused with"
                            + " 554, with `0s` if it has already sent something. Some seconds stop many spam"
                            + " programs, and delay every client.") Duration greetingDelay,
            @Setting(value = "true",
                    doc = "Refuse clients that do not wait for the reply to EHLO or DATA (RFC 2920 section"
                            + " 3.1).") boolean strictTurns,
            @Setting(value = "",
                    doc = "Clients that rates, block lists, sender domains and greylisting do not concern, as those"
                            + " of `relay.networks`: a backup MX, a known forwarder. They still may not"
                            + " relay.") List<Network> exempt,
            @Setting(value = "32", min = "8", max = "32",
                    doc = "IPv4 clients that have this number of bits in common count as one.") int clientPrefixV4,
            @Setting(value = "64", min = "16", max = "128",
                    doc = "IPv6 clients that have this number of bits in common count as one.") int clientPrefixV6,
            @Setting(value = "120",
                    doc = "Per client network. Further connections are refused with 421. 0: no limit, here and"
                            + " below.") int connectionsPerMinute,
            @Setting(value = "3000",
                    doc = "Per client network. Further messages are deferred with 450.") int messagesPerHour,
            @Setting(value = "10000",
                    doc = "Per client network, known here or not. Further recipients are deferred with"
                            + " 450.") int recipientsPerHour,
            @Setting(value = "1000",
                    doc = "Per user who has logged in, from any network.") int userMessagesPerHour,
            @Setting(value = "5000",
                    doc = "Per user who has logged in, from any network.") int userRecipientsPerHour,
            @Setting(value = "20000", min = "100", max = "10000000",
                    doc = "Networks and users whose rates are kept. The one that was unused longest is forgotten"
                            + " first.") int ratesRemembered,
            @Setting(value = "",
                    doc = "DNS lists of clients whose mail is refused with 554, or with ` tag` after the name only"
                            + " tagged. A list that does not answer in time is ignored.") List<BlockList> blockLists,
            @Setting(value = "false",
                    doc = "Refuse senders whose domain DNS does not know, or that accepts no mail (RFC 7505):"
                            + " nothing could be returned to them. No sender is refused because DNS is slow or"
                            + " broken.") boolean senderDomain,
            @Setting(value = "3s", min = "10ms", max = "60s",
                    doc = "How long a client waits for one answer of DNS before the query is"
                            + " abandoned.") Duration dnsTimeout,
            Greylisting greylisting, RspamdSettings rspamd,
            @Setting(value = "any",
                    doc = "`unambiguous`: refuse a header with two From, To, Subject and the like (RFC 5322 section"
                            + " 3.6), in which two readers see two messages. `with-from`: also one without"
                            + " From.") HeaderStrictness headerForm,
            @Setting(value = "",
                    doc = "File of header checks, relative to the home folder: lines `action field /pattern/ text`;"
                            + " docs/security.md.") Optional<Path> headerChecks) {
        public PolicySettings {
            exempt = List.copyOf(exempt);
            blockLists = List.copyOf(blockLists);
        }
    }

    /// The form that a header must have.
    public enum HeaderStrictness {
        ANY,
        /// No two From fields and the like.
        UNAMBIGUOUS,
        /// That, and at least one From.
        WITH_FROM
    }

    /// @param tagOnly mail of listed clients is accepted, and tagged
    public record BlockList(String zone, boolean tagOnly) {}

    /// Greylisting in `[policy]`.
    ///
    /// @param window how long a first attempt is remembered
    /// @param keep how long a client that came back is known, after its last mail
    /// @param remembered number of senders in memory
    @SettingsSection("policy")
    public record Greylisting(
            @Setting(key = "greylisting", value = "false",
                    doc = "Defer the first message of a sender. A mail server comes back, many spam programs do not."
                            + " Delays honest mail. Kept in memory only.") boolean on,
            @Setting(key = "greylist-delay", value = "5m", min = "1ms", max = "1d",
                    doc = "A sender that comes back sooner is deferred again.") Duration delay,
            @Setting(key = "greylist-window", value = "1d", min = "1ms",
                    doc = "A sender that comes back later counts as new.") Duration window,
            @Setting(key = "greylist-keep", value = "35d", min = "1ms",
                    doc = "How long after its last mail a sender that came back is known.") Duration keep,
            @Setting(key = "greylist-remembered", value = "100000", min = "100", max = "10000000",
                    doc = "Senders in memory, some 200 bytes each. The one that was unused longest is forgotten"
                            + " first.") int remembered) {}

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

    /// One line of the file of header checks.
    ///
    /// @param pattern found anywhere in the unfolded value
    /// @param text the reply to the client, or the tag
    public record HeaderRule(Action action, String field, Pattern pattern, String text) {
        public enum Action {
            REJECT, DEFER, TAG, ACCEPT
        }
    }
}
