package org.slipstream.spool.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// The network between the program and PostgreSQL, which is cut at an answer of the server.
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    /// The connection is cut instead of the answer that contains this; empty: no cut.
    private volatile String cutAt = "";
    /// Connections that are closed at once.
    private final AtomicInteger refused = new AtomicInteger();

    CuttingProxy(int server) throws IOException {
        this.server = server;
        Thread.ofPlatform().daemon().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// @param answer a command tag such as `COMMIT`
    /// @param refusedNext connections after the cut that fail
    void cutAt(String answer, int refusedNext) {
        refusedAfter = refusedNext;
        cutAt = answer + "\0";
    }

    boolean hasCut() {
        return cutAt.isEmpty();
    }

    void heal() {
        refused.set(0);
    }

    private volatile int refusedAfter;

    private void accept() {
        while (true) {
            try {
                Socket client = listener.accept();
                if (refused.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    client.close();
                    continue;
                }
                Socket there = new Socket(InetAddress.getLoopbackAddress(), server);
                open.addAll(Set.of(client, there));
                Thread.ofPlatform().daemon().start(() -> pump(client, there, false));
                Thread.ofPlatform().daemon().start(() -> pump(there, client, true));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void pump(Socket from, Socket to, boolean answers) {
        byte[] block = new byte[1 << 16];
        try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int got = in.read(block); got >= 0; got = in.read(block)) {
                String text = new String(Arrays.copyOf(block, got), StandardCharsets.ISO_8859_1);
                if (answers && !cutAt.isEmpty() && text.contains(cutAt)) {
                    cutAt = "";
                    refused.set(refusedAfter);
                    return;
                }
                out.write(block, 0, got);
                out.flush();
            }
        } catch (IOException e) {
            // The other direction was cut.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
