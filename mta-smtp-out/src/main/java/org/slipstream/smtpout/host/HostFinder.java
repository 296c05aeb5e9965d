package org.slipstream.smtpout.host;

import java.net.InetAddress;
import java.util.List;

/// Finds the addresses of a host. Blocking; carriers call it on their own threads.
public interface HostFinder {
    /// @param host a name, or a literal address without brackets
    HostAnswer find(String host);

    sealed interface HostAnswer {
        /// @param addresses of both families, at least one
        record Found(List<InetAddress> addresses) implements HostAnswer {
            public Found {
                addresses = List.copyOf(addresses);
            }
        }

        /// The host does not exist or has no address.
        record None(String reason) implements HostAnswer {}

        /// DNS failed.
        record Trouble(String reason) implements HostAnswer {}
    }
}
