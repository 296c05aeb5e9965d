package org.slipstream.config;

import org.slipstream.cluster.SettingPrints;
import org.slipstream.settings.EffectiveSetting;
import org.slipstream.settings.NamedFile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The settings that have to be the same on all nodes of a cluster, with the contents of files that they name
/// (docs/cluster.md). A value counts as it is written: `5m` and `300s` are two.
public final class CommonSettings {
    private static final String CONTENT = ", the content of its file,";
    /// These belong to one machine.
    private static final Set<String> OWN = Set.of("hostname", "cluster.node", "cluster.listen",
            "smtp-client.source-address-v4", "smtp-client.source-address-v6");
    private static final List<String> OWN_SECTIONS = List.of("listen.", "source.");

    private CommonSettings() {}

    public static SettingPrints of(Config config) {
        Map<String, String> values = new HashMap<>();
        config.written().settings().stream().filter(EffectiveSetting::differs).filter(each -> isCommon(each.key()))
                .forEach(each -> values.put(each.key(), each.value()));
        // A setting may name several files.
        for (NamedFile file : config.files()) {
            if (isCommon(file.key())) {
                values.merge(file.key() + CONTENT, String.valueOf(file.print()), (some, more) -> some + ' ' + more);
            }
        }
        return SettingPrints.of(values);
    }

    private static boolean isCommon(String key) {
        return !OWN.contains(key) && OWN_SECTIONS.stream().noneMatch(key::startsWith);
    }
}
