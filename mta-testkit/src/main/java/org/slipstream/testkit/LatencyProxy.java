package org.slipstream.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A TCP proxy that puts a server far away: every octet arrives half a round trip after it was
/// sent, in both directions.
///
/// Any number of octets can be under way, as on a long path with much bandwidth.
public final class LatencyProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final long delayNanos;

    private record Piece(byte[] octets, long dueNanos) {}

    /// @param targetPort the server's port on the loopback interface
    public LatencyProxy(int targetPort, Duration roundTrip) {
        try {
            listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        target = targetPort;
        delayNanos = roundTrip.toNanos() / 2;
        Thread.ofVirtual().start(this::accept);
    }

    /// Where clients connect, on the loopback interface.
    public int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (true) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                carry(client, server);
                carry(server, client);
            } catch (IOException _) {
                return;
            }
        }
    }

    private void carry(Socket from, Socket to) {
        BlockingQueue<Piece> path = new LinkedBlockingQueue<>();
        Thread.ofVirtual().start(() -> {
            byte[] buffer = new byte[64 * 1024];
            try {
                InputStream in = from.getInputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    path.add(new Piece(Arrays.copyOf(buffer, read), System.nanoTime() + delayNanos));
                }
            } catch (IOException _) {
                // A reset ends the stream, too.
            }
            path.add(new Piece(new byte[0], System.nanoTime() + delayNanos));
        });
        Thread.ofVirtual().start(() -> {
            try (to) {
                OutputStream out = to.getOutputStream();
                for (Piece piece = path.take(); piece.octets().length > 0; piece = path.take()) {
                    TimeUnit.NANOSECONDS.sleep(piece.dueNanos() - System.nanoTime());
                    out.write(piece.octets());
                }
            } catch (IOException | InterruptedException _) {
                // The receiver is gone.
            }
        });
    }
}
