package org.slipstream.events.bounce;

import java.util.Locale;

/// The cause of a refusal, as one word. The words are those of KumoMTA's classifier where it has one.
public enum BounceClass {
    UNCATEGORIZED;

    /// The word of events, files and commands.
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
