package org.slipstream.core.text;

/// Control characters in foreign text. A carriage return could end a line of a report or a command,
/// and an escape could change a terminal.
public final class Controls {
    private Controls() {}

    /// True when the text has a control character.
    public static boolean in(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /// The text with `?` for each control character.
    public static String replaced(String text) {
        if (!in(text)) {
            return text;
        }
        StringBuilder safe = new StringBuilder(text.length());
        text.chars().forEach(c -> safe.append(Character.isISOControl(c) ? '?' : (char) c));
        return safe.toString();
    }
}
