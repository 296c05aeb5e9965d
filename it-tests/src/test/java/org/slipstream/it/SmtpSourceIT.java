package org.slipstream.it;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.ProgramRun;

import java.util.List;

import static org.slipstream.it.fixture.MailAssert.eventually;

/// Postfix's load generator, with sessions at once from one to two hundred: no message is lost and
/// none comes twice.
@RequiresPrograms({"smtp-source"})
class SmtpSourceIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();

    /// `-d` keeps a session for several messages. The limit leaves room for sessions that the client has
    /// closed and the server has not yet.
    @ParameterizedTest
    @CsvSource({"1, 50, ''", "20, 400, ''", "200, 1000, ''", "20, 400, -d"})
    void everyMessageArrivesOnce(int sessions, int messages, String flag) {
        var server = BENCH.server(Settings.quick().set("limits.connections-per-client", "1000"));
        ProgramRun.of(new byte[0], List.of("smtp-source", flag.isEmpty() ? "-4" : flag, "-s", String.valueOf(sessions),
                "-m", String.valueOf(messages), "-l", "4096", "-f", "someone@client.example", "-t",
                "alice@here.example", "inet:127.0.0.1:" + server.smtp().getPort())).mustSucceed();
        eventually().until(() -> Queue.of(server).isEmpty());
        eventually().until(() -> server.mail().count("alice@here.example") == messages);
    }
}
