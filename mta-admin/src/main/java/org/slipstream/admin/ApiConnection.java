package org.slipstream.admin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Content;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.text.Controls;
import org.slipstream.http.HttpHead;
import org.slipstream.http.HttpProblem;
import org.slipstream.http.HttpReader;
import org.slipstream.http.HttpRequest;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// A client connection of the admin API. It reads a request, sends a response, and repeats, on
/// its own thread.
///
/// Reading and writing have deadlines, because a channel of this family has no timeout.
/// [AdminServer] checks them and closes the channel, which ends the blocked call. Processing has no
/// deadline, because an order for many messages may take long.
final class ApiConnection implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ApiConnection.class);
    private static final long REQUEST_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final String EVENTS = Api.ROOT + "events";
    private static final int BLOCK_BYTES = 64 << 10;
    static final int LONGEST_BODY_BYTES = 64 << 10;
    private static final String NO_BODIES = "request bodies are not supported; use parameters of the query";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /// @param waiting true while no complete request has arrived
    private record Phase(boolean waiting, long deadlineNanos) {
        static final Phase WORKING = new Phase(false, 0);
    }

    private final SocketChannel channel;
    private final Function<ApiRequest, ApiResponse> api;
    private volatile Phase phase = waiting();

    ApiConnection(SocketChannel channel, Function<ApiRequest, ApiResponse> api) {
        this.channel = channel;
        this.api = api;
    }

    /// True while no complete request has arrived.
    boolean isWaiting() {
        return phase.waiting();
    }

    /// Time until the deadline; the maximum value while a request is processed.
    long remainingNanos(long nowNanos) {
        Phase now = phase;
        return now == Phase.WORKING ? Long.MAX_VALUE : now.deadlineNanos() - nowNanos;
    }

    void close() {
        try {
            channel.close();
        } catch (IOException failed) {
            log.debug("event=admin-close-failed error=\"{}\"", failed.getMessage());
        }
    }

    @Override
    public void run() {
        try (channel) {
            HttpReader requests = new HttpReader(Channels.newInputStream(channel));
            OutputStream out = Channels.newOutputStream(channel);
            boolean more = true;
            while (more) {
                phase = waiting();
                more = one(requests, out);
            }
        } catch (IOException gone) {
            log.debug("event=admin-connection-lost error=\"{}\"", gone.getMessage());
        } catch (RuntimeException ours) {
            log.warn("event=admin-request-failed", ours);
        }
    }

    private boolean one(HttpReader requests, OutputStream out) throws IOException {
        try {
            Optional<HttpRequest> next = requests.next();
            return next.isPresent() && answer(withoutBody(next.get()), out);
        } catch (HttpReader.MalformedException malformed) {
            send(out, ApiResponse.error(malformed.status(), malformed.sentence()), true, false);
            channel.shutdownOutput();
            phase = waiting();
            requests.drain();
            return false;
        }
    }

    /// The API uses no request bodies; a body is read up to a bound and discarded.
    private static ApiRequest withoutBody(HttpRequest request) throws IOException {
        if (request.body().length().isEmpty()) {
            throw new HttpReader.MalformedException(501, NO_BODIES);
        }
        if (request.body().length().getAsLong() > LONGEST_BODY_BYTES) {
            throw new HttpReader.MalformedException(413, NO_BODIES);
        }
        request.body().skipNBytes(request.body().length().getAsLong());
        boolean sent = request.path().equals(EVENTS)
                && request.values("accept").stream().anyMatch(each -> each.contains(SentEvents.MEDIA_TYPE));
        return new ApiRequest(request.method(), sent ? EVENTS + "/stream" : request.path(), query(request),
                request.token(), request.keepAlive());
    }

    /// A browser that lost a stream names the last event that it has in a header.
    private static String query(HttpRequest request) {
        return request.path().startsWith(EVENTS)
                ? request.value("last-event-id").map(id -> "after=" + URLEncoder.encode(id, StandardCharsets.UTF_8))
                        .orElse(request.query())
                : request.query();
    }

    private boolean answer(ApiRequest request, OutputStream out) throws IOException {
        phase = Phase.WORKING;
        ApiResponse answer = api.apply(request);
        if (answer.body() instanceof SentEvents events && !request.method().equals("HEAD")) {
            stream(answer, events, out);
            return false;
        }
        if (answer.body() instanceof LaterBody later) {
            // A client that waits is closed before one that asks.
            phase = sending();
            answer = made(answer, later);
        }
        send(out, answer, !request.method().equals("HEAD"), request.keepAlive());
        return request.keepAlive();
    }

    /// Goes on until the client leaves, the server stops, or another client needs the connection.
    private void stream(ApiResponse answer, SentEvents events, OutputStream out) throws IOException {
        phase = sending();
        out.write(head(answer, SentEvents.MEDIA_TYPE, OptionalLong.empty(), false));
        while (channel.isOpen()) {
            phase = sending();
            byte[] part = events.next().getBytes(StandardCharsets.UTF_8);
            phase = sending();
            out.write(part);
        }
    }

    private static ApiResponse made(ApiResponse answer, LaterBody later) {
        try {
            return new ApiResponse(answer.status(), later.get(), answer.headers());
        } catch (IOException unreadable) {
            log.warn("event=admin-request-failed error=\"{}\"", LogText.text(FailureWords.of(unreadable)));
            return ApiResponse.error(500, "the answer cannot be read: " + FailureWords.of(unreadable));
        }
    }

    private void send(OutputStream out, ApiResponse answer, boolean withBody, boolean keepAlive) throws IOException {
        if (answer.body() instanceof Content content) {
            send(out, answer, content, withBody, keepAlive);
            return;
        }
        String type = switch (answer.body()) {
            case PlainText(String _, String of) -> of;
            case ApiProblem _ -> HttpProblem.MEDIA_TYPE;
            default -> PlainText.JSON;
        };
        byte[] body = answer.body() instanceof PlainText(String text, String _)
                ? text.getBytes(StandardCharsets.UTF_8)
                : Controls.escapedJson(JSON.writeValueAsString(answer.body())).getBytes(StandardCharsets.UTF_8);
        byte[] head = head(answer, type, OptionalLong.of(body.length), keepAlive);
        phase = sending();
        out.write(head);
        if (withBody) {
            out.write(body);
        }
    }

    /// Reads a block before the response begins, so that a content that cannot be opened is an error
    /// and not a short response. A later failure closes the connection, and the client sees the end
    /// too early.
    private void send(OutputStream out, ApiResponse answer, Content content, boolean withBody, boolean keepAlive)
            throws IOException {
        boolean begun = false;
        try (InputStream in = content.open()) {
            byte[] block = in.readNBytes(BLOCK_BYTES);
            begun = true;
            phase = sending();
            out.write(head(answer, "message/rfc822", OptionalLong.of(content.sizeBytes()), keepAlive));
            while (withBody && block.length > 0) {
                phase = sending();
                out.write(block);
                block = in.readNBytes(BLOCK_BYTES);
            }
        } catch (IOException unreadable) {
            if (begun) {
                throw unreadable;
            }
            String reason = FailureWords.of(unreadable);
            log.warn("event=admin-request-failed error=\"{}\"", LogText.text(reason));
            send(out, ApiResponse.error(500, "the message cannot be read: " + reason), withBody, keepAlive);
        }
    }

    private static Phase sending() {
        return new Phase(false, System.nanoTime() + ANSWER_NANOS);
    }

    private static byte[] head(ApiResponse answer, String type, OptionalLong bodyBytes, boolean keepAlive) {
        SequencedMap<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", type);
        bodyBytes.ifPresent(octets -> headers.put("Content-Length", Long.toString(octets)));
        headers.put("Cache-Control", "no-store");
        headers.put("Connection", keepAlive ? "keep-alive" : "close");
        headers.putAll(answer.headers());
        return HttpHead.octets(answer.status(), headers);
    }

    private static Phase waiting() {
        return new Phase(true, System.nanoTime() + REQUEST_NANOS);
    }
}
