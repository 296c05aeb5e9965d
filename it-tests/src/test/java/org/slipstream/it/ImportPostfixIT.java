package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.nio.file.Files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `import-postfix` beside a real Postfix: its names, and a server with the imported settings.
@RequiresPrograms("postconf")
class ImportPostfixIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void everyNameOfPostfixIsKnown() throws IOException {
        var main = Files.writeString(bench.folder().resolve("main.cf"),
                ProgramRun.of("postconf", "-d").mustSucceed().out());
        var run = Program.run(bench.home(), "import-postfix", main.toString());
        assertThat(run.exit()).as(run.err()).isLessThan(2);
        assertThat(run.err()).contains("Not needed here: ").doesNotContain("Postfix has no such parameter",
                "leads back to itself", "is not \"name = value\"", "internal error");
    }

    @Test
    void theImportedServerRelaysWhereThePostfixDid() throws IOException {
        var sink = bench.smtpSink();
        var home = bench.home();
        var main = Files.writeString(bench.folder().resolve("main.cf"), """
                myhostname = web1.example.org
                mydestination =
                inet_interfaces = loopback-only
                mynetworks = 127.0.0.0/8
                relayhost = [127.0.0.1]:%d
                """.formatted(sink.port()));
        Program.run(home, "import-postfix", main.toString(), "--to", home.resolve("mta.toml").toString())
                .mustSucceed();
        Program.run(home, "check").mustSucceed();
        var server = bench.server(home, Settings.quick());
        try (var client = SmtpTalker.introducedTo(server.smtp())) {
            client.send(OutgoingMessage.of("imported@x", "me@web1.example.org", "you@far.example"));
        }
        eventually().untilAsserted(() -> assertThat(sink.messages()).singleElement()
                .satisfies(message -> assertThat(message.recipients()).containsExactly("you@far.example")));
    }
}
