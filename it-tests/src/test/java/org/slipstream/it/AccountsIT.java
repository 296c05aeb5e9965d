package org.slipstream.it;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A user sends more than usual, and a mailbox that was broken into is held.
class AccountsIT {
    private static final String PASSWORD = "open sesame";

    @RegisterExtension
    final Workbench bench = new Workbench();
    private SmtpSink far;
    private PackagedServer server;

    @BeforeEach
    void sink() {
        far = bench.smtpSink();
        far.change(script -> script.onRecipients(recipient -> recipient.startsWith("never")
                ? Optional.of(SinkAction.reply("550 5.1.1 User unknown"))
                : Optional.empty()));
    }

    private void start(Settings settings) {
        server = bench.server(settings.route("far.example", far).set("events.keep", "1d")
                .set("submission.sender-must-belong", "false"));
        for (String user : List.of("alice", "bob")) {
            Program.runWithInput((PASSWORD + "\n").getBytes(StandardCharsets.UTF_8), server.home(), "user", "add", user)
                    .mustSucceed();
        }
    }

    private SmtpReply send(String user, String id, List<String> recipients) {
        try (var talk = SmtpTalker.introducedTo(server.submission())) {
            talk.startTls();
            talk.must(250, "EHLO client.example");
            talk.must(235, "AUTH PLAIN " + Base64.getEncoder()
                    .encodeToString(("\0" + user + "\0" + PASSWORD).getBytes(StandardCharsets.UTF_8)));
            return talk.send(OutgoingMessage.of(id, user + "@here.example", recipients,
                    "Text\r\n".getBytes(StandardCharsets.US_ASCII)));
        }
    }

    private static List<String> recipients(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> name + i + "@far.example").toList();
    }

    private List<String> arrived() {
        return far.messages().stream().map(each -> each.id()).toList();
    }

    @Test
    void aCapHoldsAlsoAfterARestart() {
        start(Settings.quick().set("accounts.user-per-hour", "3").set("account.\"bob\".per-hour", "4"));
        assertThat(send("alice", "one@x", recipients("a", 2)).code()).isEqualTo(250);
        assertThat(server.stop()).isZero();
        server.startAgain();
        SmtpReply refused = send("alice", "two@x", recipients("a", 2));
        assertThat(refused.code() + " " + refused.text()).contains("450 4.7.1 Error: too many recipients",
                "at most 3 within an hour");
        assertThat(send("alice", "three@x", recipients("a", 1)).code()).isEqualTo(250);
        assertThat(send("bob", "four@x", recipients("a", 4)).code()).isEqualTo(250);
        assertThat(send("bob", "five@x", recipients("a", 1)).code()).isEqualTo(450);
        assertThat(server.command("user", "show", "alice").mustSucceed().out()).contains("alice: usual",
                "3 of 3 in an hour", "127.0.0.0/16");
        assertThat(server.command("user", "show", "@here.example").mustSucceed().out()).contains("7 in an hour");
        assertThat(server.command("user", "show", "nobody").exit()).isNotZero();
    }

    @Test
    void manyRefusalsHoldTheMailOfAUserUntilItsRelease() {
        start(Settings.quick().set("accounts.watch", "hold"));
        assertThat(send("alice", "guesses@x", recipients("never", 20)).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(server.log()).contains("event=account-suspicious user=alice"));
        assertThat(send("alice", "held@x", recipients("friend", 1)).code()).as("an intruder learns nothing")
                .isEqualTo(250);
        assertThat(send("bob", "free@x", recipients("friend", 1)).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(arrived()).containsExactly("free@x"));
        assertThat(server.command("status").out()).contains("account", "mail of user alice is held");
        assertThat(server.command("user", "show").mustSucceed().out()).contains("alice: held",
                "20 of 20 recipients were refused");
        assertThat(server.command("queue", "list").mustSucceed().out()).contains("held");
        String id = server.command("queue", "list", "--json").mustSucceed().out()
                .replaceAll("(?s).*?\"id\" ?: ?\"([0-9a-z]{11})\".*", "$1");
        assertThat(server.command("explain", id).mustSucceed().out()).contains("accounts has held it since",
                "mail of alice: 20 of 20 recipients were refused");
        assertThat(server.stop()).isZero();
        server.startAgain();
        assertThat(send("alice", "held2@x", recipients("friend", 1)).code()).isEqualTo(250);
        assertThat(server.command("user", "release", "bob").exit()).isEqualTo(1);
        assertThat(server.command("user", "release", "alice").mustSucceed().out())
                .isEqualTo("released: alice, 2 messages\n");
        eventually().untilAsserted(() -> assertThat(arrived()).containsExactlyInAnyOrder("free@x", "held@x",
                "held2@x"));
        assertThat(send("alice", "after@x", recipients("friend", 1)).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(arrived()).contains("after@x"));
        assertThat(server.command("events", "list", "--json-lines").mustSucceed().out())
                .contains("\"kind\":\"account-held\"", "\"kind\":\"account-released\"");
        assertThat(server.command("status").out()).doesNotContain("mail of user alice");
    }

    @Test
    void theHeldMailCanBeDeleted() {
        start(Settings.quick().set("accounts.watch", "hold"));
        assertThat(send("alice", "guesses@x", recipients("never", 20)).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(server.log()).contains("event=account-suspicious user=alice"));
        assertThat(send("alice", "held@x", recipients("friend", 1)).code()).isEqualTo(250);
        assertThat(server.command("user", "release", "alice", "--delete").mustSucceed().out())
                .isEqualTo("released: alice, 1 message\n");
        assertThat(send("alice", "after@x", recipients("friend", 1)).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(arrived()).containsExactly("after@x"));
    }
}
