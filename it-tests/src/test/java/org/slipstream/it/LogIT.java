package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpTalker;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The log as an operator reads it who knows only the queue id from the client's 250.
class LogIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void theLifeOfAMessageIsFoundByItsQueueId() {
        var far = bench.smtpSink();
        far.change(script -> script.onRecipient("nobody@*", SinkAction.reply("550 5.1.1 no such user")));
        var server = bench.server(Settings.quick().route("far.example", far));
        String id;
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            var answer = talk.send(OutgoingMessage.of("logged@x", "alice@here.example",
                    List.of("bob@here.example", "friend@far.example", "nobody@far.example"),
                    Bytes.ascii("Log me.\r\n")));
            assertThat(answer.code()).isEqualTo(250);
            id = answer.text().replaceAll("(?s).*\\b([0-9a-z]{11})\\b.*", "$1");
        }
        eventually().until(() -> Queue.of(server).isEmpty());
        var life = server.log().lines().filter(line -> line.contains("queue=" + id)).toList();
        assertThat(life).hasSizeGreaterThanOrEqualTo(4)
                .anySatisfy(line -> assertThat(line).contains("alice@here.example"))
                .anySatisfy(line -> assertThat(line).contains("bob@here.example"))
                .anySatisfy(line -> assertThat(line).contains("friend@far.example", "250"))
                .anySatisfy(line -> assertThat(line).contains("nobody@far.example", "550", "no such user"));
        assertThat(server.log().lines().filter(line -> !line.contains("event=running-as-root")))
                .as("others' faults are no warnings of ours")
                .noneMatch(line -> line.contains(" WARN ") || line.contains(" ERROR "));
        assertThat(server.log()).doesNotContain("\tat ");
    }
}
