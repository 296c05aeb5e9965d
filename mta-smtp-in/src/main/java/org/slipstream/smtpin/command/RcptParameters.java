package org.slipstream.smtpin.command;

import org.slipstream.core.DsnNotify;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The parameters of RCPT: the two of DSN (RFC 3461 sections 4.1 and 4.2).
///
/// @param notifyOn NOTIFY; empty when not given
/// @param original ORCPT as `type;address`, decoded
/// @param used the extension of each keyword that was given
public record RcptParameters(Set<DsnNotify> notifyOn, Optional<String> original, Map<String, Extension> used) {
    public static final RcptParameters NONE = new RcptParameters(Set.of(), Optional.empty(), Map.of());

    public RcptParameters {
        notifyOn = Set.copyOf(notifyOn);
        used = Map.copyOf(used);
    }
}
