package org.slipstream.admin;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/// Asks a server over its socket, one request after the other.
///
/// Not the JDK's HTTP client: that has no UNIX sockets, and its start alone takes longer than a command may.
public final class ApiClient implements AutoCloseable {
    private final SocketChannel channel;
    private final InputStream in;
    private final Duration patience;

    private ApiClient(SocketChannel channel, Duration patience) {
        this.channel = channel;
        this.in = new BufferedInputStream(Channels.newInputStream(channel));
        this.patience = patience;
    }

    public record ApiReply(int status, String body) {}

    /// @param patience how long to wait for each answer
    /// @throws java.nio.file.NoSuchFileException when no server has made a socket there
    /// @throws java.net.ConnectException when the server that made it is gone
    public static ApiClient connect(Path socket, Duration patience) throws IOException {
        return new ApiClient(AdminSocket.connect(socket), patience);
    }

    /// @param resource below `/api/v1/`, encoded
    public ApiReply ask(String method, String resource) throws IOException {
        Thread watchdog = Thread.ofPlatform().daemon().start(this::closeInTime);
        try {
            String head = method + " " + Api.ROOT + resource + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
            ByteBuffer request = StandardCharsets.US_ASCII.encode(head);
            while (request.hasRemaining()) {
                channel.write(request);
            }
            return reply();
        } catch (ClosedChannelException silence) {
            InterruptedIOException timeout = new InterruptedIOException("no answer within " + patience.toSeconds()
                    + " s");
            timeout.initCause(silence);
            throw timeout;
        } finally {
            watchdog.interrupt();
        }
    }

    /// A channel of this family has no timeout; closing it ends the call that waits.
    private void closeInTime() {
        try {
            Thread.sleep(patience);
            channel.close();
        } catch (InterruptedException answered) {
            // In time.
        } catch (IOException trouble) {
            // It is as good as closed.
        }
    }

    private ApiReply reply() throws IOException {
        String[] words = line().split(" ", 3);
        int bodyBytes = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                bodyBytes = Integer.parseInt(header.substring(15).strip());
            }
        }
        byte[] body = in.readNBytes(bodyBytes);
        if (body.length < bodyBytes) {
            throw new EOFException("the answer is cut short");
        }
        return new ApiReply(Integer.parseInt(words[1]), new String(body, StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int octet = in.read(); octet != '\n'; octet = in.read()) {
            if (octet < 0) {
                throw new EOFException("the server closed the connection");
            }
            line.append((char) octet);
        }
        return line.toString().stripTrailing();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException trouble) {
            // Nothing more is asked of it.
        }
    }
}
