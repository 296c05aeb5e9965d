package org.slipstream.guard.preflight;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.KeyName;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.auth.dkim.SigningKeys;
import org.slipstream.core.CheckFinding;
import org.slipstream.guard.preflight.MessagePreflight.Preflight;
import org.slipstream.guard.preflight.MessagePreflight.SendingServer;
import org.slipstream.guard.zone.ZoneText;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Messages before they are sent: a good one, one fault each, and those of a stranger with bad intent.
@Timeout(60)
class MessagePreflightTest {
    private static final Instant NOW = Instant.parse("2026-11-27T07:00:00Z");
    private static final String GOOD = """
            From: Alice <alice@example.org>
            To: bob@provider.example
            Subject: Hello
            Date: Fri, 27 Nov 2026 06:59:00 +0000 (UTC)
            Message-ID: <1@mail.example.org>

            How are you?
            """;
    private static SigningKey key;
    private static String zone;

    @BeforeAll
    static void keys() {
        key = SigningKey.create(KeyName.of("example.org", "r1").orElseThrow(), DkimAlgorithm.RSA);
        zone = """
                mail.example.org A 192.0.2.25
                25.2.0.192.in-addr.arpa PTR mail.example.org
                example.org TXT v=spf1 ip4:192.0.2.25 -all
                _dmarc.example.org TXT v=DMARC1; p=reject
                """ + key.name().dns() + " TXT " + key.record() + "\n";
    }

    private static Preflight preflight(String zone, byte[] message, SigningKey... keys) {
        return MessagePreflight.run(ZoneText.of(zone), message, new SendingServer(
                List.of(InetAddress.ofLiteral("192.0.2.25")), "mail.example.org", Optional.empty(),
                new SigningKeys(keys.length == 0 ? Map.of() : Map.of("example.org", List.of(keys)))), NOW);
    }

    private static List<String> lacking(String zone, String message) {
        return lacking(preflight(zone, message.getBytes(StandardCharsets.ISO_8859_1), key));
    }

    private static List<String> lacking(Preflight judged) {
        return judged.findings().stream().filter(CheckFinding::isLacking)
                .map(finding -> finding.subject() + ": " + finding.text()).toList();
    }

    private static List<String> lacking(String message) {
        return lacking(zone, message);
    }

    @Test
    void aGoodMessageIsSignedAndLacksNothing() {
        Preflight judged = preflight(zone, GOOD.getBytes(StandardCharsets.US_ASCII), key);
        assertThat(lacking(judged)).isEmpty();
        assertThat(judged.findings()).anySatisfy(dmarc -> assertThat(dmarc.text())
                .contains("example.org is authenticated by", "SPF is aligned, DKIM is aligned"));
        assertThat(new String(judged.message(), StandardCharsets.US_ASCII)).startsWith("DKIM-Signature: ")
                .endsWith("\r\n\r\nHow are you?\r\n");
        Preflight again = preflight(zone, judged.message(), key);
        assertThat(again.message()).as("signed once").isEqualTo(judged.message());
        assertThat(lacking(again)).isEmpty();
    }

    @Test
    void whatAReceiverWouldRefuseIsNamed() {
        assertThat(lacking(zone.replace("ip4:192.0.2.25", ""), GOOD)).singleElement().asString()
                .startsWith("spf: 192.0.2.25 may not send for example.org: fail");
        assertThat(lacking(zone.replace("PTR mail", "PTR pool"), GOOD)).singleElement().asString()
                .startsWith("ptr: 192.0.2.25: ");
        assertThat(lacking(preflight(zone, GOOD.getBytes(StandardCharsets.US_ASCII)))).singleElement().asString()
                .contains("the message is not signed", "mta setup example.org");
        assertThat(lacking(zone.replace("r1._domainkey", "r2._domainkey"), GOOD)).singleElement().asString()
                .contains("the signature of r1._domainkey.example.org: permerror, there is no key");
        assertThat(lacking(GOOD.replace("@example.org>", "@other.example>"))).anyMatch(text -> text.startsWith("dkim"))
                .anyMatch(text -> text.startsWith("dmarc: none"));
    }

    @Test
    void headersThatBreakTheRules() {
        assertThat(lacking("From: <eve@example.org>\n" + GOOD)).anyMatch(text -> text.startsWith("from: 2 From"))
                .anyMatch(text -> text.contains("more than one field from"));
        assertThat(lacking(GOOD.replace("Date: Fri", "Date: Sun"))).singleElement().asString()
                .startsWith("date: Date cannot be read");
        assertThat(lacking(GOOD.replace("2026", "2036"))).isNotEmpty();
        assertThat(lacking(GOOD.replaceAll("Date:.*\n", ""))).containsExactly("date: there is no Date");
        assertThat(lacking(GOOD.replaceAll("Message-ID:.*\n", ""))).singleElement().asString()
                .startsWith("message-id: there is no Message-ID");
        assertThat(lacking(GOOD.replace("<1@mail.example.org>", "1"))).singleElement().asString()
                .contains("is not of the form");
        assertThat(lacking(GOOD + "x".repeat(999) + "\n")).singleElement().asString().startsWith("lines: line 8 ");
        assertThat(lacking(GOOD + "x".repeat(998) + "\n")).isEmpty();
        assertThat(lacking(GOOD + "\0\n")).singleElement().asString().startsWith("octets: 1 ");
        assertThat(lacking(GOOD.replace("\n", "\r\n") + "bare\nline\r\n")).singleElement().asString()
                .startsWith("line-ends: 1 lines");
    }

    @Test
    void listsNeedOneClick() {
        String list = "List-Id: <news.example.org>\n";
        assertThat(lacking(list + GOOD)).singleElement().asString().contains("List-Unsubscribe with an address",
                "List-Unsubscribe-Post");
        String oneClick = list + "List-Unsubscribe: <mailto:u@example.org>, <https://example.org/u?1>\n"
                + "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n";
        assertThat(lacking(oneClick + GOOD)).isEmpty();
        assertThat(lacking(preflight(zone, (oneClick + GOOD).getBytes(StandardCharsets.US_ASCII))))
                .anyMatch(text -> text.startsWith("list: no signature covers"));
    }

    @Test
    void fiftyMegabytesOfBareLineFeedsTakeLinearTime() {
        byte[] message = new byte[MessagePreflight.MOST_OCTETS];
        Arrays.fill(message, (byte) '\n');
        byte[] start = GOOD.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(start, 0, message, 0, start.length);
        assertThat(lacking(preflight(zone, message, key))).singleElement().asString().startsWith("line-ends: ");
    }

    @Test
    void tenThousandSignaturesAreNotJudged() {
        String signature = "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=x; h=from; bh=YQ==; b=YQ==\n";
        List<String> lacking = lacking(signature.repeat(10_000) + GOOD);
        assertThat(lacking).hasSizeLessThan(15).anyMatch(text -> text.contains("more signatures"));
    }

    @Test
    void nestedCommentsAndManyParametersAreRead() {
        assertThat(lacking(GOOD.replace("Alice", "(".repeat(10_000) + ")".repeat(10_000)))).noneMatch(
                text -> text.startsWith("from"));
        assertThat(lacking(GOOD.replace("Alice", "(".repeat(10_000)))).anyMatch(text -> text.startsWith("from: "));
        StringBuilder parameters = new StringBuilder("Content-Type: text/plain");
        for (int i = 0; i < 100_000; i++) {
            parameters.append(";\n a").append(i % 10).append("=1");
        }
        assertThat(lacking(parameters + "\n" + GOOD)).isEmpty();
    }

    @Test
    void aHeaderWithoutAnEndIsNotRead() {
        assertThat(lacking("X-Long: y\n".repeat(200_000))).anyMatch(text -> text.startsWith("header: the header has"));
        assertThat(lacking("")).anyMatch(text -> text.startsWith("from: "));
        assertThat(lacking("\n\n\n")).anyMatch(text -> text.startsWith("message-id: "));
    }
}
