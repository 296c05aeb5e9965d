package org.slipstream.it;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.it.fixture.ComposedExample;
import org.slipstream.it.fixture.RequiresEngine;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpTalker;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `examples/compose`, started as its comments say, with ports that are free.
///
/// The image of Slipstream is the packaged one. That of Rspamd is not the official one, which an
/// image registry would have to give, but Debian's package on the base image of these tests.
@RequiresEngine
@RequiresPrograms({"busybox", "docker", "docker-compose", "dpkg-deb", "strip", "tini"})
class ComposeIT {
    private static final String RSPAMD = "slipstream-it/rspamd";
    private static final String GTUBE = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";
    private ComposedExample example;
    private InetSocketAddress smtp;
    private InetSocketAddress web;

    @BeforeAll
    static void loadImage() throws Exception {
        ComposedExample.loadImage();
    }

    @AfterEach
    void remove() {
        example.close();
    }

    @Test
    void mailOfAProgramOnThisMachineLiesInTheSink() {
        up("docker-compose.yml");
        assertThat(send("hello", "It works.").code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(sink()).contains("\"subject\":\"hello\""));
        assertThat(example.run("exec", "-T", "mail", "mta", "send", "--from", "me@localhost", "--to", "you@example.org",
                "--subject", "from inside", "--text", "It works.").exit()).isZero();
        eventually().untilAsserted(() -> assertThat(sink()).contains("\"subject\":\"from inside\""));
    }

    @Test
    void rspamdRefusesSpamBeforeItReachesTheSink() {
        ComposedExample.buildImage("rspamd", RSPAMD);
        up("docker-compose.yml", "docker-compose.rspamd.yml");
        eventually().untilAsserted(() -> assertThat(send("hello", "It works.").code()).isEqualTo(250));
        assertThat(send("spam", GTUBE)).hasToString("550 5.7.1 Gtube pattern");
        eventually().untilAsserted(() -> assertThat(sink()).contains("\"subject\":\"hello\""));
        assertThat(sink()).doesNotContain("\"subject\":\"spam\"");
    }

    private void up(String... names) {
        example = new ComposedExample("compose", Map.of("MAIL_PORT", "127.0.0.1:", "SINK_WEB", "127.0.0.1:",
                "RSPAMD_IMAGE", RSPAMD), names);
        example.run("up", "-d").mustSucceed();
        smtp = example.mapped("mail", 2525);
        web = example.mapped("sink", 8025);
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
        return example.messagesOf(web);
    }
}
