package org.slipstream.guard.policy;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// DNS queries of the policy. An answer may take long; the callers have time limits.
public interface NameQuestions {
    /// The addresses of a name.
    sealed interface Addresses {
        record Found(List<InetAddress> addresses) implements Addresses {
            public Found {
                addresses = List.copyOf(addresses);
            }
        }

        record None() implements Addresses {}

        /// The servers failed or timed out.
        record Trouble() implements Addresses {}
    }

    /// Whether a domain accepts mail.
    enum MailCapability {
        POSSIBLE, NO_SUCH_DOMAIN,
        /// Null MX (RFC 7505).
        TAKES_NONE, TROUBLE
    }

    /// IPv4 addresses only.
    Addresses ip4(String name);

    MailCapability mail(String domain);

    /// The name of a host, where this name has the address of the host as well: the owner of an
    /// address can give it any name.
    Optional<String> host(InetAddress address);
}
