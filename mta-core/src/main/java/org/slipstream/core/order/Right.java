package org.slipstream.core.order;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// The right that a request to the API requires. A greater right includes the smaller ones.
public enum Right {
    /// Views: the queue, explanations, the status.
    READ,
    /// Orders that change when mail is delivered: flush, hold, release, suspend, resume.
    OPERATE,
    /// Orders that remove mail, those for the whole server, and the contents of messages.
    ADMINISTRATE;

    public boolean includes(Right other) {
        return compareTo(other) >= 0;
    }

    /// The name in lower case.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Right> of(String word) {
        return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
    }
}
