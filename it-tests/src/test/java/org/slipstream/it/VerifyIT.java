package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// An operator verifies an address, and no message is sent.
@Tag("FI-07")
class VerifyIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static SmtpSink far;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        far = BENCH.smtpSink();
        server = BENCH.server(Settings.quick().route("far.example", far));
    }

    private static String result(String address, int exit) {
        var answer = server.command("verify", address);
        assertThat(answer.exit()).isEqualTo(exit);
        return answer.out();
    }

    @Test
    void theHostOfTheAddressIsAskedAndGetsNoMessage() {
        far.change(script -> script.onRecipient("gone@*", SinkAction.reply("550 5.1.1 no such user")));
        far.change(script -> script.onRecipient("full@*", SinkAction.reply("452 4.2.2 mailbox full")));
        assertThat(result("ann@far.example", 0)).contains("deliverable", "smtp:");
        assertThat(result("gone@far.example", 1)).contains("undeliverable", "550 5.1.1 no such user");
        assertThat(result("full@far.example", 1)).contains("unknown", "452 4.2.2 mailbox full");
        assertThat(far.messages()).isEmpty();

        // The connection of the probes carries mail, too.
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("after@x", "someone@client.example", "ann@far.example")).code())
                    .isEqualTo(250);
        }
        eventually().untilAsserted(
                () -> assertThat(far.messages()).extracting(ReceivedMessage::id).containsExactly("after@x"));
    }
}
