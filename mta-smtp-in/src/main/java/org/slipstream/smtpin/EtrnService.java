package org.slipstream.smtpin;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.policy.Client;

/// What the house does when a client asks for the mail that waits for it (RFC 1985). Called on session threads.
@FunctionalInterface
public interface EtrnService {
    /// @param node a domain, or `@domain` with its subdomains, or `#queue`
    /// @return 250 queuing has started, 251 nothing waits, 252 something had started before, 253 so many wait; 458 cannot now, 459
    /// not this client or not this node
    Reply wake(Client client, String node);
}
