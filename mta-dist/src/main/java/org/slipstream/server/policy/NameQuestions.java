package org.slipstream.server.policy;

import java.net.InetAddress;
import java.util.List;

/// What the policy asks of DNS. Answers may take as long as they like; whoever asks goes away in time.
public interface NameQuestions {
    /// What is known of a name.
    sealed interface Addresses {
        record Found(List<InetAddress> addresses) implements Addresses {
            public Found {
                addresses = List.copyOf(addresses);
            }
        }

        record None() implements Addresses {}

        /// Servers failed or were silent.
        record Trouble() implements Addresses {}
    }

    /// Whether mail could be sent to a domain.
    enum Mail {
        POSSIBLE, NO_SUCH_DOMAIN,
        /// RFC 7505.
        TAKES_NONE, TROUBLE
    }

    /// IPv4 addresses alone.
    Addresses ip4(String name);

    Mail mail(String domain);
}
