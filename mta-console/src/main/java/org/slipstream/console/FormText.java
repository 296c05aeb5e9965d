package org.slipstream.console;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The fields of a form, or of the query of a URI.
record FormText(Map<String, List<String>> fields) {
    static final int MOST_FIELDS = 200;

    /// @throws RefusedException when the text is malformed or has too many fields
    static FormText read(String raw) {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        String[] pairs = raw.isEmpty() ? new String[0] : raw.split("&", MOST_FIELDS + 1);
        if (pairs.length > MOST_FIELDS) {
            throw new RefusedException(400, "The form has more than " + MOST_FIELDS + " fields.");
        }
        try {
            for (String pair : pairs) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                fields.computeIfAbsent(URLDecoder.decode(name, StandardCharsets.UTF_8), _ -> new ArrayList<>())
                        .add(URLDecoder.decode(value, StandardCharsets.UTF_8));
            }
        } catch (IllegalArgumentException badEscape) {
            throw new RefusedException(400, "The form is malformed.");
        }
        return new FormText(fields);
    }

    /// The first value that is not blank.
    Optional<String> get(String name) {
        return all(name).stream().filter(value -> !value.isBlank()).map(String::strip).findFirst();
    }

    List<String> all(String name) {
        return fields.getOrDefault(name, List.of());
    }

    /// The first characters of a text, with a sign that there were more.
    static String start(String text, int most) {
        return text.length() <= most
                ? text
                : text.substring(0, text.offsetByCodePoints(0, text.codePointCount(0, most)))
                        + " …";
    }

    /// A query with these values; blank ones are left out.
    static String query(Map<String, String> values) {
        StringBuilder query = new StringBuilder();
        values.forEach((name, value) -> {
            if (!value.isBlank()) {
                query.append(query.isEmpty() ? "" : "&").append(encoded(name)).append('=').append(encoded(value));
            }
        });
        return query.toString();
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /// As part of a path, where a plus sign would be one.
    static String inPath(String text) {
        return encoded(text).replace("+", "%20");
    }
}
