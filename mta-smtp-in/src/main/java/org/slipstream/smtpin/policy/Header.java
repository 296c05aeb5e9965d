package org.slipstream.smtpin.policy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The header of a message as its fields (RFC 5322 section 2.2), in their order.
public record Header(List<Field> fields) {
    public Header {
        fields = List.copyOf(fields);
    }

    /// @param name as written
    /// @param value unfolded, without the blanks around it, one character per octet
    public record Field(String name, String value) {}

    /// Reads lines up to the first that is not a field.
    public static Header parse(byte[] bytes, int length) {
        return new Header(split(new String(bytes, 0, length, StandardCharsets.ISO_8859_1)).stream()
                .map(field -> unfolded(name(field), field.substring(field.indexOf(':') + 1))).toList());
    }

    // RFC 5322 section 2.2.3: unfolding removes CRLF and nothing else.
    static Field unfolded(String name, String value) {
        return new Field(name, value.replace("\r\n", "").strip());
    }

    /// The fields up to the first line that is none, each with its line ends.
    static List<String> split(String text) {
        List<String> fields = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = endOfField(text, at);
            int colon = text.indexOf(':', at);
            if (colon <= at || colon >= end || isBlank(text.charAt(at))) {
                break;
            }
            fields.add(text.substring(at, end));
            at = end;
        }
        return fields;
    }

    static String name(String field) {
        return field.substring(0, field.indexOf(':')).strip();
    }

    private static int endOfField(String text, int from) {
        int at = text.indexOf("\r\n", from);
        while (at >= 0 && at + 2 < text.length() && isBlank(text.charAt(at + 2))) {
            at = text.indexOf("\r\n", at + 2);
        }
        return at < 0 ? text.length() : at + 2;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    public long count(String name) {
        return fields.stream().filter(field -> field.name().equalsIgnoreCase(name)).count();
    }

    public Optional<String> first(String name) {
        return fields.stream().filter(field -> field.name().equalsIgnoreCase(name)).map(Field::value).findFirst();
    }
}
