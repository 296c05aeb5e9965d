package org.slipstream.core;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// One recipient of an envelope.
///
/// @param number position in the envelope, from 1; with the queue id it names the recipient for good
/// @param address where the mail goes, after aliases
/// @param original what the sender asked for: ORCPT in its wire form `type;xtext-decoded address`, or the address
/// before an alias replaced it (as `rfc822;address`)
/// @param notifyOn the NOTIFY parameter; empty when nothing was said
public record Recipient(int number, Address address, Optional<String> original, Set<DsnNotify> notifyOn) {
    public Recipient {
        Objects.requireNonNull(address);
        Objects.requireNonNull(original);
        notifyOn = Set.copyOf(notifyOn);
        if (number < 1) {
            throw new IllegalArgumentException("recipients are numbered from 1: " + number);
        }
    }

    public Recipient(int number, Address address) {
        this(number, address, Optional.empty(), Set.of());
    }

    /// True when a failure is to be reported to the sender: asked for, or nothing said.
    public boolean wantsFailureNotice() {
        return notifyOn.isEmpty() || notifyOn.contains(DsnNotify.FAILURE);
    }

    /// True when a delay is to be reported to the sender: asked for, or nothing said.
    public boolean wantsDelayNotice() {
        return notifyOn.isEmpty() || notifyOn.contains(DsnNotify.DELAY);
    }
}
