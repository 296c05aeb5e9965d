package org.slipstream.smtpout;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Puts a server far away: every byte arrives half a round trip after it was sent, in both directions. As many bytes as anybody
/// likes are under way, as on a long fast line.
final class DelayProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final long delayNanos;

    private record Piece(byte[] bytes, long dueNanos) {}

    DelayProxy(int targetPort, long roundTripMillis) throws IOException {
        this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        this.target = targetPort;
        this.delayNanos = TimeUnit.MILLISECONDS.toNanos(roundTripMillis) / 2;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
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
        BlockingQueue<Piece> line = new LinkedBlockingQueue<>();
        Thread.ofVirtual().start(() -> {
            byte[] buffer = new byte[64 * 1024];
            try {
                InputStream in = from.getInputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    line.add(new Piece(Arrays.copyOf(buffer, read), System.nanoTime() + delayNanos));
                }
            } catch (IOException _) {
                // The end all the same.
            }
            line.add(new Piece(new byte[0], System.nanoTime() + delayNanos));
        });
        Thread.ofVirtual().start(() -> {
            try (to) {
                OutputStream out = to.getOutputStream();
                for (Piece piece = line.take(); piece.bytes().length > 0; piece = line.take()) {
                    TimeUnit.NANOSECONDS.sleep(piece.dueNanos() - System.nanoTime());
                    out.write(piece.bytes());
                }
            } catch (IOException | InterruptedException _) {
                // Nobody is there to take it.
            }
        });
    }
}
