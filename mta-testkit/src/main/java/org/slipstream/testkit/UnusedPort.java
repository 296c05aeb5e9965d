package org.slipstream.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/// A TCP port on all addresses of this machine on which connections are refused, reserved until it
/// is closed.
public final class UnusedPort implements AutoCloseable {
    /// Linux gives out the ports from 32768 on.
    private static final int FIRST = 10_000;
    private static final int LAST = 32_000;
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private final Socket bound = new Socket();

    /// Reserves a port.
    public UnusedPort() {
        try {
            bound.bind(new InetSocketAddress(0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A port that is free now, for a program that binds it by itself, perhaps much later or again and again. The
    /// system gives it to no client and to no listener on port 0, and this process gives it to no other program.
    public static int now() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (GIVEN.add(port) && isFree(port)) {
                return port;
            }
        }
    }

    /// Whether a program can listen on it now, on all addresses of this machine.
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return true;
        } catch (IOException taken) {
            return false;
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
