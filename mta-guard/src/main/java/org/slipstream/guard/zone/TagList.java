package org.slipstream.guard.zone;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The notation `tag=value; tag=value` of DKIM keys (RFC 6376 section 3.2), DMARC (RFC 7489 section
/// 6.4), MTA-STS and TLS reports.
///
/// @param tags in their order, names in lower case
record TagList(Map<String, String> tags) {
    /// Empty when a part is not `tag=value`, or a tag stands twice.
    static Optional<TagList> parse(String text) {
        Map<String, String> tags = new LinkedHashMap<>();
        String[] parts = text.split(";", -1);
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i].strip();
            if (part.isEmpty() && i == parts.length - 1) {
                continue;
            }
            int equals = part.indexOf('=');
            String tag = part.substring(0, Math.max(0, equals)).strip().toLowerCase(Locale.ROOT);
            if (!tag.matches("[a-z][a-z0-9_]*")
                    || tags.putIfAbsent(tag, part.substring(equals + 1).strip()) != null) {
                return Optional.empty();
            }
        }
        return Optional.of(new TagList(tags));
    }

    Optional<String> get(String tag) {
        return Optional.ofNullable(tags.get(tag));
    }

    /// True when the first tag is `v` with this value.
    boolean isVersion(String value) {
        return tags.entrySet().stream().findFirst()
                .filter(first -> first.getKey().equals("v") && first.getValue().equals(value)).isPresent();
    }
}
