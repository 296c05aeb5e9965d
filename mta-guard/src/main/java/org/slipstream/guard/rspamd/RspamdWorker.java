package org.slipstream.guard.rspamd;

import org.slipstream.core.Content;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A worker of Rspamd, asked by HTTP. One exchange takes at most the timeout, whatever the worker
/// does, and an answer is read up to [#LONGEST_REPLY] bytes.
///
/// A message is streamed from the draft. May be called by any thread.
final class RspamdWorker {
    private static final long LONGEST_REPLY = 1 << 20;
    private static final int OK = 200;

    private final URI check;
    private final Duration timeout;
    // Ends by itself when it is not used any more, so the client of former settings is not closed.
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY)
            .executor(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("rspamd-", 0).factory())).build();

    RspamdWorker(URI url, Duration timeout) {
        this.check = URI.create(url.toString().replaceAll("/+$", "") + "/checkv2");
        this.timeout = timeout;
    }

    /// @param facts about the message, as HTTP headers
    /// @return the answer
    /// @throws IOException no answer in time, or none that can be used
    byte[] check(List<Map.Entry<String, String>> facts, Content message) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(check);
        facts.forEach(fact -> request.header(fact.getKey(), fact.getValue()));
        try (InputStream content = message.open()) {
            return answer(request.POST(body(content, message.sizeBytes())).build());
        }
    }

    private static BodyPublisher body(InputStream content, long bytes) {
        return BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(() -> content), bytes);
    }

    private byte[] answer(HttpRequest request) throws IOException {
        CompletableFuture<HttpResponse<byte[]>> asked = http.sendAsync(request,
                BodyHandlers.limiting(BodyHandlers.ofByteArray(), LONGEST_REPLY));
        try {
            HttpResponse<byte[]> answer = asked.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (answer.statusCode() != OK) {
                throw new IOException("the answer has the status " + answer.statusCode());
            }
            return answer.body();
        } catch (TimeoutException late) {
            throw new IOException("Timeout exceeded", late);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException cause ? cause : new IOException(failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stop);
        } finally {
            asked.cancel(true);
        }
    }
}
