package org.slipstream.bench.load.abuse;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/// Next servers that accept connections and send nothing: the kernel accepts for them.
final class Tarpits implements AutoCloseable {
    static final int COUNT = 60;
    private static final int BACKLOG = 500;
    private static final byte NETWORK = 40;

    private final List<ServerSocket> silent = new ArrayList<>();

    Tarpits() throws IOException {
        for (int i = 1; i <= COUNT; i++) {
            silent.add(new ServerSocket(0, BACKLOG, InetAddress.getByAddress(new byte[]{127, 0, NETWORK, (byte) i})));
        }
    }

    static String domain(int number) {
        return "silent" + number + ".example";
    }

    /// Routes to them, as settings of the server.
    List<String> routes() {
        List<String> routes = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            ServerSocket one = silent.get(i);
            routes.add("routes.\"" + domain(i) + "\"=smtp:" + one.getInetAddress().getHostAddress() + ":"
                    + one.getLocalPort());
        }
        return routes;
    }

    @Override
    public void close() throws IOException {
        for (ServerSocket one : silent) {
            one.close();
        }
    }
}
