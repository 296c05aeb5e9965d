package org.slipstream.settings;

import java.util.Optional;

/// The notation of a key's value, and the object that it becomes.
public interface Form<T> {
    /// Empty when the value does not have this form. The complaints then have the reason.
    Optional<T> read(Value value, String key, Complaints complaints);

    /// The form in words, for messages and for the reference: `a duration such as "300s" or "5d"`.
    String words();

    /// The value that a plain text stands for, in `--set` and in declarations of defaults.
    default Value value(String text, SourcePlace place) {
        return new Value.Text(text, place);
    }
}
