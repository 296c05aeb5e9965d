package org.slipstream.server;

import org.awaitility.Awaitility;
import org.slipstream.admin.ApiClient;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.settings.SettingsSource;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/// A whole server in this process, with one client and one operator.
record SmallServer(Server server, ApiClient operator) implements AutoCloseable {
    private static final Pattern QUEUED = Pattern.compile("queued as ([0-9a-z]+)");

    static SmallServer start(Path home, String... more) throws Exception {
        List<String> settings = new ArrayList<>(List.of("hostname=mta.example", "listen.smtp=127.0.0.1:0",
                "listen.submission=off", "local.domains=here.example"));
        settings.addAll(List.of(more));
        Server server = Server
                .start(((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), settings)).config());
        return new SmallServer(server, ApiClient.connect(server.admin(), Duration.ofSeconds(90)));
    }

    String ask(String method, String resource) throws IOException {
        ApiClient.ApiReply reply = operator.ask(method, resource);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        return reply.body();
    }

    /// @return the queue id of a message that has been deferred
    String deferred(String recipient) throws IOException {
        String id = send(recipient);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> field(id, "state").equals("deferred")
                && !field(id, "code").equals("due") && !field(id, "lastAttempt").isEmpty());
        return id;
    }

    String field(String id, String name) throws IOException {
        Matcher value = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(ask("GET", "queue/" + id));
        return value.find() ? value.group(1) : "";
    }

    String send(String recipient) {
        byte[] content = "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII);
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.smtp().orElseThrow())) {
            SmtpReply reply = talker.send(new OutgoingMessage("a@here.example", List.of(recipient), content));
            Matcher queued = QUEUED.matcher(reply.text());
            assertThat(queued.find()).as(reply.toString()).isTrue();
            return queued.group(1);
        }
    }

    @Override
    public void close() {
        operator.close();
        server.close();
    }
}
