package org.slipstream.config.postfix;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/// The expansion of `$name` in values of `main.cf`, after postconf(5): `$name`, `$(name)`, `${name}`,
/// `${name?value}`, `${name:value}`, `${name?{a}:{b}}`, `${{a} == {b} ? {c} : {d}}` and `$$`.
///
/// A name without a value is empty, and a name that leads back to itself is an error. So is a value
/// that needs more than [#MOST_USES] other values, [#MOST_CHARS] or [#MOST_DEPTH]: twenty lines
/// `x0 = $x1$x1` would double it with each line.
final class ParameterExpansion {
    /// Longest first, so that `<=level` is not read as `<`.
    private static final List<String> OPERATORS = List.of("<=level", ">=level", "<level", ">level", "==level",
            "!=level", "<=", ">=", "==", "!=", "<", ">");

    private static final int MOST_DEPTH = 100;
    private static final int MOST_USES = 10_000;
    private static final int MOST_CHARS = 1 << 20;

    private final Function<String, String> raw;
    private final Deque<String> open = new ArrayDeque<>();
    private int depth;
    private int uses;
    private int chars;

    /// @param raw the value of a name before its expansion; empty when there is none
    ParameterExpansion(Function<String, String> raw) {
        this.raw = raw;
    }

    /// A value that has no meaning.
    static final class NoMeaning extends Exception {
        private static final long serialVersionUID = 1L;

        NoMeaning(String sentence) {
            super(sentence);
        }
    }

    String parameter(String name) throws NoMeaning {
        if (open.contains(name)) {
            throw new NoMeaning("$" + String.join(" -> $", open.reversed()) + " -> $" + name + " leads back to itself");
        }
        open.push(name);
        try {
            return text(raw.apply(name));
        } finally {
            open.pop();
        }
    }

    String text(String text) throws NoMeaning {
        if (depth == 0) {
            uses = 0;
            chars = 0;
        }
        depth++;
        uses++;
        try {
            if (depth > MOST_DEPTH || uses > MOST_USES) {
                throw new NoMeaning("a value needs more than " + (depth > MOST_DEPTH
                        ? MOST_DEPTH + " values inside each other"
                        : MOST_USES + " other values"));
            }
            return expanded(text);
        } finally {
            depth--;
        }
    }

    private String expanded(String text) throws NoMeaning {
        StringBuilder result = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != '$' || at == text.length()) {
                result.append(c);
                continue;
            }
            char next = text.charAt(at);
            if (next == '$') {
                result.append('$');
                at++;
            } else if (next == '{' || next == '(') {
                int end = closing(text, at);
                result.append(braced(text.substring(at + 1, end).strip()));
                at = end + 1;
            } else {
                int end = nameEnd(text, at);
                result.append(end > at ? parameter(text.substring(at, end)) : "$");
                at = end;
            }
        }
        chars += result.length();
        if (chars > MOST_CHARS) {
            throw new NoMeaning("a value has more than " + MOST_CHARS + " characters");
        }
        return result.toString();
    }

    static int nameEnd(String text, int from) {
        int end = from;
        while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        return end;
    }

    private static int closing(String text, int from) throws NoMeaning {
        char begin = text.charAt(from);
        char end = begin == '{' ? '}' : ')';
        int depth = 0;
        for (int i = from; i < text.length(); i++) {
            depth += text.charAt(i) == begin ? 1 : text.charAt(i) == end ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        throw new NoMeaning("\"" + text.substring(from) + "\" has no closing " + end);
    }

    private String braced(String inner) throws NoMeaning {
        if (inner.startsWith("{")) {
            return comparison(inner);
        }
        int end = 0;
        while (end < inner.length() && "?:".indexOf(inner.charAt(end)) < 0) {
            end++;
        }
        String value = parameter(inner.substring(0, end).strip());
        return end == inner.length() ? value : choice(!value.isEmpty(), inner.substring(end), value);
    }

    private String comparison(String inner) throws NoMeaning {
        int leftEnd = closing(inner, 0);
        String rest = inner.substring(leftEnd + 1).strip();
        for (String operator : OPERATORS) {
            String after = rest.startsWith(operator) ? rest.substring(operator.length()).strip() : "";
            if (after.startsWith("{")) {
                int rightEnd = closing(after, 0);
                boolean holds = holds(text(inner.substring(1, leftEnd).strip()), operator,
                        text(after.substring(1, rightEnd).strip()));
                String tail = after.substring(rightEnd + 1).strip();
                return tail.isEmpty() ? holds ? "bool" : "" : choice(holds, tail, "");
            }
        }
        throw new NoMeaning("\"${" + inner + "}\" is no comparison that Postfix knows");
    }

    private static boolean holds(String left, String operator, String right) {
        String number = "[0-9]{1,9}(\\.[0-9]{1,9})*";
        int order = left.matches(number) && right.matches(number)
                ? Arrays.compare(level(left), level(right))
                : left.compareTo(right);
        return switch (operator.replace("level", "")) {
            case "==" -> order == 0;
            case "!=" -> order != 0;
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
        };
    }

    private static int[] level(String text) {
        return Arrays.stream(text.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }

    /// @param tail `?value`, `:value` or `?{a}:{b}`
    private String choice(boolean holds, String tail, String otherwise) throws NoMeaning {
        String after = tail.substring(1).strip();
        if (tail.startsWith(":")) {
            return holds ? otherwise : text(unbraced(after));
        }
        if (!after.startsWith("{")) {
            return holds ? text(after) : "";
        }
        int end = closing(after, 0);
        String rest = after.substring(end + 1).strip();
        return holds
                ? text(after.substring(1, end).strip())
                : rest.startsWith(":") ? text(unbraced(rest.substring(1).strip())) : "";
    }

    private static String unbraced(String text) {
        return text.startsWith("{") && text.endsWith("}") ? text.substring(1, text.length() - 1).strip() : text;
    }
}
