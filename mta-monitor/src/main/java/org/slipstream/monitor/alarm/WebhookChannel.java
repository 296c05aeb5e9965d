package org.slipstream.monitor.alarm;

import org.slipstream.http.HttpPost;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/// Posts each notice to a web server, which has [#MOST_TIME] for its answer. A redirect is a failure, because its
/// target is not the operator's choice. The address is, so it may be one of the own network.
final class WebhookChannel implements AlarmChannel {
    static final Duration MOST_TIME = Duration.ofSeconds(15);

    private final URI address;
    private final String hostname;
    private final HttpPost post;

    WebhookChannel(URI address, String hostname) {
        this(address, hostname, MOST_TIME);
    }

    WebhookChannel(URI address, String hostname, Duration mostTime) {
        this.address = address;
        this.hostname = hostname;
        this.post = new HttpPost(HttpPost.ofSystem(_ -> true), mostTime);
    }

    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public void send(AlarmNotice notice) throws IOException {
        post.send(address, Map.of("Content-Type", "application/json"), notice.json(hostname)).requireTaken();
    }
}
