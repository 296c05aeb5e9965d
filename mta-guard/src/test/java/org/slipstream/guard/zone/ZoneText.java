package org.slipstream.guard.zone;

import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// DNS in memory: lines `name TYPE value`. A value `!` does not answer.
public record ZoneText(Map<String, List<String>> records) implements DnsLookup {
    public static ZoneText of(String text) {
        Map<String, List<String>> records = new HashMap<>();
        text.lines().filter(line -> !line.isBlank()).map(line -> line.strip().split("\\s+", 3)).forEach(
                word -> records.computeIfAbsent(word[0] + " " + word[1], _ -> new ArrayList<>()).add(word[2]));
        return new ZoneText(records);
    }

    @Override
    public TextAnswer ask(String name, RecordType type) {
        List<String> found = records.getOrDefault(name + " " + type, List.of());
        boolean exists = records.keySet().stream().anyMatch(key -> key.startsWith(name + " "));
        return found.isEmpty()
                ? new TextAnswer.None(exists)
                : found.contains("!") ? new TextAnswer.Trouble("no answer") : new TextAnswer.Found(found);
    }
}
