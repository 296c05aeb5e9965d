package org.slipstream.smtpin.command;

import org.slipstream.core.DsnNotify;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What RCPT said besides the recipient: the two parameters of DSN (RFC 3461 sections 4.1 and 4.2).
///
/// @param notifyOn NOTIFY; empty when nothing was said
/// @param original ORCPT as `type;address`, decoded
/// @param used by keyword, the extension it belongs to
public record RcptParameters(Set<DsnNotify> notifyOn, Optional<String> original, Map<String, Extension> used) {
    public static final RcptParameters NONE = new RcptParameters(Set.of(), Optional.empty(), Map.of());

    public RcptParameters {
        notifyOn = Set.copyOf(notifyOn);
        used = Map.copyOf(used);
    }
}
