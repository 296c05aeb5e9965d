package org.slipstream.auth;

import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// DNS in memory: lines `name TYPE value`. A value `!` does not answer. A name exists when it or a
/// name below it has a record.
public final class TextZone implements DnsLookup {
    private final Map<String, List<String>> records = new HashMap<>();
    /// The questions, in their order.
    public final List<String> asked = new ArrayList<>();

    public static TextZone of(String text) {
        TextZone zone = new TextZone();
        text.lines().filter(line -> !line.isBlank()).map(line -> line.strip().split("\\s+", 3))
                .forEach(word -> zone.add(word[0], word[1], word[2]));
        return zone;
    }

    public TextZone add(String name, String type, String value) {
        records.computeIfAbsent(name.toLowerCase(Locale.ROOT) + " " + type, _ -> new ArrayList<>()).add(value);
        return this;
    }

    @Override
    public TextAnswer ask(String name, RecordType type) {
        asked.add(name + " " + type);
        List<String> found = records.getOrDefault(name.toLowerCase(Locale.ROOT) + " " + type, List.of());
        return found.isEmpty()
                ? new TextAnswer.None(exists(name.toLowerCase(Locale.ROOT)))
                : found.contains("!") ? new TextAnswer.Trouble("no answer") : new TextAnswer.Found(found);
    }

    private boolean exists(String name) {
        return records.keySet().stream().anyMatch(key -> key.startsWith(name + " ") || key.contains("." + name + " "));
    }
}
