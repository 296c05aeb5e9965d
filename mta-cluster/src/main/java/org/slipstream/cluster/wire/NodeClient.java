package org.slipstream.cluster.wire;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends messages to other nodes, over connections that stay open. One limit in time holds for a whole exchange:
/// connecting, the handshake, sending, and the last octet of the answer. An answer has at most
/// [NodePort#MOST_OCTETS].
public final class NodeClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(2);
    private static final int OK = 200;
    private static final int LONGEST_REASON = 300;

    private final HttpClient client;

    public NodeClient(ClusterIdentity identity) {
        client = HttpClient.newBuilder().sslContext(identity.context()).connectTimeout(CONNECT)
                .version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY).build();
    }

    /// Sends a message and waits for the answer.
    ///
    /// @param address of the node, with its port
    /// @param service the kind of the message
    /// @throws IOException when there is no answer in time, or a refusal
    public String ask(String address, String service, String message, Duration timeout) throws IOException {
        HttpRequest request;
        try {
            request = HttpRequest.newBuilder(URI.create("https://" + address + "/" + service)).timeout(timeout)
                    .header("Content-Type", NodePort.JSON)
                    .header(NodePort.VERSION_HEADER, Integer.toString(NodePort.VERSION))
                    .POST(HttpRequest.BodyPublishers.ofString(message)).build();
        } catch (IllegalArgumentException malformed) {
            throw new IOException("\"" + address + "\" is no address", malformed);
        }
        CompletableFuture<HttpResponse<byte[]>> exchange = client.sendAsync(request,
                HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), NodePort.MOST_OCTETS));
        HttpResponse<byte[]> answer = await(exchange, timeout);
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        if (answer.statusCode() != OK) {
            throw new IOException("it answered with " + answer.statusCode() + ": "
                    + text.substring(0, Math.min(LONGEST_REASON, text.length())).strip());
        }
        return text;
    }

    private static HttpResponse<byte[]> await(CompletableFuture<HttpResponse<byte[]>> exchange, Duration timeout)
            throws IOException {
        try {
            return exchange.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            exchange.cancel(true);
            throw new IOException("no answer in " + timeout.toMillis() + " ms", late);
        } catch (ExecutionException | CancellationException failed) {
            throw new IOException(failed.getCause() == null ? "cancelled" : String.valueOf(failed.getCause()), failed);
        } catch (InterruptedException stop) {
            exchange.cancel(true);
            Thread.currentThread().interrupt();
            throw new IOException("stopping", stop);
        }
    }

    /// Ends exchanges under way.
    @Override
    public void close() {
        client.shutdownNow();
    }
}
