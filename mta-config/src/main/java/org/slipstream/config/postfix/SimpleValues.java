package org.slipstream.config.postfix;

import java.util.Optional;

/// Values of one parameter that become one setting: times, sizes, counts. Each is written in TOML.
final class SimpleValues {
    private SimpleValues() {}

    /// Empty when the value does not have the form.
    ///
    /// @param form of [PostfixNames.NameRow]
    static Optional<String> toml(String form, String value) {
        return switch (form) {
            case "count" -> Optional.of(value).filter(SimpleValues::isCount);
            case "size" -> Optional.of(value).filter(text -> text.matches("[0-9]{1,18}"));
            case "yes" -> Optional.of(value).filter(text -> text.equals("yes") || text.equals("no"))
                    .map(text -> Boolean.toString(text.equals("yes")));
            case "text" -> Optional.of(quoted(value));
            case "time:s", "time:h", "time:d" -> time(value, form.substring(5));
            default -> Optional.empty();
        };
    }

    static boolean isCount(String value) {
        return value.matches("[0-9]{1,9}");
    }

    /// @param unit where the value has none
    private static Optional<String> time(String value, String unit) {
        if (!value.matches("[0-9]{1,9}[smhdw]?")) {
            return Optional.empty();
        }
        String amount = value.replaceAll("[a-z]", "");
        String own = value.substring(amount.length());
        return Optional.of(own.equals("w")
                ? quoted(7L * Long.parseLong(amount) + "d")
                : quoted(amount + (own.isEmpty() ? unit : own)));
    }

    /// A basic string of TOML.
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            quoted.append(c == '"' || c == '\\' ? "\\" + c : c < ' ' ? String.format("\\u%04x", (int) c) : "" + c);
        }
        return quoted.append('"').toString();
    }
}
