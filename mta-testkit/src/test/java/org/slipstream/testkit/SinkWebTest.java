package org.slipstream.testkit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.sink.script.ServerScript;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.MailFiles;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.SessionLog;
import org.slipstream.sink.web.SinkWeb;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

/// The page and the API of `./mta sink`, as a browser and a test program use them.
class SinkWebTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String MIXED = """
            From: =?utf-8?Q?J=C3=B6rg?= <a@x.example>\r
            Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r
            MIME-Version: 1.0\r
            Content-Type: multipart/mixed; boundary=b\r
            \r
            --b\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            \r
            G=C3=BC=C3=9Fe\r
            --b\r
            Content-Type: text/html\r
            \r
            <b>Hello</b><script>alert(1)</script>\r
            --b\r
            Content-Type: application/pdf; name="a \\"b\\".pdf"\r
            Content-Disposition: attachment; filename="a b.pdf"\r
            Content-Transfer-Encoding: base64\r
            \r
            AAEC\r
            --b--\r
            """;

    private final HttpClient client = HttpClient.newHttpClient();
    private final CaughtMail store = new CaughtMail(CaughtMail.Bounds.USUAL, MailFiles.NONE);
    private final SessionLog sessions = new SessionLog(10);
    private SinkServer server;
    private SinkWeb web;

    @BeforeEach
    void start() throws IOException {
        server = SinkServer.start(ANY, ServerScript.accepting(), store, sessions, _ -> {});
        web = SinkWeb.start(ANY, server, store, sessions, "title = \"mine\"", List.of("sink"));
    }

    @AfterEach
    void stop() {
        web.close();
        server.close();
        client.close();
    }

    private void receive(String recipient, String content) {
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.address())) {
            assertThat(talker.send(new OutgoingMessage("a@x.example", List.of(recipient),
                    content.getBytes(StandardCharsets.UTF_8))).code()).isEqualTo(250);
        }
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + web.address().getPort() + path);
    }

    private HttpResponse<String> ask(String method, String path, String body, String... headers) {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).method(method,
                    body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            return client.send(headers.length > 0 ? request.headers(headers).build() : request.build(),
                    BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private String get(String path) {
        HttpResponse<String> reply = ask("GET", path, "");
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
        return reply.body();
    }

    @Test
    void aMessageIsListedShownAndDownloaded() {
        receive("b@y.example", MIXED);
        assertThat(get("/api/v1/messages")).contains("\"total\":1", "\"subject\":\"Grüße\"", "\"to\":[\"b@y.example\"]");
        assertThat(get("/api/v1/messages/1")).contains("\"text\":\"Güße\"",
                "\"html\":\"<b>Hello</b><script>alert(1)</script>\"",
                "{\"number\":1,\"name\":\"a b.pdf\",\"type\":\"application/pdf\",\"size\":3}",
                "{\"name\":\"From\",\"value\":\"Jörg <a@x.example>\"}", "\"problem\":\"\"");
        assertThat(get("/api/v1/messages/1/raw")).isEqualTo(MIXED);
        HttpResponse<String> attachment = ask("GET", "/api/v1/messages/1/attachments/1", "");
        assertThat(attachment.body()).isEqualTo("\0\1\2");
        assertThat(attachment.headers().firstValue("Content-Disposition")).hasValue("attachment; filename=\"a_b.pdf\"");
        assertThat(attachment.headers().firstValue("Content-Type")).hasValue("application/octet-stream");
        assertThat(ask("GET", "/api/v1/messages/1/attachments/2", "").statusCode()).isEqualTo(404);
        assertThat(ask("GET", "/api/v1/messages/7", "").body()).contains("There is no message 7");
    }

    @Test
    void htmlOfAStrangerRunsNothing() {
        receive("b@y.example", MIXED);
        HttpResponse<String> html = ask("GET", "/api/v1/messages/1/html", "");
        assertThat(html.headers().firstValue("Content-Security-Policy").orElseThrow())
                .startsWith("sandbox; default-src 'none'");
        HttpResponse<String> page = ask("GET", "/", "");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow()).contains("script-src 'self'");
        assertThat(page.body()).doesNotContain("<script>", "onclick");
        assertThat(get("/page.js")).contains("setAttribute(\"sandbox\", \"\")").doesNotContain("innerHTML");
    }

    @Test
    void aMessageThatIsNoMimeIsShownWithTheReason() {
        receive("b@y.example", "Content-Type: multipart/mixed\r\n\r\nno boundary\r\n");
        assertThat(get("/api/v1/messages/1")).contains("\"problem\":\"").contains("\"subject\":\"\"");
        receive("b@y.example", "\0\1\2\r\n");
        assertThat(get("/api/v1/messages/2")).contains("\"id\":2");
    }

    @Test
    void messagesAreSearchedAndDeleted() {
        receive("b@y.example", MIXED);
        receive("c@y.example", "Subject: second\r\n\r\nA needle.\r\n");
        assertThat(get("/api/v1/messages?to=c@")).contains("\"total\":1", "second");
        assertThat(get("/api/v1/messages?query=NEEDLE")).contains("\"total\":1");
        assertThat(get("/api/v1/messages?subject=gr%C3%BC")).contains("\"total\":1", "\"id\":1");
        assertThat(get("/api/v1/messages?limit=1")).contains("\"total\":2", "\"id\":2").doesNotContain("\"id\":1,");
        assertThat(ask("DELETE", "/api/v1/messages/2", "").body()).isEqualTo("{\"deleted\":1}");
        assertThat(ask("DELETE", "/api/v1/messages/2", "").statusCode()).isEqualTo(404);
        assertThat(ask("DELETE", "/api/v1/messages", "").body()).isEqualTo("{\"deleted\":1}");
        assertThat(get("/api/v1/messages")).contains("\"total\":0");
    }

    @Test
    void aTestWaitsForAMessage() {
        CompletableFuture<String> waiting = CompletableFuture
                .supplyAsync(() -> get("/api/v1/wait?to=c@y.example&timeout=60s"));
        receive("b@y.example", MIXED);
        receive("c@y.example", "Subject: second\r\n\r\nHello.\r\n");
        assertThat(waiting.join()).contains("\"total\":1", "second");
        HttpResponse<String> late = ask("GET", "/api/v1/wait?count=3&timeout=1ms", "");
        assertThat(late.statusCode()).isEqualTo(404);
        assertThat(late.body()).contains("2 of 3 messages came within 1 ms.");
        assertThat(ask("GET", "/api/v1/wait?timeout=1y", "").body()).contains("timeout=1y is not a time");
    }

    @Test
    void theScriptIsReplacedWhileItRunsAndAMistakeChangesNothing() {
        assertThat(get("/api/v1/script")).isEqualTo("title = \"mine\"");
        HttpResponse<String> mistake = ask("POST", "/api/v1/script", "title = \"x\"\n[server]\ntls = \"god\"");
        assertThat(mistake.statusCode()).isEqualTo(400);
        assertThat(mistake.body()).contains("script:3: server: tls = \\\"god\\\" is unknown; did you mean \\\"good\\\"?");
        assertThat(get("/api/v1/script")).isEqualTo("title = \"mine\"");
        receive("b@y.example", MIXED);

        String script = "title = \"new\"\n[[rules]]\nname = \"full\"\non = \"rcpt\"\nreply = \"452 4.2.2 Full\"";
        assertThat(ask("POST", "/api/v1/script", script).body()).contains("\"script\":\"new\"", "\"rules\":1");
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.address())) {
            talker.must(250, "MAIL FROM:<>");
            talker.must(452, "RCPT TO:<b@y.example>");
        }
        assertThat(get("/api/v1/stats")).contains("\"script\":\"new\"", "\"rules\":{\"full\":1}", "\"rcpt\":1",
                "\"127.0.0.1\":{\"connections\":1");
        assertThat(get("/api/v1/sessions")).contains("RCPT TO:<b@y.example>", "452 4.2.2 Full");
        assertThat(get("/api/v1/sessions/1")).contains("EHLO");
    }

    /// DNS rebinding: the page of a stranger has this address under its own name.
    @Test
    void anUnknownHostAndAForeignOriginAreRefused() throws IOException {
        assertThat(raw("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 421");
        assertThat(raw("GET / HTTP/1.1\r\nHost: sink:8025\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 200");
        assertThat(raw("GET / HTTP/1.1\r\nHost: [::1]:8025\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 200");
        assertThat(ask("DELETE", "/api/v1/messages", "", "Origin", "http://evil.example").statusCode()).isEqualTo(403);
        assertThat(ask("DELETE", "/api/v1/messages", "", "Origin",
                "http://127.0.0.1:" + web.address().getPort()).statusCode()).isEqualTo(200);
        assertThat(ask("GET", "/../page.js", "").statusCode()).isNotEqualTo(500);
        assertThat(ask("PUT", "/api/v1/messages", "x").body()).contains("There is no PUT /api/v1/messages");
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(web.address().getAddress(), web.address().getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
