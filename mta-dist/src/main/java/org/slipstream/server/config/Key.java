package org.slipstream.server.config;

import java.util.function.Function;

/// One setting: its name, how it is written, what holds when it is not, and what it means.
///
/// @param section empty for those before the first section
/// @param standard the default; some hang on the machine's or the server's name, which is given
/// @param doc for operators; Markdown without line ends
record Key<T>(String section, String name, Form<T> form, Function<String, Value> standard, String doc) {
    String dotted() {
        return section.isEmpty() ? name : section + "." + name;
    }
}
