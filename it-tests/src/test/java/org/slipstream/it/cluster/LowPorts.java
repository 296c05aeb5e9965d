package org.slipstream.it.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/// Ports for servers that are killed and come back: below those that the system gives to clients (32768 and
/// up), so that no client takes one meanwhile.
final class LowPorts {
    private static final int FIRST = 20_000;
    private static final int LAST = 31_000;
    private static final Set<Integer> GIVEN = new HashSet<>();

    private LowPorts() {}

    /// A port that is free now, and was given to no one else by this process.
    static synchronized int next() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (GIVEN.add(port) && isFree(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
