package org.slipstream.smtpout;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/// A port on all addresses of this machine on which nobody listens, and on which nobody will as long as this is open.
final class NobodysPort implements AutoCloseable {
    private final Socket bound = new Socket();

    NobodysPort() {
        try {
            bound.bind(new InetSocketAddress(0));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    int port() {
        return bound.getLocalPort();
    }

    @Override
    public void close() {
        try {
            bound.close();
        } catch (IOException _) {
            // Nobody minds.
        }
    }
}
