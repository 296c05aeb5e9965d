package org.slipstream.picture;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A template in a small part of the syntax of Mustache.
///
/// `{{name}}` is replaced by the value of that name, escaped for HTML unless it is [Markup]. `{{#name}}…{{/name}}`
/// is repeated for each element of the list of that name; names of the element hide those outside.
/// `{{^name}}…{{/name}}` is used if that list is empty. An unknown name is an error.
public final class Template {
    private static final Pattern TAG = Pattern.compile("\\{\\{([#^/]?)([a-z-]+)}}");

    private sealed interface Part {
        record Words(String text) implements Part {}

        record Value(String name) implements Part {}

        record Each(String name, List<Part> parts) implements Part {}

        record None(String name, List<Part> parts) implements Part {}
    }

    private final List<Part> parts;

    private Template(List<Part> parts) {
        this.parts = parts;
    }

    /// @param owner a class of the module that has the file
    public static Template of(Class<?> owner, String file) {
        try (InputStream stream = Objects.requireNonNull(owner.getResourceAsStream(file), file)) {
            return of(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException ours) {
            throw new UncheckedIOException(ours);
        }
    }

    public static Template of(String text) {
        Matcher tags = TAG.matcher(text);
        int[] from = {0};
        Template template = new Template(parts(text, tags, from, Optional.empty()));
        template.parts.add(new Part.Words(text.substring(from[0])));
        return template;
    }

    // Parses up to the tag that closes the section, or to the end.
    private static List<Part> parts(String text, Matcher tags, int[] from, Optional<String> section) {
        List<Part> parts = new ArrayList<>();
        while (tags.find()) {
            parts.add(new Part.Words(text.substring(from[0], tags.start())));
            from[0] = tags.end();
            String name = tags.group(2);
            switch (tags.group(1)) {
                case "#" -> parts.add(new Part.Each(name, parts(text, tags, from, Optional.of(name))));
                case "^" -> parts.add(new Part.None(name, parts(text, tags, from, Optional.of(name))));
                case "/" -> {
                    if (!section.equals(Optional.of(name))) {
                        throw new IllegalArgumentException("{{/" + name + "}} closes no section");
                    }
                    return parts;
                }
                default -> parts.add(new Part.Value(name));
            }
        }
        if (section.isPresent()) {
            throw new IllegalArgumentException("{{#" + section.get() + "}} is not closed");
        }
        return parts;
    }

    public String fill(Map<String, ?> values) {
        StringBuilder text = new StringBuilder();
        fill(parts, List.of(values), text);
        return text.toString();
    }

    /// The filled template, as a part of another one.
    public Markup markup(Map<String, ?> values) {
        return new Markup(fill(values));
    }

    private static void fill(List<Part> parts, List<Map<String, ?>> scopes, StringBuilder text) {
        for (Part part : parts) {
            switch (part) {
                case Part.Words(String words) -> text.append(words);
                case Part.Value(String name) -> text.append(inserted(find(name, scopes)));
                case Part.Each(String name, List<Part> inner) ->
                    list(name, scopes).forEach(each -> fill(inner, inside(each, scopes), text));
                case Part.None(String name, List<Part> inner) -> {
                    if (list(name, scopes).isEmpty()) {
                        fill(inner, scopes, text);
                    }
                }
            }
        }
    }

    private static String inserted(Object value) {
        return value instanceof Markup(String made) ? made : escaped(String.valueOf(value));
    }

    private static List<Map<String, ?>> inside(Object element, List<Map<String, ?>> scopes) {
        List<Map<String, ?>> inner = new ArrayList<>();
        inner.add(element instanceof Map<?, ?> map ? named(map) : Map.of("it", element));
        inner.addAll(scopes);
        return inner;
    }

    @SuppressWarnings("unchecked") // all maps here have names for keys
    private static Map<String, ?> named(Map<?, ?> map) {
        return (Map<String, ?>) map;
    }

    private static Object find(String name, List<Map<String, ?>> scopes) {
        for (Map<String, ?> scope : scopes) {
            Object value = scope.get(name);
            if (value != null) {
                return value;
            }
        }
        throw new IllegalArgumentException("unknown name " + name);
    }

    private static List<?> list(String name, List<Map<String, ?>> scopes) {
        return (List<?>) find(name, scopes);
    }

    public static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'",
                "&#39;");
    }
}
