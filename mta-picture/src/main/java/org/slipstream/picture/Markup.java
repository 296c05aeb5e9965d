package org.slipstream.picture;

/// Text in HTML or SVG that a template made, so its parts are escaped already. A [Template] puts it
/// in as it is, and every other value escaped.
public record Markup(String text) {
    public static final Markup NONE = new Markup("");

    @Override
    public String toString() {
        return text;
    }
}
