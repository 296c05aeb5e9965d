package org.slipstream.admin;

import org.slipstream.core.Route;
import org.slipstream.core.text.Controls;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The query of a URI, decoded.
record Query(Map<String, String> parameters) {
    private static final int LONGEST_NAME = 500;

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

    /// Empty when there is no whole number within these bounds.
    ///
    /// @param otherwise the number when the parameter is absent
    Optional<Integer> number(String name, int otherwise, int least, int most) {
        Optional<String> text = get(name);
        return text.isEmpty()
                ? Optional.of(otherwise)
                : text.filter(digits -> digits.matches("[0-9]{1,4}")).map(Integer::valueOf)
                        .filter(number -> number >= least && number <= most);
    }

    /// A copy with these values.
    Query with(Map<String, String> values) {
        Map<String, String> more = new LinkedHashMap<>(parameters);
        more.putAll(values);
        return new Query(more);
    }

    /// The name of a host or of mail; empty when it is missing, or too long for one.
    Optional<String> name() {
        return get("name").filter(text -> !text.isBlank() && text.length() <= LONGEST_NAME);
    }

    static ApiResponse noName() {
        return ApiResponse.badRequest("missing parameter: ?name=");
    }

    /// For orders that have no next hop.
    static Route noNextHop(String text) {
        throw new IllegalArgumentException("no next hop is expected: " + text);
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
