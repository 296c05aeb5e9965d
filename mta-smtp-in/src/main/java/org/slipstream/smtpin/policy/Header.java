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
        List<Field> fields = new ArrayList<>();
        String text = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
        int at = 0;
        while (at < text.length()) {
            int end = endOfField(text, at);
            int colon = text.indexOf(':', at);
            if (colon <= at || colon >= end || isBlank(text.charAt(at))) {
                break;
            }
            // RFC 5322 section 2.2.3: unfolding removes CRLF and nothing else.
            fields.add(new Field(text.substring(at, colon).strip(),
                    text.substring(colon + 1, end).replace("\r\n", "").strip()));
            at = end;
        }
        return new Header(fields);
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
