package org.slipstream.config;

import org.slipstream.cluster.ClusterSettings;
import org.slipstream.events.account.AccountSettings;
import org.slipstream.events.bounce.BounceSettings;
import org.slipstream.events.feedback.FeedbackSettings;
import org.slipstream.events.stream.EventSettings;
import org.slipstream.guard.login.SubmissionSettings;
import org.slipstream.guard.policy.PolicySettings;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.local.address.AddressTables;
import org.slipstream.local.address.LocalSettings;
import org.slipstream.monitor.alarm.AlarmSettings;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.settings.Schema;
import org.slipstream.settings.SchemaSection;
import org.slipstream.shaping.ShapingSettings;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpout.ClientSettings;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.history.HistorySettings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/// The sections of `mta.toml`, and the records that declare their keys.
///
/// The sections whose names the operator chooses, `[aliases]` and `[routes]`, are read by
/// [AliasBook] and [RouteBook]; `[transport.NAME]` by [TransportBook], `[destination."…"]` and
/// `[ring."…"]`, `[provider.NAME]` and `[account."…"]` by [DestinationBook], `[retry."…"]` by [RetryBook],
/// `[webhook.NAME]` by [WebhookBook], `[source.NAME]` and `[pool.NAME]` by [SourceBook].
public final class ServerSchema {
    static final String ALIASES = "aliases";
    static final String ROUTES = "routes";
    static final String TRANSPORT = "transport";
    static final String RETRY = "retry";
    static final String WEBHOOK = "webhook";
    static final String DESTINATION = "destination";
    static final String SOURCE = "source";
    static final String POOL = "pool";
    static final String RING = "ring";
    static final String PROVIDER = "provider";
    static final String ACCOUNT = "account";

    /// The settings of a server. One more record of settings is one more line here.
    public static final Schema SERVER = new Schema(serverSections(),
            List.of(Config.Identity.class, Config.Listen.class, LocalSettings.class, AliasFiles.Names.class,
                    AddressTables.RewriteSettings.class, AddressTables.CopySettings.class,
                    SubmissionSettings.class, Config.Trust.class, TlsSettings.class, Limits.class, Config.Relay.class,
                    PolicySettings.class, DailyReportSettings.class,
                    QueueSettings.class, TransportSettings.class, Config.Operation.class, PlacementSettings.class,
                    ClientSettings.class,
                    Config.SmartHost.class, Config.SenderHosts.class, SpoolConfig.class, ClusterSettings.class,
                    ShardSettings.class,
                    HistorySettings.class, EventSettings.class, AlarmSettings.class, BounceSettings.class,
                    FeedbackSettings.class, AccountSettings.class, ShapingSettings.class, Config.Log.class),
            MailForms.ALL);

    private ServerSchema() {}

    private static void declared(SequencedMap<String, SchemaSection> sections, String name, String doc) {
        sections.put(name, new SchemaSection.Declared(doc));
    }

    private static SequencedMap<String, SchemaSection> serverSections() {
        SequencedMap<String, SchemaSection> sections = new LinkedHashMap<>();
        declared(sections, "", "");
        declared(sections, "listen", "Addresses at which the server accepts connections.");
        declared(sections, "local", "Mail that is delivered here.");
        sections.put(ALIASES,
                new SchemaSection.Free(
                        "Other names: a local part (of every local domain) or a full address, and the addresses that"
                                + " receive its mail instead, here or elsewhere.",
                        AliasBook.TARGETS, List.of("#   \"sales\" = [\"alice@example.org\", \"bob@elsewhere.example\"]",
                                "#   \"info@example.org\" = \"alice@example.org\"")));
        declared(sections, "rewrite", "Other addresses for mail of own clients (docs/addresses.md).");
        declared(sections, "copy", "Copies of mail (docs/addresses.md).");
        declared(sections, "relay", "Mail for other domains.");
        declared(sections, "submission", "Mail of users, who log in (`mta user add`).");
        declared(sections, "maildrop", "Mail that programs of this machine leave with `sendmail` (docs/sendmail.md).");
        declared(sections, "trust", "Clients that may speak for other clients.");
        sections.put(ROUTES, new SchemaSection.Free(
                "Where mail for other domains goes: first the exact domain, then the longest `.suffix`"
                        + " (subdomains only), then `*`.",
                RouteBook.TARGET,
                List.of("#   \"far.example\" = \"smtp:192.0.2.1:25\"            # this host, no look-up of MX records",
                        "#   \".internal.example\" = \"lmtp:127.0.0.1:2424\"",
                        "#   \"box.example\" = \"lmtp:unix:/run/lmtp.sock\"", "#   \"nowhere.example\" = \"discard\"",
                        "#\"*\" = \"mx\"")));
        declared(sections, "tls", "Encryption of incoming sessions (STARTTLS).");
        declared(sections, "limits", "Limits of a client and its sessions.");
        declared(sections, "policy", "Which mail is accepted. The checks run in the order of docs/security.md.");
        declared(sections, "reports",
                "Daily reports to the owners of other domains (docs/daily-reports.md). Their author is the postmaster;"
                        + " receivers want them signed by its domain.");
        declared(sections, "queue", "How mail waits and is tried again.");
        sections.put(RETRY, new SchemaSection.Nested(
                "Retry policies, each in a section [retry.\"name\"]: when mail that waits is tried again"
                        + " (docs/retry.md).",
                RetryBook.KEYS,
                List.of("#   [retry.\"slow\"]",
                        "#   kind = \"factors\"                            # or age-doubling, quadratic, list",
                        "#   interval = \"1m\"", "#   factors = \"1 1 2 3 5 8 13 21 34\"", "#   jitter = \"10%\"",
                        "#   on-greylisting = \"qmail\"                   # another policy for one class of errors")));
        declared(sections, "scheduler", "Which message is next (docs/scheduler.md). Names as in Postfix.");
        declared(sections, "concurrency",
                "How many connections to one destination (docs/scheduler.md). Names as in Postfix.");
        sections.put(TRANSPORT, new SchemaSection.Nested(
                "Settings that differ for one transport, and transports of your own (docs/destinations.md).",
                TransportBook.KEYS,
                List.of("#   smtp.destination-rate-delay = \"1s\"           # one of the keys of [scheduler], [concurrency]",
                        "#   local.lanes = 4                             # and lanes, lanes-per-destination,",
                        "#                                               # recipients-per-delivery of [queue]",
                        "#   relay.kind = \"smtp\"                         # a transport of your own, for [routes]")));
        sections.put(DESTINATION, new SchemaSection.Nested(
                "Settings that differ for one destination (docs/destinations.md). Clauses add up in their order; the"
                        + " first that names a transport is the last that is read.",
                DestinationBook.CLAUSES,
                List.of("#   [destination.\"provider.example\"]               # a domain, \".suffix\", \"*\",",
                        "#   rate = \"100/1h\"                              # \"mx:host\" or \"smtp:host:port\"",
                        "#   lanes = 2")));
        sections.put(PROVIDER, new SchemaSection.Nested(
                "Limits of a provider, for all domains that it serves (docs/providers.md). `mta provider list` shows"
                        + " those that the program knows.",
                DestinationBook.PROVIDERS,
                List.of("#   [provider.google]                           # a known one, or one of your own with hosts",
                        "#   lanes = 50", "#   rate = \"2000/1h\"")));
        sections.put(RING,
                new SchemaSection.Nested("Destinations that share limits.", DestinationBook.RINGS,
                        List.of("#   [ring.\"bulk\"]                               # for clauses with ring = \"bulk\"",
                                "#   lanes = 20")));
        declared(sections, "placement", "On which connection a message goes, and when another one is opened.");
        declared(sections, "smtp-client", "How mail is sent to other servers (timeouts: RFC 5321 section 4.5.3.2).");
        sections.put(SOURCE, new SchemaSection.Nested(
                "Addresses from which mail leaves, each in a section [source.name], for pools (docs/sources.md).",
                SourceBook.SOURCES,
                List.of("#   [source.a]", "#   address-v4 = \"192.0.2.10\"", "#   hostname = \"out-a.example.org\"",
                        "#   warm-up = \"2026-12-01\"                        # a new address sends little at first")));
        sections.put(POOL, new SchemaSection.Nested(
                "Sources that share mail by weight, each pool in a section [pool.name] (docs/sources.md).",
                SourceBook.POOLS,
                List.of("#   [pool.news]", "#   sources = [\"a:3\", \"b\"]", "#   senders = [\"shop.example\"]")));
        declared(sections, "smarthost",
                "Hosts that relay mail for this server, named in `[routes]` as `smtp:host:port`, or `smtps:host`"
                        + " where TLS comes first (port 465).");
        declared(sections, "spool", "How mail is kept on disk.");
        declared(sections, "cluster", "Several servers over one database (docs/cluster.md).");
        sections.put("shard", new SchemaSection.Declared(
                "Queues side by side, each with a folder and a thread of its own (docs/shards.md).",
                Optional.of(ShardBook.KEYS)));
        declared(sections, "history",
                "Events of messages, also of those that have left the queue (docs/trace.md). They name senders and"
                        + " recipients.");
        declared(sections, "events",
                "Events of each message for programs (docs/events.md). They name senders and recipients.");
        sections.put(WEBHOOK, new SchemaSection.Nested(
                "Web servers that get events by POST, each in a section [webhook.name] (docs/events.md#webhooks).",
                WebhookBook.KEYS,
                List.of("#   [webhook.shop]", "#   url = \"https://shop.example/mail-events\"",
                        "#   secret-file = \"shop.secret\"", "#   senders = [\"shop.example\"]")));
        declared(sections, "alarm",
                "Messages about troubles of the server that need no mail (docs/observing.md).");
        declared(sections, "bounces",
                "Refused mail: its classes, and addresses that get no more mail (docs/bounces.md).");
        declared(sections, "feedback",
                "Complaints, late reports, and links to unsubscribe (docs/feedback.md).");
        declared(sections, "accounts", "How much users and domains of senders may send (docs/accounts.md).");
        sections.put(ACCOUNT, new SchemaSection.Nested(
                "Caps that differ for one user, or for one domain of senders (docs/accounts.md).",
                DestinationBook.ACCOUNTS,
                List.of("#   [account.\"alice\"]                            # a user, or \"@shop.example\"",
                        "#   per-hour = 500")));
        declared(sections, "shaping",
                "Replies of other servers that limit the mail to them for a time (docs/shaping.md).");
        declared(sections, "log", "The level of the log.");
        declared(sections, "admin",
                "The access of others than the owner of the server to the admin API (docs/operating.md).");
        declared(sections, "journal",
                "The decisions of the queue manager, for `jq` and `mta lab replay` (docs/journal.md).");
        return sections;
    }
}
