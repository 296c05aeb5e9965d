package org.slipstream.cli.setup;

import org.slipstream.config.Config;
import org.slipstream.settings.EffectiveSetting;
import org.slipstream.settings.SettingsSource;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The settings that a server of a domain needs and does not have yet.
///
/// @param changes values in the form of TOML, by key
/// @param left sentences about settings that differ from the suggestion and stay
record SetupSettings(SequencedMap<String, String> changes, List<String> left) {
    private static final Map<String, String> LISTENERS = Map.of("listen.smtp", "*:25", "listen.submission", "*:587",
            "listen.submissions", "*:465");

    static SetupSettings of(Config before, String hostname, String domain, String user) {
        SetupSettings plan = new SetupSettings(new LinkedHashMap<>(), new ArrayList<>());
        Map<String, EffectiveSetting> known = before.written().settings().stream()
                .collect(Collectors.toMap(EffectiveSetting::key, each -> each, (one, _) -> one));
        if (!before.hostname().equalsIgnoreCase(hostname) || isDefault(known, "hostname")) {
            plan.put("hostname", hostname, known);
        }
        plan.listener("listen.smtp", before.listen().smtp(), known);
        plan.listener("listen.submission", before.listen().submission(), known);
        plan.listener("listen.submissions", before.listen().submissions(), known);
        plan.list("local.domains", isDefault(known, "local.domains") ? List.of() : before.local().domains(), domain,
                known);
        List<String> mailboxes = isDefault(known, "local.mailboxes") ? List.of() : before.local().mailboxes();
        if (!mailboxes.contains("*") && !mailboxes.contains(user + "@" + domain)) {
            plan.list("local.mailboxes", mailboxes, user, known);
        }
        if (isDefault(known, "local.postmaster")) {
            plan.put("local.postmaster", user, known);
        } else {
            plan.left.add("mail for postmaster and abuse goes to " + before.local().postmasterName());
        }
        return plan;
    }

    private static boolean isDefault(Map<String, EffectiveSetting> known, String key) {
        return place(known, key).equals("default");
    }

    private static String place(Map<String, EffectiveSetting> known, String key) {
        return Optional.ofNullable(known.get(key)).map(EffectiveSetting::place).orElse("");
    }

    /// A listener that others do not reach is opened for them. Any other one stays.
    private void listener(String key, Optional<InetSocketAddress> now, Map<String, EffectiveSetting> known) {
        String wanted = LISTENERS.getOrDefault(key, "");
        if (now.filter(address -> !address.getAddress().isLoopbackAddress()).isEmpty()) {
            put(key, wanted, known);
        } else {
            Optional.ofNullable(known.get(key)).map(EffectiveSetting::value).filter(value -> !value.contains(wanted))
                    .ifPresent(value -> left.add(key + " stays " + value));
        }
    }

    private void list(String key, List<String> now, String wanted, Map<String, EffectiveSetting> known) {
        if (!now.contains(wanted)) {
            set(key, Stream.concat(now.stream(), Stream.of(wanted)).map(SetupSettings::quoted)
                    .collect(Collectors.joining(", ", "[", "]")), known);
        }
    }

    private void put(String key, String value, Map<String, EffectiveSetting> known) {
        set(key, quoted(value), known);
    }

    /// The environment is stronger than the file.
    private void set(String key, String value, Map<String, EffectiveSetting> known) {
        if (place(known, key).startsWith(SettingsSource.VARIABLE)) {
            left.add(key + " is set in the environment (" + SettingsSource.VARIABLE + "); it would be " + value);
        } else {
            changes.put(key, value);
        }
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
