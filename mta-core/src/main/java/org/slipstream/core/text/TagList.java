package org.slipstream.core.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The notation `tag=value; tag=value` of DKIM keys (RFC 6376 section 3.2), DMARC (RFC 9989 section
/// 4.7), MTA-STS and TLS reports.
///
/// @param tags in their order, names in lower case; of a tag that stands twice, the first
/// @param faults the parts that are not `tag=value`, and those whose tag stands twice
public record TagList(Map<String, String> tags, List<String> faults) {
    /// Longer texts are not read: a record of DNS with its tags has some hundred characters.
    public static final int LONGEST = 16 << 10;

    /// A list without faults; empty for every other text.
    public static Optional<TagList> parse(String text) {
        return Optional.of(read(text)).filter(list -> list.faults.isEmpty());
    }

    /// The tags that are well written.
    public static TagList read(String text) {
        Map<String, String> tags = new LinkedHashMap<>();
        List<String> faults = new ArrayList<>();
        if (text.length() > LONGEST) {
            return new TagList(tags, List.of("a record of more than " + LONGEST + " characters"));
        }
        String[] parts = text.split(";", -1);
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i].strip();
            if (part.isEmpty() && i == parts.length - 1) {
                continue;
            }
            int equals = part.indexOf('=');
            String tag = Ascii.lower(part.substring(0, Math.max(0, equals)).strip());
            if (!tag.matches("[a-z][a-z0-9_]*")
                    || tags.putIfAbsent(tag, part.substring(equals + 1).strip()) != null) {
                faults.add(part);
            }
        }
        return new TagList(tags, faults);
    }

    public Optional<String> get(String tag) {
        return Optional.ofNullable(tags.get(tag));
    }

    /// True when the first tag is `v` with this value.
    public boolean isVersion(String value) {
        return tags.entrySet().stream().findFirst()
                .filter(first -> first.getKey().equals("v") && first.getValue().equals(value)).isPresent();
    }
}
