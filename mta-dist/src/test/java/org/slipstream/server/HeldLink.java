package org.slipstream.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The network between a node and its database. While it is held, nothing passes, and no connection is told:
/// octets arrive later, or never.
final class HeldLink implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private boolean held;
    private boolean closed;

    HeldLink(int server) throws IOException {
        this.server = server;
        Thread.ofPlatform().daemon().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    synchronized void hold() {
        held = true;
    }

    synchronized void heal() {
        held = false;
        notifyAll();
    }

    private synchronized void pass() throws IOException {
        try {
            while (held && !closed) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        if (closed) {
            throw new IOException("closed");
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket there = new Socket(InetAddress.getLoopbackAddress(), server);
                open.addAll(Set.of(client, there));
                Thread.ofPlatform().daemon().start(() -> pump(client, there));
                Thread.ofPlatform().daemon().start(() -> pump(there, client));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] block = new byte[1 << 16];
        try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int got = in.read(block); got >= 0; got = in.read(block)) {
                pass();
                out.write(block, 0, got);
                out.flush();
            }
        } catch (IOException e) {
            // The other direction was closed.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        listener.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
