package org.slipstream.smtpout.host;

import java.net.InetAddress;
import java.util.List;

/// Finds the addresses of a host. Blocking; carriers call it on their own threads.
public interface HostFinder {
    /// @param host a name, or a literal address without brackets
    Answer find(String host);

    sealed interface Answer {
        /// @param addresses of both families, at least one
        record Found(List<InetAddress> addresses) implements Answer {
            public Found {
                addresses = List.copyOf(addresses);
            }
        }

        /// The host does not exist or has no address.
        record None(String reason) implements Answer {}

        /// DNS failed.
        record Trouble(String reason) implements Answer {}
    }
}
