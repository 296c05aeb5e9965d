package org.slipstream.cluster;

import org.slipstream.core.CheckFinding;
import org.slipstream.core.FailureWords;
import org.slipstream.core.FindingList;
import org.slipstream.spool.postgres.LogDatabase;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Compares the settings of the nodes that are alive (docs/cluster.md, "The same settings for all"). It reads the rows
/// of the nodes, and changes nothing.
public final class SettingsCheck {
    private static final String SUBJECT = "settings";
    /// Further keys are counted.
    private static final int MOST_FINDINGS = 20;

    /// A node that is alive.
    ///
    /// @param settings empty: its program is of a version that does not tell them, or has started this moment
    record ToldSettings(String node, String version, Optional<SettingPrints> settings) {}

    private SettingsCheck() {}

    /// @param url of the database of the cluster; one without nodes has no finding
    public static List<CheckFinding> run(String url) {
        try (LogDatabase database = LogDatabase.toLook(url)) {
            return judge(OwnershipStore.toldSettings(database));
        } catch (SQLException silent) {
            FindingList findings = new FindingList();
            findings.noAnswer(SUBJECT, "the nodes cannot be read: " + FailureWords.of(silent));
            return findings.all();
        }
    }

    static List<CheckFinding> judge(List<ToldSettings> nodes) {
        FindingList findings = new FindingList();
        if (nodes.size() < 2) {
            return findings.all();
        }
        SortedMap<String, SettingPrints> told = new TreeMap<>();
        for (ToldSettings node : nodes) {
            node.settings().ifPresentOrElse(prints -> told.put(node.node(), prints),
                    () -> findings.unknown(SUBJECT, "node " + node.node() + " (" + node.version()
                            + ") does not tell its settings"));
        }
        compare(told.values().stream().anyMatch(SettingPrints::isFolded)
                ? new TreeMap<>(told.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().folded())))
                : told, findings);
        return findings.all();
    }

    private static void compare(SortedMap<String, SettingPrints> told, FindingList findings) {
        SortedSet<String> keys = new TreeSet<>();
        told.values().forEach(prints -> keys.addAll(prints.byKey().keySet()));
        int differ = 0;
        for (String key : keys) {
            List<String> groups = groups(key, told);
            if (groups.size() > 1 && ++differ <= MOST_FINDINGS) {
                findings.lacks(SUBJECT, (key.equals(SettingPrints.ALL) ? "the settings" : key)
                        + " of the nodes differ: " + String.join(" | ", groups));
            }
        }
        if (differ > MOST_FINDINGS) {
            findings.lacks(SUBJECT, "and " + (differ - MOST_FINDINGS) + " further keys differ");
        }
        if (differ == 0 && told.size() > 1) {
            findings.ok(SUBJECT, "the same on nodes " + String.join(", ", told.keySet()));
        }
    }

    /// Names of nodes that have the same value. A key that a node does not tell has its default there.
    private static List<String> groups(String key, SortedMap<String, SettingPrints> told) {
        SortedMap<String, List<String>> nodes = new TreeMap<>();
        told.forEach((node, prints) -> nodes.computeIfAbsent(prints.byKey().getOrDefault(key, ""),
                _ -> new ArrayList<>()).add(node));
        return nodes.values().stream().map(names -> String.join(", ", names)).sorted().toList();
    }
}
