package org.slipstream.cluster;

import org.slipstream.core.text.Controls;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The settings of one node as other nodes may see them: each key with a print of its value. Two nodes have the same
/// value exactly when the prints are equal; the value itself stays at its node, because it may be a secret.
///
/// @param byKey settings that have their default are left out
public record SettingPrints(SortedMap<String, String> byKey) {
    /// Longer texts become one print of all, so that the row of a node has an end.
    static final int MOST_OCTETS = 256 << 10;
    /// Stands for all keys when there are too many.
    static final String ALL = "*";
    private static final int PRINT_OCTETS = 8;

    public SettingPrints {
        byKey = Collections.unmodifiableSortedMap(new TreeMap<>(byKey));
    }

    /// @param values by key
    public static SettingPrints of(Map<String, String> values) {
        SortedMap<String, String> prints = new TreeMap<>();
        values.forEach((key, value) -> prints.put(Controls.replaced(key), print(key + '\n' + value)));
        SettingPrints all = new SettingPrints(prints);
        String text = all.text();
        return text.getBytes(StandardCharsets.UTF_8).length <= MOST_OCTETS ? all : all.folded();
    }

    private static String print(String value) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, PRINT_OCTETS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }

    boolean isFolded() {
        return byKey.containsKey(ALL);
    }

    /// One print of all keys.
    SettingPrints folded() {
        return isFolded() ? this : new SettingPrints(new TreeMap<>(Map.of(ALL, print(text()))));
    }

    /// A line for each key.
    String text() {
        return byKey.entrySet().stream().map(each -> each.getValue() + ' ' + each.getKey() + '\n')
                .collect(Collectors.joining());
    }

    /// Empty when this is not such a text.
    static Optional<SettingPrints> parse(String text) {
        if (text.length() > MOST_OCTETS) {
            return Optional.empty();
        }
        SortedMap<String, String> prints = new TreeMap<>();
        for (String line : text.lines().toList()) {
            int space = line.indexOf(' ');
            if (space < 1) {
                return Optional.empty();
            }
            prints.put(line.substring(space + 1), line.substring(0, space));
        }
        return Optional.of(new SettingPrints(prints));
    }
}
