package org.slipstream.monitor.alarm;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Posts each notice to a web server, which has [#MOST_TIME] for the whole answer. At most [#MOST_ANSWER]
/// octets of it are read, and none is used. A redirect is a failure, because its target is not the
/// operator's choice.
///
/// Each notice has a client of its own, so nothing of it runs between two alarms.
final class WebhookChannel implements AlarmChannel {
    static final Duration MOST_TIME = Duration.ofSeconds(15);
    static final int MOST_ANSWER = 65_536;
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final int OK = 200;
    private static final int REDIRECT = 300;

    private final URI address;
    private final String hostname;
    private final Duration mostTime;

    WebhookChannel(URI address, String hostname) {
        this(address, hostname, MOST_TIME);
    }

    WebhookChannel(URI address, String hostname, Duration mostTime) {
        this.address = address;
        this.hostname = hostname;
        this.mostTime = mostTime;
    }

    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public void send(AlarmNotice notice) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(notice.json(hostname))).build();
        HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).followRedirects(Redirect.NEVER).build();
        try {
            CompletableFuture<HttpResponse<Void>> answer = client.sendAsync(request,
                    BodyHandlers.limiting(BodyHandlers.discarding(), MOST_ANSWER));
            int status = answer.get(mostTime.toMillis(), TimeUnit.MILLISECONDS).statusCode();
            if (status < OK || status >= REDIRECT) {
                throw new IOException("it answered with " + status);
            }
        } catch (TimeoutException late) {
            throw new IOException("it did not answer within " + mostTime.toSeconds() + " s", late);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException cause ? cause : new IOException(failed.getCause());
        } finally {
            client.shutdownNow();
        }
    }
}
