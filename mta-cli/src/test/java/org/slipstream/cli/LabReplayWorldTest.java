package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/// `lab replay-world` as a shell calls it.
class LabReplayWorldTest {
    private static final String WORLD = """
            slipstream-world 1
            seed 13
            messages 3
            minutes 1
            fault cut 3 10 1
            history
            # the server does not start: java.io.IOException
            #   \tat Server.start
            0.000 server starts
            3.001 fault cut 3 10 1
            13.001 server does not start: Reading from file failed
            java.io.IOException
            \tat Server.start
            60.250 acknowledged 2 as 1keh1 for [u1@d1.example]
            61.000 log INFO event=delivery queue=1keh1 recipient=<u1@d1.example> result=sent
            62.000 acknowledged 21 as 1keh2 for [u2@d1.example]
            63.000 host 1 takes 2 for [u1@d1.example] \u001b[2J
            """;

    @TempDir
    private Path home;

    private Console.Ran run(String... arguments) {
        return new Console(home).run(arguments);
    }

    @Test
    void theEventsOfAWorldStandInTheirOrder() throws IOException {
        Path file = Files.writeString(home.resolve("world-13.txt"), WORLD);
        Console.Ran ran = run("lab", "replay-world", file.toString());
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).startsWith("The world: seed 13, messages 3, minutes 1, fault cut 3 10 1")
                .contains("The checker: the server does not start: java.io.IOException",
                        "    13.001  server does not start: Reading from file failed", "java.io.IOException\n",
                        "7 of 7 events", "-Dworlds=\"replay " + file)
                .doesNotContain("\u001b");
        assertThat(ran.out().indexOf("0.000  server starts")).isLessThan(ran.out().indexOf("3.001  fault cut"));
    }

    @Test
    void aMessageIsFollowedByItsNumberAndItsQueueId() throws IOException {
        Path file = Files.writeString(home.resolve("world-13.txt"), WORLD);
        Console.Ran ran = run("lab", "replay-world", file.toString(), "--message", "2");
        assertThat(ran.out()).contains("acknowledged 2 as", "event=delivery queue=1keh1", "host 1 takes 2", "3 of 7")
                .doesNotContain("acknowledged 21");
        assertThat(run("lab", "replay-world", file.toString(), "--from", "60", "--to", "62", "--find", "result=sent",
                "--json").out()).contains("\"events\":[{\"second\":\"61.000\"");
    }

    @Test
    void aWorldIsWrittenAsAPage() throws IOException {
        Path file = Files.writeString(home.resolve("world-13.txt"), WORLD);
        Path page = home.resolve("page.html");
        Console.Ran ran = run("lab", "replay-world", file.toString(), "--page", page.toString());
        assertThat(ran.out()).isEqualTo("the world is in " + page + "\n");
        assertThat(page).content().contains("The world of world-13.txt", "message 2, 1keh1, for u1@d1.example",
                "<time>13.001</time>", "id=\"play\"").doesNotContain("\u001b");
        assertThat(run("lab", "replay-world", file.toString(), "--page", home.toString()).err())
                .startsWith("mta: cannot write " + home);
    }

    @Test
    void anotherFileGivesOneSentence() throws IOException {
        Path file = Files.writeString(home.resolve("other.txt"), "seed 1\n");
        Console.Ran ran = run("lab", "replay-world", file.toString());
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).startsWith("mta: " + file + " is no file of a world");
        assertThat(run("lab", "replay-world", home.resolve("none").toString()).exit()).isEqualTo(2);
        Files.writeString(file, "slipstream-world 1\nhistory\n" + "1.000 x\n".repeat(200_000));
        assertThat(run("lab", "replay-world", file.toString()).err()).contains("more than 200000 lines");
    }
}
