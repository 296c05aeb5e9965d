package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.slipstream.core.DataSize;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.Outcome;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// A peer with small buffers that never reads while it has replies to send, and sends many: if the
/// client did not read while it writes, both would wait indefinitely (RFC 2920 section 3.1).
class FullBuffersTest {
    private static final int MESSAGES = 40;
    /// A reply that fills the peer's send buffer.
    private static final String LONG = "250-" + "x".repeat(2000) + "\r\n";

    @Test
    void writerAndReaderDoNotWaitForEachOther() throws IOException {
        EventLog events = new EventLog();
        String message = ("y".repeat(70) + "\r\n").repeat(1000);
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReceiveBufferSize(4096);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread.ofPlatform().daemon().start(() -> serve(listener));
            var route = new Route.Smtp("[x]", List.of(new Route.Host("127.0.0.1", listener.getLocalPort(), 0)));
            try (Carriers carriers = Post.carriers(
                    Post.patient().with(new ClientConfig.Ahead(50, 50, DataSize.ofMebibytes(100))),
                    events)) {
                carriers.open(1, route, false);
                for (int i = 1; i <= MESSAGES; i++) {
                    Post.deliver(carriers, 1, Post.transfer(i, Post.content(message)));
                }
                events.results(MESSAGES);
                assertThat(events.all().stream().filter(Answered.class::isInstance).map(Answered.class::cast))
                        .hasSize(MESSAGES)
                        .allMatch(d -> d.outcomes().getFirst().outcome() instanceof Outcome.Delivered);
            }
        }
    }

    private static void serve(ServerSocket listener) {
        try (Socket socket = listener.accept()) {
            socket.setSendBufferSize(4096);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            out.write("220 sink\r\n".getBytes(StandardCharsets.US_ASCII));
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1), 4096);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String reply = LONG.repeat(10) + "250 ok\r\n";
                if (line.startsWith("EHLO")) {
                    reply = "250-sink\r\n250-PIPELINING\r\n250 CHUNKING\r\n";
                } else if (line.startsWith("BDAT")) {
                    long left = Long.parseLong(line.split(" ")[1]);
                    while (left > 0) {
                        left -= lines.skip(left);
                    }
                }
                out.write(reply.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException _) {
            // The test is over.
        }
    }
}
