package org.slipstream.core;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// One recipient of an envelope.
///
/// @param number position in the envelope, from 1; permanent, so queue id and number identify the
/// recipient
/// @param address the recipient address, after aliases
/// @param original the original recipient: ORCPT in its wire form `type;xtext-decoded address`, or
/// the address before alias expansion (as `rfc822;address`)
/// @param notifyOn the NOTIFY parameter; empty when it was absent
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

    /// True when NOTIFY requests a failure report, or is absent.
    public boolean wantsFailureNotice() {
        return notifyOn.isEmpty() || notifyOn.contains(DsnNotify.FAILURE);
    }

    /// True when NOTIFY requests a delay report, or is absent.
    public boolean wantsDelayNotice() {
        return notifyOn.isEmpty() || notifyOn.contains(DsnNotify.DELAY);
    }

    /// True when NOTIFY requests a confirmation of the delivery.
    public boolean wantsReceipt() {
        return notifyOn.contains(DsnNotify.SUCCESS);
    }
}
