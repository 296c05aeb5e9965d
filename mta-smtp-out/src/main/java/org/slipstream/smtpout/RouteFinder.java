package org.slipstream.smtpout;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;

/// Finds the MX hosts of a domain (RFC 5321 section 5.1). Blocking; callers provide a virtual
/// thread and a time limit.
public interface RouteFinder {
    Answer find(String domain);

    /// The route of mail for which the owner's demands of TLS do not count (`TLS-Required: No`).
    default Answer findUndemanding(String domain) {
        return find(domain);
    }

    sealed interface Answer {
        record Found(Route.Smtp route) implements Answer {}

        /// 4xx after a DNS failure, 5xx when the domain does not exist or accepts no mail (null MX,
        /// RFC 7505).
        record NoRoute(Reply reason) implements Answer {}
    }
}
