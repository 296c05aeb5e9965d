package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A provider that says "too fast" to everything, in the packaged program: with a rule its mail waits, and the
/// provider is left in peace. Without one, each retry is one more refusal.
class ShapingIT {
    private static final int MESSAGES = 20;

    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void aRuleEndsTheRefusalsOfAProvider() throws IOException {
        var house = bench.smtpSink();
        house.change(script -> script.on(SinkPhase.MAIL, SinkAction.reply("421 4.7.28 you send too fast")));
        Path rules = Files.writeString(Files.createDirectories(bench.home()).resolve("rules.toml"), """
                [[rules]]
                name = "too-fast"
                provider = "house"
                code = "421"
                text = ["too fast"]
                count = 3
                within = "1m"
                suspend = "10m"
                """);
        var server = bench.server(Settings.quick().set("provider.house.addresses", "127.0.0.1/32")
                .route("one.example", house).route("two.example", house));
        send(server);
        eventually().until(() -> refusals(house) > MESSAGES);
        assertThat(server.command("shaping", "apply", rules.toString(), "--for", "1h").mustSucceed().out())
                .contains("1");
        eventually().until(() -> server.command("suspend", "list").out().contains("rule too-fast"));
        assertThat(server.command("shaping", "list").mustSucceed().out()).contains("too-fast", "you send too fast");
        assertThat(server.command("explain", "--destination", "one.example").mustSucceed().out())
                .contains("rule too-fast");
        assertThat(server.command("queue", "list", "--provider", "house").mustSucceed().out())
                .contains("bob@one.example");
        house.awaitIdle();
        int before = refusals(house);
        send(server);
        assertThat(refusals(house)).as("nothing was tried while the provider is left in peace").isEqualTo(before);
        house.change(script -> script.on(SinkPhase.MAIL, SinkAction.usual()));
        assertThat(server.command("shaping", "end").mustSucceed().out()).isNotBlank();
        eventually().until(() -> house.messages().size() == 2 * MESSAGES);
    }

    private static int refusals(SmtpSink house) {
        return (int) house.commands().stream().filter(line -> line.startsWith("MAIL")).count();
    }

    private static void send(PackagedServer server) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (int i = 0; i < MESSAGES; i++) {
                String domain = i % 2 == 0 ? "one.example" : "two.example";
                assertThat(talk.send(OutgoingMessage.of("m" + i, "eve@here.example", "bob@" + domain)).code())
                        .isEqualTo(250);
            }
        }
    }
}
