package org.slipstream.config;

import org.slipstream.cluster.ClusterSettings;
import org.slipstream.core.Address;
import org.slipstream.events.account.AccountRules;
import org.slipstream.events.account.AccountSettings;
import org.slipstream.events.bounce.BounceClasses;
import org.slipstream.events.bounce.BounceSettings;
import org.slipstream.events.feedback.FeedbackSettings;
import org.slipstream.events.stream.EventSettings;
import org.slipstream.events.webhook.WebhookReceiver;
import org.slipstream.guard.login.SubmissionSettings;
import org.slipstream.guard.policy.HeaderChecks;
import org.slipstream.guard.policy.PolicySettings;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.local.address.LocalSettings;
import org.slipstream.monitor.alarm.AlarmSettings;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.settings.AccessRemedy;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.NamedFiles;
import org.slipstream.settings.Overrides;
import org.slipstream.settings.SettingEntry;
import org.slipstream.settings.SettingsSource;
import org.slipstream.settings.SourcePlace;
import org.slipstream.settings.TomlSource;
import org.slipstream.settings.Values;
import org.slipstream.shaping.ShapingSettings;
import org.slipstream.smtpin.policy.HeaderPatterns;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpout.ClientSettings;
import org.slipstream.smtpout.source.SourceTable;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.history.HistorySettings;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// Reads `mta.toml`, the environment and `--set` into a [Config], or reports everything that is wrong with
/// them.
///
/// Four steps add to the same list of complaints: text to entries ([TomlSource], [Overrides]),
/// entries to values ([Values], by the [org.slipstream.settings.Schema]), values to records
/// ([org.slipstream.core.SettingsRecords]), and the records against each other ([Checks],
/// [AliasBook], [RouteBook]).
public final class ConfigReader {
    private ConfigReader() {}

    /// @param overrides `key=value`, stronger than the file; the last of a key counts
    public static ReadResult read(SettingsSource source, List<String> overrides) {
        return read(source, HostName.ofMachine(), overrides);
    }

    static ReadResult read(SettingsSource source, String machine, List<String> overrides) {
        Complaints complaints = new Complaints();
        List<SettingEntry> entries = new ArrayList<>();
        text(source, complaints).ifPresent(text -> entries
                .addAll(TomlSource.read(ServerSchema.SERVER, source.fileName(), text, complaints)));
        Overrides lines = new Overrides(ServerSchema.SERVER, complaints);
        entries.addAll(lines.ofEnvironment(source.environment()));
        entries.addAll(lines.ofCommandLine(overrides));
        Values values = new Values(ServerSchema.SERVER, source.home(), entries, machine, complaints);
        Config config = build(source.home(), values, complaints);
        return complaints.count() == 0
                ? new ReadResult.Accepted(config)
                : new ReadResult.Rejected(complaints.inOrder());
    }

    /// Empty when there is no file, so that every default holds.
    private static Optional<String> text(SettingsSource source, Complaints complaints) {
        try {
            return decode(BoundedFiles.bytes(source.file(), BoundedFiles.MOST_TEXT_OCTETS), source.fileName(),
                    complaints);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException unreadable) {
            complaints.add(new SourcePlace(source.fileName(), 0), "",
                    "the file cannot be read: " + new AccessRemedy(source.home()).words(unreadable));
            return Optional.empty();
        }
    }

    private static Optional<String> decode(byte[] bytes, String file, Complaints complaints) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        CoderResult result = decoder.decode(in, out, true);
        if (result.isError()) {
            int line = 1 + (int) out.flip().chars().filter(c -> c == '\n').count();
            complaints.add(new SourcePlace(file, line), "", "a character that is not UTF-8");
            return Optional.empty();
        }
        // Editors of another system write a byte order mark first, which TOML does not know.
        String text = out.flip().toString();
        return Optional.of(text.startsWith("\uFEFF") ? text.substring(1) : text);
    }

    private static Config build(Path home, Values values, Complaints complaints) {
        String hostname = values.record(Config.Identity.class).hostname();
        Config.Listen listen = values.record(Config.Listen.class);
        LocalSettings local = values.record(LocalSettings.class);
        PolicySettings policy = values.record(PolicySettings.class);
        SequencedMap<String, RetrySettings> retries = RetryBook.read(values, complaints);
        NamedFiles files = new NamedFiles(home, values, complaints);
        BounceSettings bounces = values.record(BounceSettings.class);
        Map<String, List<Address>> aliases = aliases(values, local, files);
        List<HeaderPatterns.Rule> headerRules = policy.headerChecks().map(file -> HeaderChecks.read(file, files))
                .orElse(List.of());
        TransportBook.Transports ways = TransportBook.read(values, complaints);
        TransportTable transports = ways.table();
        Map<String, RouteTarget> routes = RouteBook.read(values.table(ServerSchema.ROUTES), local.domains(),
                listen.open().values(), transports, complaints);
        DestinationTable destinations = DestinationBook.read(values, retries.keySet(), transports, complaints);
        SourceTable sources = SourceBook.read(values, complaints);
        SourceBook.checkPools(destinations, sources, values, complaints);
        AddressTablesReader tables = new AddressTablesReader(values, files, transports);
        EventSettings events = values.record(EventSettings.class);
        List<WebhookReceiver> webhooks = WebhookBook.read(home, values, files,
                events.isOn() || !values.isSound("events.keep"));
        Config config = new Config(home, hostname, listen, local, aliases, tables.read(),
                values.record(Config.Relay.class),
                routes, tables.senderRoutes(routes, listen.open().values()),
                values.record(TlsSettings.class), values.record(Limits.class), values.record(SubmissionSettings.class),
                values.record(Config.Trust.class), policy, values.record(DailyReportSettings.class), headerRules,
                values.record(QueueSettings.class), retries, transports, ways.programs(), destinations, sources,
                values.record(Config.Operation.class),
                values.record(PlacementSettings.class), values.record(ClientSettings.class),
                values.record(Config.SmartHost.class),
                values.record(SpoolConfig.class), values.record(ClusterSettings.class),
                values.record(ShardSettings.class),
                ShardBook.read(values, values.record(ShardSettings.class), complaints),
                values.record(HistorySettings.class), events, webhooks,
                values.record(AlarmSettings.class), bounces,
                bounces.classes().map(file -> BounceClasses.read(files.lines(BounceClasses.KEY, file), files.name(file),
                        complaints)).orElseGet(BounceClasses::ofProgram),
                values.record(FeedbackSettings.class),
                new AccountRules(values.record(AccountSettings.class), DestinationBook.accounts(values, complaints)),
                ShapingBook.read(values.record(ShapingSettings.class), files),
                values.record(Config.Log.class), values.written(), files.all());
        new Checks(config, values, complaints).run();
        return config;
    }

    /// When the domains or mailboxes could not be read, every alias would seem to lead nowhere:
    /// then only its own form is checked.
    private static Map<String, List<Address>> aliases(Values values, LocalSettings local, NamedFiles files) {
        Complaints complaints = files.complaints();
        if (values.isSound("local.domains", "local.mailboxes", "local.postmaster", "local.subaddress-delimiter")) {
            return AliasBook.read(AliasFiles.read(values.record(AliasFiles.Names.class),
                    values.table(ServerSchema.ALIASES), local, files), local, complaints);
        }
        values.table(ServerSchema.ALIASES)
                .forEach((name, value) -> AliasBook.TARGETS.read(value, ServerSchema.ALIASES + "." + name, complaints));
        return Map.of();
    }
}
