package org.slipstream.server.config;

import java.util.Optional;

/// How the value of a key is written, and what it becomes.
interface Form<T> {
    /// Empty when the value has not this form; the complaints say why.
    Optional<T> read(Value value, String key, Complaints complaints);

    /// The form in words, for messages and for the reference: `a duration such as "300s" or "5d"`.
    String words();

    /// What a text of `--set` stands for in this form.
    default Value ofOverride(String text) {
        return new Value.Text(text, SourcePlace.OVERRIDE);
    }
}
