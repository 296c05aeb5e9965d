package org.slipstream.events.webhook;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Reply;
import org.slipstream.events.stream.MailEvent;
import org.slipstream.events.stream.MailEventKind;
import org.slipstream.events.stream.StreamWorld;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.LogicalLine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// The parts of a webhook that need neither network nor thread: secrets, the choice of events, the pauses.
class WebhookRulesTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static WebhookReceiver receiver(List<String> senders, List<MailEventKind> kinds, int batch) {
        return new WebhookReceiver("shop",
                new WebhookSettings(Optional.empty(), Optional.empty(), senders, kinds, batch, false),
                List.of(WebhookSecret.parse(SECRET).orElseThrow()));
    }

    /// The example of the specification of Standard Webhooks.
    @Test
    void theSignatureIsThatOfStandardWebhooks() {
        assertThat(WebhookSecret.parse(SECRET).orElseThrow().sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330,
                "{\"test\": 2432232314}".getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%%%",
            "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void aTextThatIsNoSecretIsRefusedWithoutShowingIt(String text) {
        assertThat(WebhookSecret.parse(text)).isEmpty();
        Complaints complaints = new Complaints();
        assertThat(WebhookSecret.read(LogicalLine.of(List.of("# ours", "wrong" + text), "shop.secret"),
                "webhook.shop.secret-file", complaints)).isEmpty();
        assertThat(complaints.inOrder()).singleElement().asString().startsWith("shop.secret:2:")
                .doesNotContain("wrong" + text);
    }

    @Test
    void aFileHasTwoSecretsAtMostAndBothSign() {
        Complaints complaints = new Complaints();
        List<WebhookSecret> two = WebhookSecret.read(LogicalLine.of(List.of(SECRET, SECRET.replace("Mf", "Nf")), "s"),
                "k", complaints);
        assertThat(complaints.count()).isZero();
        assertThat(new WebhookReceiver("shop", receiver(List.of(), List.of(), 1).settings(), two)
                .headers(new byte[0], 7).get("webhook-signature")).matches("v1,[^ ]{44} v1,[^ ]{44}");
        assertThat(two.toString()).doesNotContain("whsec_");
        WebhookSecret.read(LogicalLine.of(List.of(SECRET, SECRET, SECRET), "s"), "k", complaints);
        assertThat(complaints.count()).isOne();
    }

    @ParameterizedTest
    @CsvSource({"'', '', true", "example.org, '', true", "example.com, '', false", "'', ACCEPTED, true",
            "'', BOUNCED, false", "example.org, ACCEPTED, true", "example.com, ACCEPTED, false",
            "rg, '', false"})
    void aReceiverGetsTheKindsAndSendersThatItIsFor(String sender, String kind, boolean gets) {
        String line = StreamWorld.line(StreamWorld.accepted(StreamWorld.cursor(1), 0, 3));
        assertThat(receiver(sender.isEmpty() ? List.of() : List.of(sender),
                kind.isEmpty() ? List.of() : List.of(MailEventKind.valueOf(kind)), 1).wants(line)).isEqualTo(gets);
    }

    /// The text of a host cannot look like a field.
    @Test
    void fieldsAreReadAsJson() {
        MailEvent bounced = StreamWorld.decided(StreamWorld.cursor(1), 0,
                Reply.of(550, "5.1.1", "\",\"kind\":\"delivered\",\"sender\":\"a@evil.example\""), true);
        assertThat(receiver(List.of(), List.of(MailEventKind.BOUNCED), 1).wants(StreamWorld.line(bounced))).isTrue();
        assertThat(receiver(List.of("evil.example"), List.of(), 1).wants(StreamWorld.line(bounced))).isFalse();
    }

    @Test
    void aGapConcernsEachReceiver() {
        assertThat(receiver(List.of("example.com"), List.of(MailEventKind.BOUNCED), 1).wants(
                "{\"v\":1,\"kind\":\"lost\",\"text\":\"5 events\",\"cursor\":\"1.1.1.1\"}")).isTrue();
        assertThat(receiver(List.of("example.com"), List.of(), 1).wants("damaged")).isFalse();
    }

    @Test
    void aBodyHasOneEventOrAList() {
        assertThat(receiver(List.of(), List.of(), 1).body(List.of("{}"))).isEqualTo("{}");
        assertThat(receiver(List.of(), List.of(), 2).body(List.of("{}"))).isEqualTo("{\"events\":[\n{}\n]}");
    }

    @Test
    void theIdIsThatOfTheBody() {
        WebhookReceiver receiver = receiver(List.of(), List.of(), 1);
        byte[] body = "{}".getBytes(StandardCharsets.US_ASCII);
        assertThat(receiver.headers(body, 1).get("webhook-id")).isEqualTo(receiver.headers(body, 99).get("webhook-id"))
                .matches("msg_[0-9a-f]{32}").isNotEqualTo(receiver.headers(new byte[1], 1).get("webhook-id"));
    }

    @Test
    void pausesDoubleWithinBoundsAndAReceiverMayAskForMore() {
        WebhookPace pace = WebhookPace.USUAL;
        assertThat(pace.pause(1, Optional.empty(), 1)).isEqualTo(Duration.ofSeconds(10));
        assertThat(pace.pause(1, Optional.empty(), 0)).isEqualTo(Duration.ofSeconds(5));
        assertThat(pace.pause(3, Optional.empty(), 1)).isEqualTo(Duration.ofSeconds(40));
        assertThat(pace.pause(7, Optional.empty(), 1)).isEqualTo(Duration.ofSeconds(640));
        assertThat(pace.pause(8, Optional.empty(), 1)).isEqualTo(Duration.ofMinutes(15));
        assertThat(pace.pause(1_000_000, Optional.empty(), 1)).isEqualTo(Duration.ofMinutes(15));
        assertThat(pace.pause(1, Optional.of(Duration.ofMinutes(30)), 1)).isEqualTo(Duration.ofMinutes(30));
        assertThat(pace.pause(1, Optional.of(Duration.ofSeconds(1)), 1)).isEqualTo(Duration.ofSeconds(10));
        assertThat(pace.pause(1, Optional.of(Duration.ofDays(300)), 1)).isEqualTo(Duration.ofHours(1));
    }

    @ParameterizedTest
    @CsvSource({"shop, true", "a, true", "shop-2, true", "Shop, false", "'', false", "../x, false", "-a, false",
            "abcdefghijklmnopqrstuvwxyz0123456, false", "abcdefghijklmnopqrstuvwxyz012345, true"})
    void aNameIsThatOfAFile(String name, boolean good) {
        assertThat(WebhookReceiver.isName(name)).isEqualTo(good);
    }
}
