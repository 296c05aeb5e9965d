package org.slipstream.it;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Addresses that get no mail: refused in the session, returned from the queue, found by refusals.
class SuppressionIT {
    @RegisterExtension
    final Workbench bench = new Workbench();
    private SmtpSink far;

    @BeforeEach
    void sink() {
        far = bench.smtpSink();
    }

    private PackagedServer server(Settings settings) {
        return bench.server(settings.route("far.example", far));
    }

    private static String send(PackagedServer server, String id, String recipient) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            SmtpReply reply = talk.send(OutgoingMessage.of(id, "ann@here.example", recipient));
            return reply.code() + " " + reply.text();
        }
    }

    private List<String> arrived() {
        return far.messages().stream().map(ReceivedMessage::id).toList();
    }

    @Test
    void aSuppressedRecipientIsRefusedAlsoAfterAKillUntilItIsRemoved() {
        PackagedServer server = server(Settings.quick());
        assertThat(server.command("suppression", "add", "Bob@far.example", "--reason", "asked by phone").mustSucceed()
                .out()).isEqualTo("suppressed: bob@far.example\n");
        server.kill9();
        server.startAgain();
        assertThat(send(server, "no@x", "bob@far.example")).contains("550 5.7.1 the recipient is suppressed",
                "manual since", "asked by phone");
        assertThat(server.command("suppression", "list", "BOB").mustSucceed().out()).contains("bob@far.example", "all",
                "manual", "ever", "asked by phone");
        assertThat(server.command("suppression", "remove", "bob@far.example").mustSucceed().out())
                .isEqualTo("no longer suppressed: bob@far.example\n");
        assertThat(server.command("suppression", "remove", "bob@far.example").exit()).isEqualTo(1);
        assertThat(send(server, "yes@x", "bob@far.example")).startsWith("250");
        eventually().untilAsserted(() -> assertThat(arrived()).containsExactly("yes@x"));
    }

    @Test
    void mailThatWaitsIsReturnedAndTheOthersOfTheMessageAreDelivered() {
        far.change(script -> script.onRecipient("*", SinkAction.reply("450 4.2.0 later")));
        PackagedServer server = server(Settings.quick().set("bounces.suppressed-recipient", "report"));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("two@x", "ann@here.example",
                    List.of("bob@far.example", "cid@far.example"), "two\r\n".getBytes(StandardCharsets.US_ASCII)))
                    .code()).isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(server.log()).contains("result=deferred"));
        server.command("suppression", "add", "bob@far.example").mustSucceed();
        // An attempt that had begun before would deliver to both.
        eventually().untilAsserted(() -> assertThat(server.log()).contains("recipient=<bob@far.example> host=local"));
        far.change(script -> script.onRecipient("*", SinkAction.reply("250 2.1.5 now")));
        eventually().untilAsserted(() -> {
            assertThat(far.messages()).singleElement().satisfies(
                    each -> assertThat(each.recipients()).hasToString("[cid@far.example]"));
            assertThat(server.log()).contains("recipient=<bob@far.example> host=local").contains("reason=suppressed");
            assertThat(server.mail().newMail("ann@here.example")).singleElement().satisfies(
                    each -> assertThat(new String(each, StandardCharsets.UTF_8))
                            .contains("the recipient is suppressed"));
        });
        assertThat(send(server, "later@x", "bob@far.example")).as("report").startsWith("250");
    }

    @Test
    void refusalsThatNameADeadAddressSuppressIt() {
        far.change(script -> script.onRecipient("gone@*", SinkAction.reply("550 5.1.1 no such user"))
                .onRecipient("spam@*", SinkAction.reply("550 5.7.1 blocked using bl.example")));
        PackagedServer server = server(Settings.quick().set("bounces.suppress-after", "2"));
        for (String id : List.of("one@x", "two@x")) {
            assertThat(send(server, id, "gone@far.example")).startsWith("250");
            assertThat(send(server, id + "s", "spam@far.example")).startsWith("250");
            eventually().untilAsserted(() -> assertThat(server.mail().count("ann@here.example"))
                    .isEqualTo(id.equals("one@x") ? 2 : 4));
        }
        eventually().untilAsserted(() -> assertThat(send(server, "three@x", "gone@far.example"))
                .contains("550 5.7.1 the recipient is suppressed: hard-bounce", "550 5.1.1 no such user"));
        assertThat(server.log()).contains("event=recipient-suppressed recipient=<gone@far.example>");
        assertThat(send(server, "four@x", "spam@far.example")).startsWith("250");
    }

    @Test
    void aStrangerDoesNotLearnWhoIsSuppressed() {
        PackagedServer server = server(Settings.quick().set("relay.networks", "192.0.2.0/24"));
        server.command("suppression", "add", "bob@far.example pat@here.example").mustSucceed();
        String relay = send(server, "a@x", "bob@far.example");
        assertThat(relay).isEqualTo(send(server, "b@x", "cid@far.example").replace("cid@", "bob@"));
        assertThat(send(server, "c@x", "pat@here.example")).contains("suppressed");
    }

    @Test
    void aListGoesOutAndComesIn() throws Exception {
        PackagedServer server = server(Settings.quick());
        Path file = bench.folder().resolve("list.csv");
        Files.writeString(file, "# ours\n" + IntStream.range(0, 5_000).mapToObj(i -> "user" + i + "@far.example"
                + (i % 2 == 0 ? ",shop.example,complaint" : "")).collect(Collectors.joining("\n")));
        assertThat(server.command("suppression", "import", file.toString()).mustSucceed().out())
                .isEqualTo("5000 addresses are suppressed\n");
        String exported = server.command("suppression", "export").mustSucceed().out();
        assertThat(exported.lines()).hasSize(5_001).contains(
                exported.lines().filter(line -> line.startsWith("user4998@far.example,shop.example,complaint,,"))
                        .findFirst().orElseThrow());
        Files.writeString(file, exported);
        PackagedServer other = server(Settings.quick());
        other.command("suppression", "import", file.toString()).mustSucceed();
        assertThat(other.command("suppression", "list", "user4999").mustSucceed().out())
                .contains("user4999@far.example");
        assertThat(other.command("suppression", "export").mustSucceed().out().lines()).hasSize(5_001);
        Files.writeString(file, "good@far.example\nno address here\n");
        assertThat(other.command("suppression", "import", file.toString()).exit()).isNotZero();
    }

    @Test
    void wrongRulesOfBounceClassesAreToldWithTheirLine() throws Exception {
        Path home = bench.home();
        Files.writeString(home.resolve("classes.txt"), "quota-issue | 550 | * | full | 550 full\n");
        PackagedServer server = bench.server(home, Settings.quick());
        var checked = server.command("check", "--set", "bounces.classes=classes.txt");
        assertThat(checked.exit()).isNotZero();
        assertThat(checked.out() + checked.err()).contains("classes.txt:1", "did you mean \"quota-issues\"?");
        Files.writeString(home.resolve("classes.txt"), "quota-issues | 550 | * | odd words | 550 odd words\n");
        assertThat(server.command("check", "--set", "bounces.classes=classes.txt", "--reply", "550 5.1.1 odd words")
                .mustSucceed().out()).isEqualTo("class: quota-issues\n");
        assertThat(server.command("check", "--reply", "550 5.1.1 odd words").mustSucceed().out())
                .isEqualTo("class: invalid-recipient\n");
    }
}
