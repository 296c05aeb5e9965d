package org.slipstream.it;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.it.fixture.ComposedExample;
import org.slipstream.it.fixture.RequiresEngine;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.ProgramRun;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `examples/cluster`, as its README says, with ports that are free. The image of PostgreSQL is Debian's package on the
/// base image of these tests.
@RequiresEngine
@RequiresPrograms({"busybox", "docker", "docker-compose", "dpkg-deb", "strip", "tini"})
class ClusterComposeIT {
    private static final String POSTGRES = "slipstream-it/postgres";
    private static final String FREE = "127.0.0.1:";
    private static final ComposedExample EXAMPLE = new ComposedExample("cluster", Map.of("A_PORT", FREE, "B_PORT", FREE,
            "C_PORT", FREE, "SINK_WEB", FREE, "BUSY_WEB", FREE, "POSTGRES_IMAGE", POSTGRES), "docker-compose.yml");

    @BeforeAll
    static void makeImages() throws Exception {
        ComposedExample.loadImage();
        ComposedExample.buildImage("postgres", POSTGRES);
    }

    @AfterAll
    static void remove() {
        EXAMPLE.close();
    }

    @Test
    void threeNodesShareAQueueThatOutlivesTheirPrimaryAndOneOfThem() {
        EXAMPLE.run("up", "-d", "a", "b", "c", "sink").mustSucceed();
        InetSocketAddress a = EXAMPLE.mapped("a", 2525);
        InetSocketAddress b = EXAMPLE.mapped("b", 2525);
        InetSocketAddress web = EXAMPLE.mapped("sink", 8025);
        eventually().untilAsserted(() -> {
            ProgramRun check = mta("b", "cluster", "check");
            assertThat(check.out()).contains("2 standbys confirm", "the same on nodes a, b, c",
                    "nothing is lacking");
            assertThat(check.exit()).isZero();
        });

        EXAMPLE.run("kill", "db1").mustSucceed();
        assertThat(EXAMPLE.script("promote.sh").mustSucceed().out()).contains(" is the primary");
        accepts(a, "far.example", "after the promotion");
        eventually().untilAsserted(() -> assertThat(EXAMPLE.messagesOf(web))
                .contains("\"subject\":\"after the promotion\""));

        accepts(a, "down.example", "it waits");
        EXAMPLE.run("kill", "a").mustSucceed();
        // Its mail is in the queue of its successor.
        eventually().untilAsserted(() -> assertThat(mta("b", "queue", "list").out()).contains("you@down.example")
                .doesNotContain("left out"));
        accepts(b, "far.example", "with two nodes");
        eventually().untilAsserted(() -> assertThat(EXAMPLE.messagesOf(web))
                .contains("\"subject\":\"with two nodes\""));
    }

    private static ProgramRun mta(String node, String... words) {
        String[] command = new String[words.length + 4];
        System.arraycopy(new String[]{"exec", "-T", node, "mta"}, 0, command, 0, 4);
        System.arraycopy(words, 0, command, 4, words.length);
        return EXAMPLE.run(command);
    }

    /// As a client does: a 451 and a lost connection are tried again.
    private static void accepts(InetSocketAddress node, String domain, String subject) {
        eventually().ignoreExceptions().until(() -> send(node, domain, subject).code() == 250);
    }

    private static SmtpReply send(InetSocketAddress node, String domain, String subject) {
        String message = "From: <me@example.net>\r\nSubject: " + subject + "\r\n\r\nIt works.\r\n";
        try (SmtpTalker talk = SmtpTalker.introducedTo(node)) {
            return talk.send(new OutgoingMessage("me@example.net", List.of("you@" + domain),
                    message.getBytes(StandardCharsets.US_ASCII)));
        }
    }
}
