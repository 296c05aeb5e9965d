package org.slipstream.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/// A TCP port on all addresses of this machine on which connections are refused, reserved until it
/// is closed.
public final class UnusedPort implements AutoCloseable {
    private final Socket bound = new Socket();

    /// Reserves a port.
    public UnusedPort() {
        try {
            bound.bind(new InetSocketAddress(0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A port that is free now, for a program that binds it by itself. Another program may be faster.
    public static int now() {
        try (UnusedPort unused = new UnusedPort()) {
            return unused.port();
        }
    }

    public int port() {
        return bound.getLocalPort();
    }

    @Override
    public void close() {
        try {
            bound.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
