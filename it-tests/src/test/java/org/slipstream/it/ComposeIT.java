package org.slipstream.it;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.it.fixture.BuiltPackages;
import org.slipstream.it.fixture.RequiresEngine;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `examples/compose`, started as its comments say, with ports that are free.
///
/// The image of Slipstream is the packaged one. That of Rspamd is not the official one, which an
/// image registry would have to give, but Debian's package on the base image of these tests.
@RequiresEngine
@RequiresPrograms({"busybox", "docker", "docker-compose", "dpkg-deb", "strip", "tini"})
class ComposeIT {
    private static final Path EXAMPLE = Path.of("..", "examples", "compose").toAbsolutePath().normalize();
    private static final String RSPAMD = "slipstream-it/rspamd";
    private static final String GTUBE = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";
    /// The build fetches packages and runs beside other tests.
    private static final Duration IMAGE_BUILD = Duration.ofMinutes(10);
    private final String project = "slipstream-it-" + ProcessHandle.current().pid();
    private List<String> files = List.of();
    private InetSocketAddress smtp;
    private InetSocketAddress web;

    @BeforeAll
    static void loadImage() throws Exception {
        ProgramRun.of("docker", "load", "-i", BuiltPackages.image().toString()).mustSucceed();
    }

    @AfterEach
    void remove() {
        compose("down", "-v", "-t", "5");
    }

    @Test
    void mailOfAProgramOnThisMachineLiesInTheSink() {
        up("docker-compose.yml");
        assertThat(send("hello", "It works.").code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(sink()).contains("\"subject\":\"hello\""));
        assertThat(compose("exec", "-T", "mail", "mta", "send", "--from", "me@localhost", "--to", "you@example.org",
                "--subject", "from inside", "--text", "It works.").exit()).isZero();
        eventually().untilAsserted(() -> assertThat(sink()).contains("\"subject\":\"from inside\""));
    }

    @Test
    void rspamdRefusesSpamBeforeItReachesTheSink() {
        String base = Optional.ofNullable(System.getenv("IT_BASE_IMAGE")).orElse("debian:bookworm");
        ProgramRun
                .within(IMAGE_BUILD, "docker", "build", "-q", "--build-arg", "BASE=" + base, "-t", RSPAMD,
                        "src/test/docker/rspamd")
                .mustSucceed();
        up("docker-compose.yml", "docker-compose.rspamd.yml");
        eventually().untilAsserted(() -> assertThat(send("hello", "It works.").code()).isEqualTo(250));
        assertThat(send("spam", GTUBE)).hasToString("550 5.7.1 Gtube pattern");
        eventually().untilAsserted(() -> assertThat(sink()).contains("\"subject\":\"hello\""));
        assertThat(sink()).doesNotContain("\"subject\":\"spam\"");
    }

    private void up(String... names) {
        files = List.of(names);
        compose("up", "-d").mustSucceed();
        smtp = mapped("mail", 2525);
        web = mapped("sink", 8025);
        eventually().ignoreExceptions().untilAsserted(() -> assertThat(sink()).contains("\"messages\":[]"));
        eventually().ignoreExceptions().until(() -> {
            try (var talk = SmtpTalker.to(smtp)) {
                return talk.reply().startsWith("220");
            }
        });
    }

    private SmtpReply send(String subject, String body) {
        String message = "From: <me@example.net>\r\nSubject: " + subject + "\r\n\r\n" + body + "\r\n";
        try (var talk = SmtpTalker.introducedTo(smtp)) {
            return talk.send(new OutgoingMessage("me@example.net", List.of("you@example.org"),
                    message.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    private String sink() {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + web.getPort()
                    + "/api/v1/messages")).build(), BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /// The port that the engine chose on the loopback of this machine.
    private InetSocketAddress mapped(String service, int port) {
        String address = compose("port", service, Integer.toString(port)).mustSucceed().out().strip();
        assertThat(address).startsWith("127.0.0.1:");
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(address.substring(address.indexOf(':') + 1)));
    }

    private ProgramRun compose(String... arguments) {
        var command = new ArrayList<>(List.of("env", "MAIL_PORT=127.0.0.1:", "SINK_WEB=127.0.0.1:",
                "RSPAMD_IMAGE=" + RSPAMD, "docker-compose", "-p", project));
        files.forEach(file -> command.addAll(List.of("-f", EXAMPLE.resolve(file).toString())));
        command.addAll(List.of(arguments));
        return ProgramRun.of(command.toArray(String[]::new));
    }
}
