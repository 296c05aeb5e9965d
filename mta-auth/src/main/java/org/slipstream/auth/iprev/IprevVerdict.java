package org.slipstream.auth.iprev;

import java.net.InetAddress;
import java.util.List;

/// The verdict about the name of a client.
///
/// @param names that lead back to the address, in ASCII and lower case; empty unless it passes
/// @param reason as part of a sentence
public record IprevVerdict(IprevResult result, InetAddress client, List<String> names, String reason) {
    public IprevVerdict {
        names = List.copyOf(names);
    }
}
