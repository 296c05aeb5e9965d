package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// `lab replay` and `lab what-if` as a shell calls them.
class LabJournalCommandsTest {
    @TempDir
    private Path home;

    private Console.Ran run(String... arguments) {
        return new Console(home).run(arguments);
    }

    @Test
    void aReplayWithoutAJournalGivesOneSentence() throws IOException {
        Path file = home.resolve("decisions.jsonl");
        assertThat(run("lab", "replay", file.toString())).isEqualTo(
                new Console.Ran(2, "", "mta: there is no file " + file + System.lineSeparator()));
        Files.writeString(file, "no journal\n");
        Console.Ran ran = run("lab", "replay", file.toString());
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).startsWith("mta: " + file + ":1: not JSON: ");
        assertThat(run("lab", "replay", "--help").out()).contains("Exit codes:", "Examples:");
    }

    @Test
    void theLiveQueueIsSavedAndGivesTheSameForecastFromTheFile() throws IOException {
        try (AdminServer server = AdminServer.bind(AdminSocket.in(home))) {
            FakeQueue queue = new FakeQueue();
            queue.put(1, "a@here.example", "active", "b@far.example", "c@far.example");
            queue.put(2, "", "deferred", "d@elsewhere.example");
            queue.put(3, "", "held", "e@elsewhere.example");
            server.serve(queue, new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
            Path saved = home.resolve("queue.json");
            Console.Ran live = run("lab", "what-if", "--from-live", "--save", saved.toString(), "--set",
                    "queue.lanes=1");
            assertThat(live.exit()).as(live.err()).isZero();
            assertThat(live.out()).startsWith("Assumptions:").contains("queue.lanes=1",
                    "2 messages of the queue", "without 1 on hold");
            assertThat(run("lab", "what-if", "--from", saved.toString(), "--set", "queue.lanes=1").out())
                    .isEqualTo(live.out());
            assertThat(run("lab", "what-if", "--from", saved.toString(), "--json").out())
                    .startsWith("{\"assumptions\":[");
        }
    }

    @Test
    void mistakesGiveOneSentence() throws IOException {
        Path file = Files.writeString(home.resolve("queue.json"), "[]");
        assertThat(run("lab", "what-if", "--from", file.toString()).err())
                .startsWith("mta: " + file + " is no saved queue; write one with --from-live --save");
        assertThat(run("lab", "what-if", "--from-live").exit()).isEqualTo(4);
        assertThat(run("lab", "what-if").exit()).isEqualTo(2);
        assertThat(run("lab", "what-if", "--from", file.toString(), "--set", "queue.lains=1").exit()).isEqualTo(78);
        assertThat(run("lab", "what-if", "--from", file.toString(), "--delivery", "soon").err())
                .startsWith("mta: --delivery is a time such as 300ms or 2s, not \"soon\"");
    }
}
