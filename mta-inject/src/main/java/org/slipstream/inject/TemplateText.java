package org.slipstream.inject;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A text with places such as `{{name}}`, parsed once for all recipients. Values are inserted as they are and not
/// searched for places again.
final class TemplateText {
    private static final Pattern PLACE = Pattern.compile("\\{\\{[ \\t]{0,8}([A-Za-z0-9_.-]{1,64})[ \\t]{0,8}}}");

    private final List<String> literals = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    private TemplateText(String text) {
        Matcher places = PLACE.matcher(text);
        int end = 0;
        while (places.find()) {
            literals.add(text.substring(end, places.start()));
            names.add(places.group(1));
            end = places.end();
        }
        literals.add(text.substring(end));
    }

    static TemplateText of(String text) {
        return new TemplateText(text);
    }

    /// The first name without a value.
    Optional<String> missing(Map<String, String> values) {
        return names.stream().filter(name -> !values.containsKey(name)).findFirst();
    }

    /// The characters of [#fill], which is not called when they are too many.
    ///
    /// @param growth of a value by its escapes, at most
    long length(Map<String, String> values, int growth) {
        long length = 0;
        for (String literal : literals) {
            length += literal.length();
        }
        for (String name : names) {
            length += (long) growth * values.getOrDefault(name, "").length();
        }
        return length;
    }

    /// @param escape of each value
    String fill(Map<String, String> values, UnaryOperator<String> escape) {
        if (names.isEmpty()) {
            return literals.getFirst();
        }
        StringBuilder text = new StringBuilder(literals.getFirst());
        for (int i = 0; i < names.size(); i++) {
            text.append(escape.apply(values.getOrDefault(names.get(i), ""))).append(literals.get(i + 1));
        }
        return text.toString();
    }
}
