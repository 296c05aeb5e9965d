package org.slipstream.cli;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/// The operator's commands that add, change and remove users.
class UserCommandsTest {
    @TempDir
    Path home;
    private Console console;

    @BeforeEach
    void open() {
        console = new Console(home);
    }

    private Console.Ran run(String input, String... arguments) {
        console.input = input.getBytes(StandardCharsets.UTF_8);
        return console.run(arguments);
    }

    @Test
    void aUserIsAddedWithThePasswordOfTheFirstLine() throws Exception {
        Files.writeString(home.resolve("mta.toml"), "[local]\ndomains = [\"here.example\", \"second.example\"]\n");
        Console.Ran added = run("open sesame\r\nnot this\n", "user", "add", "alice");
        assertThat(added.exit()).isZero();
        assertThat(added.out().lines()).first().isEqualTo("alice may send as alice@here.example, alice@second.example");
        assertThat(run("x\n", "user", "add", "bob@far.example").out()).contains("may send as bob@far.example");
        assertThat(run("x\n", "user", "add", "news", "--address", "@lists.example", "--address", "n@here.example")
                .exit()).isZero();
        assertThat(run("", "user", "list").out().lines()).containsExactly(
                "NAME             SCRAM  SENDS AS",
                "alice            yes    alice@here.example, alice@second.example",
                "bob@far.example  yes    bob@far.example",
                "news             yes    @lists.example, n@here.example");
        assertThat(Files.readString(home.resolve("users"))).doesNotContain("sesame");
        assertThat(run("", "check").exit()).isZero();
    }

    @Test
    void mistakesAreReportedInOneSentence() {
        assertThat(run("x\n", "user", "add", "alice").exit()).isZero();
        assertThat(run("x\n", "user", "add", "alice").err().strip()).startsWith("mta: user alice exists already");
        assertThat(run("x\n", "user", "passwd", "bob").err().strip()).isEqualTo("mta: there is no user bob");
        assertThat(run("", "user", "remove", "bob").exit()).isEqualTo(1);
        for (String password : new String[]{"", "\n", "a\u0001b\n", "x".repeat(1001) + "\n"}) {
            Console.Ran refused = run(password, "user", "add", "carl");
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err().lines()).hasSize(1);
        }
        console.input = new byte[]{'g', 'r', (byte) 0xfc, '\n'};
        assertThat(console.run("user", "add", "carl").err()).contains("UTF-8");
        assertThat(run("", "user").exit()).isEqualTo(2);
        assertThat(run("", "user", "add", "carl", "secret").exit()).as("a password is no argument").isEqualTo(2);
        assertThat(run("", "user", "list").out()).doesNotContain("carl");
    }

    @Test
    void aChangedPasswordAndARemovedUser() throws Exception {
        run("one\n", "user", "add", "alice");
        String before = Files.readString(home.resolve("users"));
        assertThat(run("two\n", "user", "passwd", "alice").out().strip()).isEqualTo("alice has a new password");
        assertThat(Files.readString(home.resolve("users"))).isNotEqualTo(before);
        assertThat(run("", "user", "remove", "alice").out().strip()).isEqualTo("alice may no longer log in");
        assertThat(run("", "user", "list").out().strip()).isEqualTo("there are no users");
    }

    @Test
    void aUserWithoutAMailboxIsNamed() throws Exception {
        Files.writeString(home.resolve("mta.toml"),
                "[local]\ndomains = [\"here.example\"]\nmailboxes = [\"bob\"]\n");
        assertThat(run("x\n", "user", "add", "alice").out().lines()).satisfiesExactly(
                added -> assertThat(added).isEqualTo("alice may send as alice@here.example"),
                named -> assertThat(named).contains("no mailbox alice@here.example",
                        "add \"alice\" to local.mailboxes"));
        assertThat(run("x\n", "user", "add", "bob").out().lines()).hasSize(1);
        assertThat(run("x\n", "user", "add", "news", "--address", "@here.example", "--address", "n@far.example").out()
                .lines()).hasSize(1);
    }
}
