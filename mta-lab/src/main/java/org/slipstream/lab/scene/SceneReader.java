package org.slipstream.lab.scene;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedPlace;
import org.slipstream.lab.ServerProfile;
import org.slipstream.lab.TransportNames;
import org.slipstream.lab.scene.Scene.SceneMessage;
import org.slipstream.lab.scene.SettingsReader.SceneSettings;
import org.slipstream.qmgr.QmgrConfig;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;

/// Reads a scenario file: what is sent when ([MessagesReader]), where it goes ([WorldReader]), how
/// the queue manager is set ([SettingsReader]) and what is expected of it all
/// ([ExpectationsReader]).
///
/// The first mistake ends the reading with one sentence: file, line, what is wrong, what to do.
public final class SceneReader {
    /// The result of a file.
    public sealed interface Reading {
        record Good(Scene scene) implements Reading {}

        record Bad(String sentence) implements Reading {}
    }

    private SceneReader() {}

    /// A file with every section whose keys may be changed without naming the section.
    private static final String ALL_SECTIONS = """
            title = "-"
            [settings]
            [transport]
            [placement]
            [servers.default]
            [[messages]]
            to = { "a.example" = 1 }
            """;

    /// @param file its name, for messages
    public static Reading read(String file, String text) {
        return read(file, text, List.of());
    }

    /// Reads a file in which some keys have another value than the one that is written there. The
    /// expectations of the file are left out then, because the expectations are about the file as
    /// it is written.
    ///
    /// @param file its name, for messages
    /// @param changes each `key=value`; a key of a section as `section.key`, and those of
    ///     `settings`, `transport`, `placement` and `servers.default` without the section
    public static Reading read(String file, String text, List<String> changes) {
        try {
            TomlParseResult toml = Toml.parse(text);
            if (toml.hasErrors()) {
                throw syntax(file, toml.errors().getFirst());
            }
            ChangedKeys changed = ChangedKeys.of(changes, changes.isEmpty() ? List.of() : knownPaths());
            Scene scene = scene(file, new Section(file, toml, changed));
            changed.requireAllUsed(file);
            return new Reading.Good(changes.isEmpty() ? scene : scene.with(changes));
        } catch (SceneMistake wrong) {
            return new Reading.Bad(wrong.getMessage());
        }
    }

    private static Collection<String> knownPaths() {
        ChangedKeys none = ChangedKeys.none();
        scene("", new Section("", Toml.parse(ALL_SECTIONS), none));
        return none.asked();
    }

    private static SceneMistake syntax(String file, TomlParseError error) {
        String what = error.getMessage().replaceFirst(", expected .*", "");
        return new SceneMistake(file + ":" + error.position().line() + ": not TOML: " + what
                + "; texts and times stand in quotes, for example at = \"10s\"");
    }

    private static Scene scene(String file, Section root) {
        String title = root.need("title");
        String story = root.text("story").orElse("");
        long seed = root.count("seed", 0, Long.MAX_VALUE, 1);
        long stop = root.time("stop-after", Long.MAX_VALUE);
        SceneSettings settings = SettingsReader.read(root);
        WorldReader world = WorldReader.read(root, settings.transports().keySet());
        SequencedMap<QueueId, SceneMessage> messages = new LinkedHashMap<>();
        List<SimulatedMail> mails = MessagesReader.read(root, world, messages);
        Expectations expected = ExpectationsReader.read(root, messages.values(), world.hosts());
        root.end();
        TransportNames names = names(root, world, mails);
        world.transportsWithHosts().stream().filter(name -> !names.hasHosts(name)).findFirst().ifPresent(name -> {
            throw root
                    .wrong("routes by \"" + name + "\" have hosts, and only the last transport of the alphabet may, \""
                            + names.last() + "\"; name the others so that they come before \"" + name + "\"");
        });
        QmgrConfig config = settings.config(names);
        Scenario scenario = new Scenario(seed, config, true, mails, places(world, names, mails), settings.house(),
                List.of(), List.of(), settings.placement().apply(config));
        return new Scene(file, title, story, scenario, messages, names, stop, expected, List.of());
    }

    private static TransportNames names(Section root, WorldReader world, List<SimulatedMail> mails) {
        Set<String> names = new TreeSet<>(world.transports());
        if (!strangers(world, mails).isEmpty()) {
            names.add(WorldReader.HOME);
        }
        if (names.size() > TransportNames.MOST) {
            throw root.wrong("there are " + names.size() + " transports, " + String.join(", ", names)
                    + ", and a scene has room for " + TransportNames.MOST + "; let some destinations share one");
        }
        return new TransportNames(names);
    }

    // Senders' domains of which the file says nothing: where reports go to.
    private static Set<String> strangers(WorldReader world, List<SimulatedMail> mails) {
        Set<String> strangers = new TreeSet<>();
        mails.forEach(mail -> mail.sender().map(Address::domainKey).filter(domain -> !world.names(domain))
                .ifPresent(strangers::add));
        mails.forEach(mail -> mail.recipients().forEach(each -> strangers.remove(each.address().domainKey())));
        return strangers;
    }

    private static List<SimulatedPlace> places(WorldReader world, TransportNames names, List<SimulatedMail> mails) {
        Set<String> domains = new TreeSet<>();
        for (SimulatedMail mail : mails) {
            mail.recipients().forEach(each -> domains.add(each.address().domainKey()));
            mail.sender().map(Address::domainKey).filter(world::names).ifPresent(domains::add);
        }
        List<SimulatedPlace> places = new ArrayList<>();
        for (String domain : domains) {
            places.add(place(domain, world.way(domain).orElseThrow(), names));
        }
        strangers(world, mails).forEach(domain -> places
                .add(new SimulatedPlace(domain, names.route(WorldReader.HOME, domain), 0, false,
                        ServerProfile.taking(0))));
        return places;
    }

    private static SimulatedPlace place(String domain, WorldReader.RouteWay way, TransportNames names) {
        if (way.hosts().isEmpty()) {
            return new SimulatedPlace(domain, names.route(way.transport(), way.nextHop()), 0, false, way.server());
        }
        SequencedMap<String, ServerProfile> servers = new LinkedHashMap<>();
        way.hosts().forEach((host, server) -> servers.put(host.name(), server));
        return new SimulatedPlace(domain, new Route.Smtp(way.nextHop(), List.copyOf(way.hosts().keySet())), 0, false,
                servers);
    }
}
