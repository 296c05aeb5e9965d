package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.arrives;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// An operator suspends the mail of a domain and freezes all deliveries, over a restart.
class SuspensionIT {
    private static final Pattern QUEUED = Pattern.compile("queued as ([0-9a-z]+)");
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static SmtpSink far;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        far = BENCH.smtpSink();
        server = BENCH.server(Settings.quick().route("far.example", far));
    }

    @Test
    @Tag("ZM-25")
    void suspendedAndFrozenMailWaitsOverARestartAndGoesAfterResumeAndThaw() {
        assertThat(server.command("suspend", "domain", "far.example", "--reason", "their disk is full")
                .mustSucceed().out()).startsWith("suspended domain far.example");
        server.command("freeze", "--reason", "the network is changed").mustSucceed();
        OutgoingMessage message = OutgoingMessage.of("suspended@x", "ann@here.example", "friend@far.example");
        String id = queued(message);
        assertThat(server.stop()).isZero();
        server.startAgain();

        assertThat(server.command("suspend", "list").mustSucceed().out()).contains("far.example",
                "their disk is full", "the network is changed");
        assertThat(explain(id)).contains("all deliveries are frozen by", "mta thaw");
        server.command("thaw").mustSucceed();
        eventually().untilAsserted(() -> assertThat(explain(id)).contains("destination far.example is suspended by",
                "mta resume destination far.example"));
        assertThat(server.command("explain", "--destination", "far.example").mustSucceed().out())
                .contains("their disk is full (mta resume destination far.example ends it)");
        assertThat(far.messages()).isEmpty();
        server.command("resume", "domain", "far.example").mustSucceed();
        arrives(message, far);
        assertThat(server.command("suspend", "list").mustSucceed().out()).startsWith("nothing is suspended");
    }

    private static String queued(OutgoingMessage message) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            SmtpReply reply = talk.send(message);
            Matcher queued = QUEUED.matcher(reply.text());
            assertThat(queued.find()).as(reply.toString()).isTrue();
            return queued.group(1);
        }
    }

    private static String explain(String id) {
        return server.command("explain", id).mustSucceed().out();
    }
}
