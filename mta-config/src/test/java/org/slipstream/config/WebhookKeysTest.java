package org.slipstream.config;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.events.stream.MailEventKind;
import org.slipstream.events.webhook.WebhookReceiver;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// Webhooks in `mta.toml`, and the mistakes in them.
class WebhookKeysTest {
    private static final String ON = "[events]\nkeep = \"1d\"\n";
    private static final String GOOD = "[webhook.shop]\nurl = \"https://shop.example/hook?key=1\"\n"
            + "secret-file = \"shop.secret\"\n";

    @TempDir
    Path home;

    @BeforeEach
    void secret() throws IOException {
        Files.writeString(home.resolve("shop.secret"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
    }

    private ReadResult read(String text, String... overrides) throws IOException {
        Files.writeString(home.resolve(SettingsSource.FILE), text);
        return ConfigReader.read(SettingsSource.in(home), "box.example.net", List.of(overrides));
    }

    private Config config(String text, String... overrides) throws IOException {
        return ((ReadResult.Accepted) read(text, overrides)).config();
    }

    private String mistakes(String text) throws IOException {
        return ((ReadResult.Rejected) read(text)).problems().stream().map(Problem::toString)
                .collect(Collectors.joining("\n"));
    }

    @Test
    void aSectionIsAWebhook() throws IOException {
        WebhookReceiver shop = config(ON + GOOD + "senders = [\"Shop.example\"]\nkinds = [\"delivered\", \"bounced\"]\n"
                + "batch = 1\nprivate-addresses = true\n").webhooks().getFirst();
        assertThat(shop.name()).isEqualTo("shop");
        assertThat(shop.settings().url().orElseThrow()).hasToString("https://shop.example/hook?key=1");
        assertThat(shop.settings().senders()).containsExactly("shop.example");
        assertThat(shop.settings().kinds()).containsExactly(MailEventKind.DELIVERED, MailEventKind.BOUNCED);
        assertThat(shop.settings().batch()).isOne();
        assertThat(shop.settings().privateAddresses()).isTrue();
        assertThat(shop.secrets()).hasSize(1);
    }

    @Test
    void theCommandLineHasTheSameKeys() throws IOException {
        WebhookReceiver shop = config(ON, "webhook.shop.url=http://192.0.2.1/", "webhook.shop.secret-file=shop.secret",
                "webhook.shop.kinds=bounced,expired").webhooks().getFirst();
        assertThat(shop.settings().kinds()).containsExactly(MailEventKind.BOUNCED, MailEventKind.EXPIRED);
        assertThat(shop.settings().batch()).isEqualTo(100);
    }

    /// The secret is a file that the settings name, so a reload reads it again.
    @Test
    void aReloadTellsAnotherSecretAndAnotherWebhook() throws IOException {
        Config before = config(ON + GOOD);
        Files.writeString(home.resolve("shop.secret"), "whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
        ConfigChanges secret = ConfigChanges.between(before, config(ON + GOOD));
        assertThat(secret.live()).containsExactly("webhook.shop.secret-file");
        assertThat(secret.onlyFiles()).isTrue();
        ConfigChanges more = ConfigChanges.between(before, config(ON + GOOD + "batch = 2\n"));
        assertThat(more.live()).contains("webhook.shop.batch");
        assertThat(more.restart()).isEmpty();
        assertThat(config(ON).keeping(before).webhooks()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [webhook.shop]~secret-file = "shop.secret"                          | webhook.shop has no url
            [webhook.shop]~url = "https://a.example/"                           | webhook.shop has no secret-file
            [webhook.shop]~url = "https://u:p@a.example/"~secret-file = "shop.secret" | webhook.shop.url = "https://u:p@a.example/" is not an address
            [webhook.shop]~url = "ftp://a.example/"~secret-file = "shop.secret" | is not an address
            [webhook.shop]~url = "https://a.example/"~secret-file = "none"      | there is no file
            [webhook.shop]~url = "https://a.example/"~secret-file = "empty"     | the file has no secret
            [webhook."Shop.2"]~url = "https://a.example/"~secret-file = "shop.secret" | the name of a webhook has a-z
            [webhook.shop]~urll = "https://a.example/"                          | did you mean "url"?
            [webhook]~url = "https://a.example/"                                | write [webhook.name]
            [webhook.shop]~batch = 1001                                         | batch = 1001 is not
            [webhook.shop]~kinds = ["acepted"]                                  | did you mean "accepted"?
            """)
    void mistakesAreToldWithTheirPlace(String text, String words) throws IOException {
        Files.writeString(home.resolve("empty"), "# none\n");
        assertThat(mistakes(ON + text.replace('~', '\n'))).contains(words).contains("mta.toml:");
    }

    @Test
    void webhooksNeedEventsAndAreBounded() throws IOException {
        assertThat(mistakes(GOOD)).contains("no events to post").contains("set events.keep");
        StringBuilder many = new StringBuilder(ON);
        for (int i = 0; i < WebhookReceiver.MOST; i++) {
            many.append(GOOD.replace("shop]", "shop" + i + "]"));
        }
        assertThat(config(many.toString()).webhooks()).hasSize(WebhookReceiver.MOST);
        assertThat(mistakes(many + GOOD)).contains("17 webhooks, and 16 are possible");
    }
}
