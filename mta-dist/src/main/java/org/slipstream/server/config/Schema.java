package org.slipstream.server.config;

import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.QueueSettings;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.server.history.HistorySettings;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpout.ClientSettings;
import org.slipstream.spool.SpoolConfig;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/// All sections and keys of `mta.toml`. The keys come from the annotated components of records
/// ([org.slipstream.core.Setting]), so a key that a record declares is read, checked, written and
/// documented, and no other is.
///
/// The sections whose names the operator chooses, `[aliases]` and `[routes]`, are read by
/// [AliasBook] and [RouteBook]; `[transport.NAME]` by [TransportBook], `[destination."…"]` and
/// `[ring."…"]` by [DestinationBook], `[retry."…"]` by [RetryBook].
final class Schema {
    static final String ALIASES = "aliases";
    static final String ROUTES = "routes";
    static final String TRANSPORT = "transport";
    static final String RETRY = "retry";
    static final String DESTINATION = "destination";
    static final String RING = "ring";

    /// The settings of a server. One more record of settings is one more line here.
    static final Schema SERVER = new Schema(serverSections(),
            List.of(Config.Identity.class, Config.Listen.class, Config.Local.class, AliasFiles.Names.class,
                    AddressTables.RewriteSettings.class, AddressTables.CopySettings.class,
                    Config.Submission.class, Config.Trust.class, Config.Tls.class, Limits.class, Config.Relay.class,
                    Config.PolicySettings.class,
                    QueueSettings.class, TransportSettings.class, Config.Operation.class, PlacementSettings.class,
                    ClientSettings.class,
                    Config.SmartHost.class, AddressTables.SenderHosts.class, SpoolConfig.class, ShardSettings.class,
                    HistorySettings.class,
                    Config.Log.class));

    private final SequencedMap<String, String> sections;
    private final SequencedMap<String, Key> keys = new LinkedHashMap<>();

    /// @param sections in the order of the file, each with the sentence that introduces it
    Schema(SequencedMap<String, String> sections, List<Class<? extends Record>> records) {
        this.sections = sections;
        records.stream().flatMap(type -> SettingsRecords.declared(type).stream())
                .map(declared -> new Key(declared, Forms.of(declared.type(), declared.setting()))).forEach(this::add);
    }

    private void add(Key key) {
        if (!sections.containsKey(key.section()) || keys.put(key.dotted(), key) != null) {
            throw new IllegalStateException(key.dotted() + " has no section or is declared twice");
        }
    }

    SequencedMap<String, String> sections() {
        return sections;
    }

    List<Key> keys() {
        return List.copyOf(keys.values());
    }

    Stream<Key> keys(String section) {
        return keys.values().stream().filter(key -> key.section().equals(section));
    }

    /// @throws IllegalArgumentException a check names a key that does not exist
    Key key(String dotted) {
        return Optional.ofNullable(keys.get(dotted))
                .orElseThrow(() -> new IllegalArgumentException("no key " + dotted));
    }

    /// The key of a name; that of `smtp.lanes` in `[transport]`.
    Optional<Key> find(String section, String name) {
        switch (section) {
            case TRANSPORT -> {
                return TransportBook.key(name);
            }
            case RETRY -> {
                return RetryBook.key(name);
            }
            case DESTINATION, RING -> {
                return DestinationBook.key(section, name);
            }
            default -> {
                // One of the keys below.
            }
        }
        String dotted = dotted(section, name);
        return Optional.ofNullable(keys.get(dotted));
    }

    private static String dotted(String section, String name) {
        return section.isEmpty() ? name : section + "." + name;
    }

    boolean isSection(String name) {
        return !name.isEmpty() && sections.containsKey(name);
    }

    /// True for the sections whose keys the operator invents.
    static boolean isFree(String section) {
        return section.equals(ALIASES) || section.equals(ROUTES);
    }

    /// True for the sections that hold one section for each transport, destination or retry policy;
    /// the keys are `smtp.lanes` and the like.
    static boolean isNested(String section) {
        return section.equals(TRANSPORT) || hasNamedClauses(section);
    }

    /// True for the nested sections whose inner names the operator invents, with dots in them.
    static boolean hasNamedClauses(String section) {
        return section.equals(DESTINATION) || section.equals(RING) || section.equals(RETRY);
    }

    boolean isKey(String section, String name) {
        return isFree(section) || find(section, name).isPresent();
    }

    /// The suggestion for an unknown key: a near name of its section, or the same or a near name of
    /// another.
    Optional<String> meant(String section, String name) {
        if (isNested(section)) {
            return switch (section) {
                case TRANSPORT -> TransportBook.meant(name);
                case RETRY -> RetryBook.meant(name);
                default -> DestinationBook.meant(section, name);
            };
        }
        if (section.equals("listen") && name.equals("admin")) {
            return Optional.of("the API has no port any more but the socket run/admin.sock; leave this line out");
        }
        Optional<String> here = Nearest.to(name, keys(section).map(Key::name).toList())
                .or(() -> section.isEmpty() ? Nearest.to(name, sections.keySet()) : Optional.empty());
        if (here.isPresent()) {
            return Optional.of("did you mean \"" + here.get() + "\"?");
        }
        return named(name)
                .or(() -> Nearest.to(name, keys.values().stream().map(Key::name).toList()).flatMap(this::named))
                .map(key -> "did you mean \"" + key.name() + "\" " + place(key) + "?");
    }

    Optional<String> meantSection(String section) {
        List<String> known = sections.keySet().stream().filter(s -> !s.isEmpty()).toList();
        return Nearest.to(section, known).map(near -> "did you mean [" + near + "]?");
    }

    private Optional<Key> named(String name) {
        return keys.values().stream().filter(key -> key.name().equals(name)).findFirst();
    }

    private static String place(Key key) {
        return key.section().isEmpty() ? "before the first section" : "in [" + key.section() + "]";
    }

    private static SequencedMap<String, String> serverSections() {
        SequencedMap<String, String> sections = new LinkedHashMap<>();
        sections.put("", "");
        sections.put("listen", "Addresses at which the server accepts connections.");
        sections.put("local", "Mail that is delivered here.");
        sections.put(ALIASES,
                "Other names: a local part (of every local domain) or a full address, and the addresses that"
                        + " receive its mail instead, here or elsewhere.");
        sections.put("rewrite", "Other addresses for mail of own clients (docs/addresses.md).");
        sections.put("copy", "Copies of mail (docs/addresses.md).");
        sections.put("relay", "Mail for other domains.");
        sections.put("submission", "Mail of users, who log in (`mta user add`).");
        sections.put("maildrop", "Mail that programs of this machine leave with `sendmail` (docs/sendmail.md).");
        sections.put("trust", "Clients that may speak for other clients.");
        sections.put(ROUTES, "Where mail for other domains goes: first the exact domain, then the longest `.suffix`"
                + " (subdomains only), then `*`.");
        sections.put("tls", "Encryption of incoming sessions (STARTTLS).");
        sections.put("limits", "Limits of a client and its sessions.");
        sections.put("policy", "Which mail is accepted. The checks run in the order of docs/security.md.");
        sections.put("queue", "How mail waits and is tried again.");
        sections.put(RETRY, "Retry policies, each in a section [retry.\"name\"]: when mail that waits is tried again"
                + " (docs/retry.md).");
        sections.put("scheduler", "Which message is next (docs/scheduler.md). Names as in Postfix.");
        sections.put("concurrency",
                "How many connections to one destination (docs/scheduler.md). Names as in Postfix.");
        sections.put(TRANSPORT, "Settings that differ for one transport.");
        sections.put(DESTINATION,
                "Settings that differ for one destination (docs/destinations.md). Clauses add up in their order; the"
                        + " first that names a transport is the last that is read.");
        sections.put(RING, "Destinations that share a limit of connections.");
        sections.put("placement", "On which connection a message goes, and when another one is opened.");
        sections.put("smtp-client", "How mail is sent to other servers (timeouts: RFC 5321 section 4.5.3.2).");
        sections.put("smarthost",
                "Hosts that relay mail for this server, named in `[routes]` as `smtp:host:port`, or `smtps:host`"
                        + " where TLS comes first (port 465).");
        sections.put("spool", "How mail is kept on disk.");
        sections.put("shard", "Queues side by side, each with a folder and a thread of its own (docs/shards.md).");
        sections.put("history",
                "Events of messages, also of those that have left the queue (docs/trace.md). They name senders and"
                        + " recipients.");
        sections.put("log", "The level of the log.");
        sections.put("admin",
                "The access of others than the owner of the server to the admin API (docs/operating.md).");
        sections.put("journal", "The decisions of the queue manager, for `jq` and `mta lab replay` (docs/journal.md).");
        return sections;
    }
}
