package org.slipstream.smtpin;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.policy.Client;

/// The handler of ETRN (RFC 1985): starts the delivery of the mail that waits for a client. Called
/// on session threads.
@FunctionalInterface
public interface EtrnService {
    /// @param node a domain, or `@domain` with its subdomains, or `#queue`
    /// @return 250 queuing started, 251 no messages waiting, 252 already started, 253 N messages
    ///     waiting, 458 temporarily unavailable, 459 not permitted for this client or node
    Reply wake(Client client, String node);
}
