package org.slipstream.smtpin;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;

/// A port whose clients cannot be accepted.
@Timeout(60)
class ListenerSocketTest {
    private static final Duration PAUSE = Duration.ofMillis(950);

    /// The client waits in the backlog, and the port does not try in a busy loop.
    @Test
    @Tag("IM-26")
    void afterAFailureThePortAcceptsAgainAfterAPause() throws Exception {
        List<Long> attempts = new CopyOnWriteArrayList<>();
        try (ListenerSocket port = new ListenerSocket("smtp", () -> {
            attempts.add(System.nanoTime());
            if (attempts.size() == 1) {
                throw new UncheckedIOException(new IOException("Too many open files"));
            }
            if (attempts.size() == 2) {
                throw new IllegalStateException("no memory for a socket");
            }
            return AcceptedSocket.unconnected();
        }, () -> 100)) {
            port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (Socket client = new Socket(port.getInetAddress(), port.getLocalPort());
                    Socket server = port.accept()) {
                assertThat(server.getPort()).isEqualTo(client.getLocalPort());
            }
        }
        assertThat(attempts).hasSize(3);
        for (int i = 1; i < attempts.size(); i++) {
            assertThat(Duration.ofNanos(attempts.get(i) - attempts.get(i - 1))).isGreaterThanOrEqualTo(PAUSE);
        }
    }
}
