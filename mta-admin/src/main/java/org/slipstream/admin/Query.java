package org.slipstream.admin;

import org.slipstream.core.text.Controls;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The query of a URI, decoded.
record Query(Map<String, String> parameters) {
    /// Empty when the text is malformed or repeats a parameter.
    static Optional<Query> parse(String raw) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (raw.isEmpty()) {
            return Optional.of(new Query(parameters));
        }
        try {
            for (String pair : raw.split("&")) {
                int equals = pair.indexOf('=');
                String name = URLDecoder.decode(equals < 0 ? pair : pair.substring(0, equals), StandardCharsets.UTF_8);
                String value = equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
                if (parameters.put(name, value) != null) {
                    return Optional.empty();
                }
            }
        } catch (IllegalArgumentException badEscape) {
            return Optional.empty();
        }
        return Optional.of(new Query(parameters));
    }

    Optional<String> get(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /// A copy in which a parameter has this value.
    Query with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(parameters);
        more.put(name, value);
        return new Query(more);
    }

    /// The reason why these texts cannot be those of an order. They reach replies, reports, the log and
    /// the terminals of other operators.
    Optional<String> unfit() {
        return parameters.entrySet().stream().flatMap(each -> Controls.refusal(each.getKey(), each.getValue()).stream())
                .findFirst();
    }

    /// Finds a parameter outside the known ones, usually a misspelt one.
    Optional<String> unknown(Set<String> known) {
        return parameters.keySet().stream().filter(name -> !known.contains(name)).findFirst();
    }
}
