package org.slipstream.lab.scenario;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.TransportKind;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.ServerProfile;
import org.slipstream.lab.ShardPlan;
import org.slipstream.lab.scenario.ScenarioFile.ScenarioMessage;
import org.slipstream.lab.scenario.SettingsReader.ScenarioSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.settings.TomlMistake;
import org.slipstream.settings.TomlSection;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/// Reads a scenario file: messages ([MessagesReader]), servers and routes ([NetworkReader]), settings
/// ([SettingsReader]) and expectations ([ExpectationsReader]).
///
/// Reading ends at the first mistake, with a sentence that has file, line, mistake and remedy.
public final class ScenarioReader {
    /// A valid file, or the sentence about its first mistake.
    public sealed interface Reading {
        record Good(ScenarioFile file) implements Reading {}

        record Bad(String sentence) implements Reading {}
    }

    private ScenarioReader() {}

    /// A file with every section whose keys can be changed without the name of the section.
    private static final String ALL_SECTIONS = """
            title = "-"
            [settings]
            [transport]
            [placement]
            [servers.default]
            [[messages]]
            to = { "a.example" = 1 }
            """;

    /// @param name of the file, for error messages
    public static Reading read(String name, String text) {
        return read(name, text, List.of());
    }

    /// Reads a file and changes the values of some keys. The result has no expectations if a key is
    /// changed, because the expectations are valid for the unchanged file only.
    ///
    /// @param name of the file, for error messages
    /// @param changes each `key=value`; a key of a section is `section.key`, but keys of `settings`,
    ///     `transport`, `placement` and `servers.default` need no section
    public static Reading read(String name, String text, List<String> changes) {
        return read(name, text, changes, _ -> Optional.empty());
    }

    /// @param scripts the text of a script of the sink, by the name that the scenario gives it
    public static Reading read(String name, String text, List<String> changes,
            Function<String, Optional<String>> scripts) {
        return read(name, text, changes, scripts, Long.MAX_VALUE);
    }

    /// @param scripts the text of a script of the sink, by the name that the scenario gives it
    /// @param mostRecipients of all messages together
    public static Reading read(String name, String text, List<String> changes,
            Function<String, Optional<String>> scripts, long mostRecipients) {
        try {
            ChangedKeys changed = ChangedKeys.of(changes, changes.isEmpty() ? List.of() : knownPaths());
            ScenarioFile file = file(name, TomlSection.of(name, text, "at", changed), scripts, mostRecipients);
            changed.requireAllUsed(name);
            return new Reading.Good(changes.isEmpty() ? file : file.with(changes));
        } catch (TomlMistake wrong) {
            return new Reading.Bad(wrong.getMessage());
        }
    }

    private static Collection<String> knownPaths() {
        ChangedKeys none = ChangedKeys.none();
        file("", TomlSection.of("", ALL_SECTIONS, "at", none), _ -> Optional.empty(), Long.MAX_VALUE);
        return none.requested();
    }

    private static ScenarioFile file(String fileName, TomlSection root, Function<String, Optional<String>> scripts,
            long mostRecipients) {
        String title = root.need("title");
        String story = root.text("story").orElse("");
        long seed = root.count("seed", 0, Long.MAX_VALUE, 1);
        long stop = root.millis("stop-after", Long.MAX_VALUE);
        ScenarioSettings settings = SettingsReader.read(root);
        NetworkReader network = NetworkReader.read(root, settings.transports().keySet(), scripts);
        SequencedMap<QueueId, ScenarioMessage> messages = new LinkedHashMap<>();
        List<SimulatedMail> mails = MessagesReader.read(root, network, messages, mostRecipients);
        OrdersReader.ReadOrders orders = OrdersReader.read(root, messages);
        ShardPlan shards = ShardsReader.read(root, orders.shards());
        Expectations expected = ExpectationsReader.read(root, messages.values(), network.hosts());
        QmgrConfig transports = settings.config(kinds(network, mails, settings.kinds()));
        QmgrConfig config = ClausesReader.read(root, Set.copyOf(transports.transports().names()), transports);
        root.end();
        network.transportsWithHosts().stream()
                .filter(name -> !config.transports().kind(name).equals(Optional.of(TransportKind.SMTP))).findFirst()
                .ifPresent(name -> {
                    throw root
                            .wrong("routes by \"" + name + "\" have hosts, but that transport does not deliver by SMTP;"
                                    + " give it another name");
                });
        Scenario scenario = new Scenario(seed, config, true, mails, domains(network, config.transports(), mails),
                settings.ownServer(),
                orders.commands(), settings.crashesMillis(), settings.placement().apply(config));
        return new ScenarioFile(fileName, title, story, scenario, shards, messages, stop, expected, List.of());
    }

    /// Transports whose destinations name hosts deliver by SMTP, and so does the last by name; the others have one
    /// host for each destination. Those of `mta.toml` keep their kind.
    private static Map<String, TransportKind> kinds(NetworkReader network, List<SimulatedMail> mails,
            Map<String, TransportKind> named) {
        TreeSet<String> names = new TreeSet<>(network.transports());
        if (!reportDomains(network, mails).isEmpty()) {
            names.add(NetworkReader.HOME);
        }
        Map<String, TransportKind> kinds = new TreeMap<>();
        names.forEach(name -> kinds.put(name, TransportKind.ofUsual(name)
                .or(() -> Optional.ofNullable(named.get(name)))
                .orElse(network.transportsWithHosts().contains(name) || name.equals(names.last())
                        ? TransportKind.SMTP
                        : TransportKind.DISCARD)));
        return kinds;
    }

    // Domains of senders without a route of their own. Reports go there.
    private static Set<String> reportDomains(NetworkReader network, List<SimulatedMail> mails) {
        Set<String> reportDomains = new TreeSet<>();
        mails.forEach(mail -> mail.sender().map(Address::domainKey).filter(domain -> !network.names(domain))
                .ifPresent(reportDomains::add));
        mails.forEach(mail -> mail.recipients().forEach(each -> reportDomains.remove(each.address().domainKey())));
        return reportDomains;
    }

    private static List<SimulatedDomain> domains(NetworkReader network, TransportTable transports,
            List<SimulatedMail> mails) {
        Set<String> all = new TreeSet<>();
        for (SimulatedMail mail : mails) {
            mail.recipients().forEach(each -> all.add(each.address().domainKey()));
            mail.sender().map(Address::domainKey).filter(network::names).ifPresent(all::add);
        }
        List<SimulatedDomain> domains = new ArrayList<>();
        for (String domain : all) {
            domains.add(domain(domain, network.servers(domain).orElseThrow(), transports));
        }
        reportDomains(network, mails).forEach(domain -> domains
                .add(new SimulatedDomain(domain, SimulatedDomain.route(transports, NetworkReader.HOME, domain), 0,
                        false,
                        ServerProfile.taking(0))));
        return domains;
    }

    private static SimulatedDomain domain(String name, NetworkReader.NextHopServers nextHop,
            TransportTable transports) {
        if (nextHop.hosts().isEmpty()) {
            return new SimulatedDomain(name, SimulatedDomain.route(transports, nextHop.transport(), nextHop.nextHop()),
                    0, false,
                    nextHop.server());
        }
        SequencedMap<String, ServerProfile> servers = new LinkedHashMap<>();
        nextHop.hosts().forEach((host, server) -> servers.put(host.name(), server));
        return new SimulatedDomain(name,
                new Route.Smtp(nextHop.transport(), nextHop.nextHop(), List.copyOf(nextHop.hosts().keySet())), 0,
                false,
                servers);
    }
}
