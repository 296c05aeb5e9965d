package org.slipstream.guard.login;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/// The place of a socket of Dovecot: `unix:/path` or `host:port`.
record AuthSocket(String endpoint) {
    private static final String UNIX = "unix:";

    /// Connects; on a UNIX socket at once, on TCP within the timeout of the system.
    SocketChannel connect() throws IOException {
        if (endpoint.startsWith(UNIX)) {
            return SocketChannel.open(UnixDomainSocketAddress.of(Path.of(endpoint.substring(UNIX.length()))));
        }
        int colon = endpoint.lastIndexOf(':');
        return SocketChannel.open(new InetSocketAddress(endpoint.substring(0, colon),
                Integer.parseInt(endpoint.substring(colon + 1))));
    }

    @Override
    public String toString() {
        return endpoint;
    }
}
