package org.slipstream.sink.script;

import java.util.regex.Pattern;

/// A pattern for an address, a name or an IP address, in which `*` stands for any text. `<>` stands
/// for the empty text, which is the null sender. Letters match in both cases.
public final class TextPattern {
    private final Pattern pattern;

    public TextPattern(String text) {
        String plain = text.equals("<>") ? "" : text;
        pattern = Pattern.compile(Pattern.quote(plain).replace("*", "\\E.*\\Q"),
                Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }

    public boolean matches(String text) {
        return pattern.matcher(text).matches();
    }
}
