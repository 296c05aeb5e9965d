package org.slipstream.admin;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// A client of the admin API. It sends one request at a time over one connection.
///
/// The JDK's HTTP client does not support UNIX sockets, and its start alone takes longer than a
/// command should.
public final class ApiClient implements AutoCloseable {
    private static final int BLOCK_BYTES = 64 << 10;

    private final SocketChannel channel;
    private final InputStream in;
    private final Duration timeout;

    private final Optional<String> token;

    private ApiClient(SocketChannel channel, Optional<String> token, Duration timeout) {
        this.channel = channel;
        this.token = token;
        this.in = new BufferedInputStream(Channels.newInputStream(channel));
        this.timeout = timeout;
    }

    public record ApiReply(int status, String body) {}

    /// @param timeout for each response
    /// @throws java.nio.file.NoSuchFileException when no server has created the socket
    /// @throws java.net.ConnectException when the server that created it is gone
    public static ApiClient connect(Path socket, Duration timeout) throws IOException {
        return connect(socket, Optional.empty(), timeout);
    }

    /// @param token sent with each request
    public static ApiClient connect(Path socket, Optional<String> token, Duration timeout) throws IOException {
        return new ApiClient(AdminSocket.connect(socket), token, timeout);
    }

    /// @param resource below `/api/v1/`, encoded
    public ApiReply ask(String method, String resource) throws IOException {
        return ask(method, resource, OutputStream.nullOutputStream());
    }

    /// Writes the body of a response that is a message into `content`, a part at a time; any other
    /// body is in the reply.
    public ApiReply fetch(String resource, OutputStream content) throws IOException {
        return ask("GET", resource, content);
    }

    private ApiReply ask(String method, String resource, OutputStream content) throws IOException {
        Thread watchdog = Thread.ofPlatform().daemon().start(this::closeInTime);
        try {
            String head = method + " " + Api.ROOT + resource + " HTTP/1.1\r\nHost: localhost\r\n"
                    + token.map(text -> "Authorization: Bearer " + text + "\r\n").orElse("") + "\r\n";
            ByteBuffer request = StandardCharsets.US_ASCII.encode(head);
            while (request.hasRemaining()) {
                channel.write(request);
            }
            return reply(content);
        } catch (ClosedChannelException closed) {
            InterruptedIOException expired = new InterruptedIOException(
                    "timeout: no response within " + timeout.toSeconds()
                            + " s");
            expired.initCause(closed);
            throw expired;
        } finally {
            watchdog.interrupt();
        }
    }

    /// A channel of this family has no timeout; closing it ends the blocked call.
    private void closeInTime() {
        try {
            Thread.sleep(timeout);
            channel.close();
        } catch (InterruptedException answered) {
            // In time.
        } catch (IOException failed) {
            // The channel is closed in any case.
        }
    }

    private ApiReply reply(OutputStream content) throws IOException {
        String[] words = line().split(" ", 3);
        long bodyBytes = 0;
        boolean message = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                bodyBytes = Long.parseLong(header.substring(15).strip());
            } else if (header.equalsIgnoreCase("Content-Type: message/rfc822")) {
                message = true;
            }
        }
        if (message) {
            copy(bodyBytes, content);
            return new ApiReply(Integer.parseInt(words[1]), "");
        }
        byte[] body = in.readNBytes(Math.toIntExact(bodyBytes));
        if (body.length < bodyBytes) {
            throw new EOFException("truncated response");
        }
        return new ApiReply(Integer.parseInt(words[1]), new String(body, StandardCharsets.UTF_8));
    }

    private void copy(long bytes, OutputStream content) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        long left = bytes;
        while (left > 0) {
            int count = in.read(block, 0, (int) Math.min(left, block.length));
            if (count < 0) {
                throw new EOFException("truncated response");
            }
            content.write(block, 0, count);
            left -= count;
        }
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
        } catch (IOException failed) {
            // The client makes no further request.
        }
    }
}
