package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.config.SettingsAgain;
import org.slipstream.settings.SettingsSource;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// A running server with the address tables of a small Postfix installation: what arrives at the
/// next server.
class AddressStoriesTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path home;
    private Server server;
    private final SettingsAgain source = new SettingsAgain() {
        @Override
        public ReadResult read(List<String> changes) {
            return ConfigReader.read(SettingsSource.in(home), changes);
        }

        @Override
        public void inForce(Config settings) {
            // Nothing outside of the server depends on them.
        }
    };

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void eachSenderHasTheSmartHostOfItsLineAndDomainsWithARouteOfTheirOwnKeepIt() throws Exception {
        try (SmtpSink usual = SmtpSink.start(); SmtpSink office = SmtpSink.start(); SmtpSink own = SmtpSink.start()) {
            file("senders", "office@here.example [127.0.0.1]:" + office.port() + "\n@brand.example smtp:127.0.0.1:"
                    + office.port() + "\nboss@brand.example DUNNO\n");
            start("routes.\"*\" = \"smtp:127.0.0.1:" + usual.port() + "\"",
                    "routes.\"partner.example\" = \"smtp:127.0.0.1:" + own.port() + "\"",
                    "smarthost.sender-maps = [\"senders\"]");
            send("Office+x@here.example", "a@far.example", "b@partner.example", "user@here.example");
            send("sales@brand.example", "c@far.example");
            send("alice@here.example", "d@far.example");
            Awaitility.await().atMost(SOON).untilAsserted(() -> {
                assertThat(recipients(office)).containsExactlyInAnyOrder("a@far.example", "c@far.example");
                assertThat(recipients(own)).containsExactly("b@partner.example");
                assertThat(recipients(usual)).containsExactly("d@far.example");
                assertThat(home.resolve("mail/here.example/user/new")).isNotEmptyDirectory();
            });
        }
    }

    @Test
    void outgoingMailHasTheAddressesOfTheTableInEnvelopeAndHeader() throws Exception {
        try (SmtpSink sink = SmtpSink.start()) {
            file("generic", "root@here.example hostmaster@provider.example\n");
            start("routes.\"*\" = \"smtp:127.0.0.1:" + sink.port() + "\"", "rewrite.sender-maps = [\"generic\"]",
                    "copy.always = [\"archive@far.example\"]");
            send("root@here.example", "a@far.example");
            Awaitility.await().atMost(SOON).until(() -> recipients(sink).size() == 2);
            assertThat(recipients(sink)).containsExactlyInAnyOrder("a@far.example", "archive@far.example");
            assertThat(sink.commands()).anyMatch(each -> each.startsWith("MAIL FROM:<hostmaster@provider.example>"));
            assertThat(sink.contents().getFirst()).contains("\r\nFrom: Root <hostmaster@provider.example>\r\n")
                    .contains("\r\n\r\n..dot\r\n").doesNotContain("root@here");
        }
    }

    @Test
    void anAliasFileThatChangesIsReadAgainByItself() throws Exception {
        file("aliases", "sales: user\n");
        start("local.alias-files = [\"aliases\"]");
        assertThat(send("x@here.example", "sales@here.example")).startsWith("250");
        assertThat(send("x@here.example", "info@here.example")).startsWith("550");
        file("aliases", "info: user\n");
        Awaitility.await().atMost(SOON).until(() -> send("x@here.example", "info@here.example").startsWith("250"));
        assertThat(send("x@here.example", "sales@here.example")).startsWith("550");
        file("aliases", "info\n");
        file("list", "user@here.example\n");
        Awaitility.await().during(Duration.ofMillis(2500)).atMost(SOON)
                .until(() -> send("x@here.example", "info@here.example").startsWith("250"));
        file("aliases", "staff: :include:" + home.resolve("list") + "\n");
        Awaitility.await().atMost(SOON).until(() -> send("x@here.example", "staff@here.example").startsWith("250"));
    }

    @Test
    void aSettingThatIsBeingEditedDoesNotComeIntoForceWithAFile() throws Exception {
        file("aliases", "sales: user\n");
        start("local.alias-files = [\"aliases\"]");
        write("local.alias-files = [\"aliases\"]", "local.mailboxes = [\"user\", \"halfway\"]");
        file("aliases", "info: user\n");
        Awaitility.await().during(Duration.ofMillis(2500)).atMost(SOON)
                .until(() -> send("x@here.example", "halfway@here.example").startsWith("550"));
        assertThat(server.reload("test").changed()).containsExactlyInAnyOrder("local.mailboxes", "local.alias-files");
        assertThat(send("x@here.example", "info@here.example")).startsWith("250");
    }

    private void start(String... lines) throws Exception {
        write(lines);
        server = Server.start(((ReadResult.Accepted) source.read()).config(), source);
    }

    private void write(String... lines) throws IOException {
        file("mta.toml", """
                hostname = "mta.example"
                listen.smtp = "127.0.0.1:0"
                listen.submission = "off"
                local.domains = ["here.example"]
                queue.minimal-backoff = "1s"
                """ + String.join("\n", lines) + "\n");
    }

    private void file(String name, String text) throws IOException {
        Files.writeString(home.resolve(name), text);
    }

    private String send(String sender, String... recipients) {
        byte[] content = ("From: Root <" + sender + ">\r\nSubject: x\r\n\r\n.dot\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        try (SmtpTalker client = SmtpTalker.introducedTo(server.smtp().orElseThrow())) {
            return client.send(new OutgoingMessage(sender, List.of(recipients), content)).toString();
        }
    }

    private static List<String> recipients(SmtpSink sink) {
        return sink.messages().stream().flatMap(each -> each.recipients().stream()).toList();
    }
}
