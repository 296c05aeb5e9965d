package org.slipstream.smtpout;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;

/// Finds the MX hosts of a domain (RFC 5321 section 5.1). Blocking; callers bring a virtual thread and a budget.
public interface RouteFinder {
    Answer find(String domain);

    sealed interface Answer {
        record Found(Route.Smtp route) implements Answer {}

        /// 4xx when DNS had trouble, 5xx when the domain does not exist or takes no mail (null MX, RFC 7505).
        record NoRoute(Reply reason) implements Answer {}
    }
}
