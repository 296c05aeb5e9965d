package org.slipstream.auth.arc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.auth.dkim.ArcMail;
import org.slipstream.auth.dkim.ArcMail.SetForm;
import org.slipstream.auth.dkim.BodyHashes;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.TextAnswer;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.auth.dkim.ArcMail.ED25519;
import static org.slipstream.auth.dkim.ArcMail.KEYS;
import static org.slipstream.auth.dkim.ArcMail.MAIL;
import static org.slipstream.auth.dkim.ArcMail.RSA;
import static org.slipstream.auth.dkim.ArcMail.octets;
import static org.slipstream.auth.dkim.ArcMail.sealed;
import static org.slipstream.auth.dkim.ArcMail.text;
import static org.slipstream.auth.dkim.ArcMail.verify;

class ArcVerifierTest {
    private static final SetForm SET = SetForm.of(ED25519);
    private static final byte[] PLAIN = octets(MAIL);

    /// As `verdict: reason`.
    private static String judged(byte[] message, DnsLookup dns) {
        ArcResult result = verify(message, dns);
        return result.verdict().name().toLowerCase(Locale.ROOT)
                + (result.reason().isEmpty() ? "" : ": " + result.reason());
    }

    private static String judged(byte[] message) {
        return judged(message, KEYS);
    }

    private static String judged(String message) {
        return judged(octets(message));
    }

    @Test
    void aMessageWithoutSetsHasNoChain() {
        assertThat(judged(MAIL)).isEqualTo("none: there is no chain");
        assertThat(judged("")).isEqualTo("none: there is no chain");
        assertThat(judged("X-ARC-Seal: i=1; cv=none\r\n" + MAIL)).isEqualTo("none: there is no chain");
    }

    @Test
    void aChainThatPassesTellsItsSealersAndTheClaimsOfTheNewest() {
        byte[] message = sealed(sealed(PLAIN, SetForm.of(RSA)),
                SetForm.of(ArcMail.LIST).results(text -> text.replace("spf=pass", "spf=softfail")));
        assertThat(verify(message, KEYS)).isEqualTo(new ArcResult(ArcVerdict.PASS, "", 0,
                List.of("lists.example.net", "example.org"), List.of("spf=softfail", "dkim=fail", "dmarc=none")));
    }

    @Test
    void claimsInCommentsAndQuotesAreNone() {
        byte[] message = sealed(PLAIN, SET.results(_ -> "ARC-Authentication-Results: (a) i (b) = 1 (c;d); x.example 1;"
                + " (; dmarc=pass) spf=none; x-odd=\"a; dkim=pass\"; SPF=pass; a=b; arc=pass (i=1 spf=pass)"));
        assertThat(judged(message)).startsWith("fail: a field arc-authentication-results has no number");
        message = sealed(PLAIN, SET.results(_ -> "ARC-Authentication-Results: (a) i (b) = 1 (c); x.example 1;"
                + " (; dmarc=pass) spf=none; x-odd=\"a; dkim=pass\"; SPF=pass; arc=pass (i=1 spf=pass)"));
        assertThat(verify(message, KEYS).claims()).containsExactly("spf=none", "arc=pass");
    }

    @Test
    void aChangeOfTheMessageBreaksTheNewestSignature() {
        String message = text(sealed(2, SET));
        assertThat(judged(message)).isEqualTo("pass");
        assertThat(judged(message.replace("Hello", "Hullo")))
                .isEqualTo("fail: the message signature of set 2: the body was changed");
        assertThat(judged(message.replace("dinner", "lunch"))).isEqualTo(
                "fail: the message signature of set 2: the header was changed, or the key is another one");
        assertThat(judged("Received: from there\r\nDKIM-Signature: x\r\n" + message)).isEqualTo("pass");
    }

    @Test
    void aChangeBetweenTwoSealersIsToldByTheOldestSetThatPasses() {
        byte[] changed = octets(text(sealed(2, SET)).replace("dinner", "[list] dinner"));
        byte[] message = sealed(sealed(changed, SET), SET);
        assertThat(verify(message, KEYS)).extracting(ArcResult::verdict, ArcResult::oldestPass)
                .containsExactly(ArcVerdict.PASS, 3);
        assertThat(verify(sealed(3, SET), KEYS).oldestPass()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aChangeOfAFieldOfTheChainBreaksASeal(int set) {
        String message = text(sealed(3, SET));
        assertThat(judged(message.replace("i=" + set + "; lists.example.org;", "i=" + set + "; lists.example.net;")))
                .startsWith("fail: the seal of set 3: the header was changed");
        String seal = "ARC-Seal: i=" + set + ";";
        assertThat(judged(message.replace(seal, seal + " n=x;")))
                .startsWith("fail: the seal of set 3: the header was changed");
        String signature = "ARC-Message-Signature: i=" + set + ";";
        assertThat(judged(message.replace(signature, signature + " n=x;"))).startsWith("fail: ");
    }

    /// Each seal is verified: here a sealer went on with a chain that was broken.
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void anOldSealThatIsBadBreaksTheChain(int set) {
        byte[] broken = octets(text(sealed(set, SET)).replaceFirst("; cv=", "; n=x; cv="));
        byte[] message = broken;
        for (int number = set; number < 3; number++) {
            message = sealed(message, SET);
        }
        assertThat(judged(message)).isEqualTo(
                "fail: the seal of set " + set + ": the header was changed, or the key is another one");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"1|none|pass|fail: the seal of set 1 lacks \"cv=none\"",
            "1|none|fail|fail: the newest seal says that the chain was broken before",
            "1|none|''|fail: the seal of set 1 lacks \"cv=none\"",
            "2|pass|none|fail: the seal of set 2 lacks \"cv=pass\"",
            "2|pass|fail|fail: the newest seal says that the chain was broken before",
            "2|pass|PASSED|fail: the seal of set 2 lacks \"cv=pass\""})
    void theStatusOfEachSealHasItsPlace(int set, String good, String other, String verdict) {
        byte[] below = set == 1 ? PLAIN : sealed(set - 1, SET);
        SetForm form = SET.seal(text -> text.replace("cv=" + good, "cv=" + other));
        assertThat(judged(sealed(below, form))).isEqualTo(verdict);
        if (!other.equals("fail")) {
            assertThat(judged(sealed(sealed(below, form), SET))).isEqualTo(verdict);
        } else {
            assertThat(judged(sealed(sealed(below, form), SET)))
                    .isEqualTo("fail: the seal of set " + set + " lacks \"cv=" + good + "\"");
        }
    }

    @Test
    void everySetHasEachFieldOnce() {
        String message = text(sealed(2, SET));
        for (String name : List.of("ARC-Seal", "ARC-Message-Signature", "ARC-Authentication-Results")) {
            for (int number = 1; number <= 2; number++) {
                String field = name + ": i=" + number + ";";
                assertThat(judged(message.replace(field, "X" + field)))
                        .isEqualTo("fail: set " + number + " is not complete");
                assertThat(judged(message.replace(field, field + " x=y\r\n" + field))).isEqualTo(
                        "fail: two fields " + name.toLowerCase(Locale.ROOT) + " have the number " + number);
            }
            assertThat(judged(name + ": i=3; cv=pass;\r\n" + message)).isEqualTo("fail: set 3 is not complete");
            assertThat(judged(name + ": i=50; cv=pass;\r\n" + message)).isEqualTo("fail: set 3 is not complete");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "00", "51", "-1", "+1", "1.0", "", "x", "0x1", "1 1", "001", "٣",
            "9223372036854775808", "9223372036854775807", "4294967297", "99999999999999999999999999999999999999"})
    void aNumberIsOneToFifty(String number) {
        String message = text(sealed(1, SET));
        for (String name : List.of("ARC-Seal", "ARC-Message-Signature", "ARC-Authentication-Results")) {
            assertThat(judged(message.replace(name + ": i=1;", name + ": i=" + number + ";"))).isEqualTo(
                    "fail: a field " + name.toLowerCase(Locale.ROOT) + " has no number from 1 to 50");
        }
    }

    /// Signatures have the number in a tag at any place.
    @ParameterizedTest
    @ValueSource(
            strings = {"1; x.example; ", "x.example; i=1; ", "i=1 x.example; ", "i=1", "j=1; ", "\"i=1; \"", "i=1(; "})
    void resultsBeginWithTheirNumber(String begin) {
        byte[] message = sealed(PLAIN, SET.results(_ -> "ARC-Authentication-Results: " + begin));
        assertThat(judged(message))
                .isEqualTo("fail: a field arc-authentication-results has no number from 1 to 50");
    }

    @Test
    void anInstanceMayHaveTwoDigits() {
        byte[] message = sealed(PLAIN, new SetForm(ED25519, text -> text.replace("i=1", "i=01"),
                text -> text.replace("i=1", "i=01"), text -> text.replace("i=1", "i= 01 ")));
        assertThat(judged(message)).isEqualTo("pass");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "h=from:to:subject; bh|bh|the message signature of set 1: the field From is not signed",
            "h=from|h=from:ARC-Seal|the message signature of set 1: a seal is signed by it",
            "h=from|h=from:arc-authentication-results:arc-message-signature|",
            "c=relaxed/relaxed|c=simple/relaxed; v=7; i2=x|",
            "bh=|x=|the message signature of set 1: the tag \"bh\" is missing or empty",
            "; h=|; l=8; h=|",
            "; h=|; l=9; h=|the message signature of set 1: the body was changed",
            "; h=|; t=1790000301; h=|the message signature of set 1: the signature is of the future",
            "; h=|; x=1789999699; h=|the message signature of set 1: the signature has expired",
            "a=ed25519-sha256|a=rsa-sha1|the message signature of set 1: rsa-sha1 is not accepted (RFC 8301)",
            "d=example.org|d=example..org|the message signature of set 1: domain and selector are not a name",
            "s=e|s=none|the message signature of set 1: there is no key",
            "a=ed25519-sha256|a=rsa-sha256|the message signature of set 1: the key is not of the algorithm rsa-sha256"})
    void tagsOfAMessageSignature(String good, String other, String reason) {
        byte[] message = sealed(PLAIN, SET.message(text -> text.replace(good, other)));
        assertThat(judged(message)).isEqualTo(reason == null ? "pass" : "fail: " + reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"cv=|h=from; cv=|the seal of set 1: a seal has no tag \"h\"",
            "cv=|h=; cv=|the seal of set 1: a seal has no tag \"h\"", "cv=|c=simple/simple; n=x; cv=|",
            "cv=|t=1790000301; cv=|the seal of set 1: the signature is of the future",
            "a=ed25519-sha256|a=rsa-sha1|the seal of set 1: rsa-sha1 is not accepted (RFC 8301)",
            "a=ed25519-sha256|a=x|the seal of set 1: the algorithm is unknown",
            "; s=e||the seal of set 1: domain and selector are not a name",
            "s=e|s=none|the seal of set 1: there is no key"})
    void tagsOfASeal(String good, String other, String reason) {
        byte[] message = sealed(PLAIN, SET.seal(text -> text.replace(good, other == null ? "" : other)));
        assertThat(judged(message)).isEqualTo(reason == null ? "pass" : "fail: " + reason);
    }

    @Test
    void octetsThatAreNotSignedBreakTheChain() {
        byte[] message = sealed(PLAIN, SET.message(text -> text.replace("; h=", "; l=8; h=")));
        assertThat(judged(text(message) + "Buy this.\r\n"))
                .isEqualTo("fail: the message signature of set 1: octets at the end of the body are not signed");
        assertThat(judged("From: boss@bank.example\r\n" + text(message)))
                .isEqualTo("fail: the message signature of set 1: a field From is not signed");
    }

    /// RFC 8617 section 5.2.1.
    @Test
    void aKeyThatDnsDoesNotGiveNowBreaksTheChain() {
        assertThat(judged(sealed(1, SET), (_, _) -> new TextAnswer.Trouble("timed out")))
                .isEqualTo("fail: the message signature of set 1: the key cannot be had: timed out");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "AB", "ABC", "ABCD", "ABCDE", "ABCDEF", "ABCDEFG"})
    void shortSignaturesAreNoSignatures(String b) {
        String message = text(sealed(1, SET));
        assertThat(judged(message.replaceFirst("; b=[^\r]+", "; b=" + b))).startsWith("fail: the seal of set 1: ");
        assertThat(judged(message.replaceFirst("(ARC-Message.*); b=[^\r]+", "$1; b=" + b)))
                .startsWith("fail: the message signature of set 1: ");
    }

    @Test
    void namesOfFieldsHaveNoCaseAndFoldingDoesNotMatter() {
        String message = text(sealed(2, SET));
        assertThat(judged(message.replace("ARC-Seal: i=2", "aRc-SeAl :\r\n\t i=2").replace("ARC-Auth", "arc-auth")))
                .isEqualTo("pass");
        assertThat(judged(message.replace("; cv=", ";\r\n\t cv="))).isEqualTo("pass");
        assertThat(judged(message.replace("; cv=", ";cv="))).startsWith("fail: the seal of set 2: the header");
    }

    @Test
    void bareLineEndsAreOctetsAndEndNoField() {
        String message = text(sealed(1, SET));
        assertThat(judged(message.replace("; cv=none", ";\n cv=none"))).startsWith("fail: the seal of set 1");
        assertThat(judged(message.replace("; cv=none", ";\rcv=none"))).startsWith("fail: the seal of set 1");
        assertThat(judged(message.replace("Hello.\r\n", "Hello.\n"))).endsWith("the body was changed");
        assertThat(judged("X: y\nARC-Seal: i=2; cv=fail\r\n" + message)).isEqualTo("pass");
        assertThat(judged("X: y\rARC-Seal: i=2; cv=fail\r\n" + message)).isEqualTo("pass");
    }

    @Test
    @Timeout(30)
    void fiftySetsPassAndFiftyOneDoNot() {
        byte[] message = sealed(50, SET);
        List<String> asked = new ArrayList<>();
        ArcResult result = verify(message, (name, type) -> {
            asked.add(name);
            return KEYS.ask(name, type);
        });
        assertThat(result.verdict()).isEqualTo(ArcVerdict.PASS);
        assertThat(result.chain()).hasSize(50);
        assertThat(result.oldestPass()).as("the ten before the newest were looked at").isEqualTo(40);
        assertThat(asked).as("one question for one name").hasSize(1);
        assertThat(judged("ARC-Seal: i=51; cv=pass\r\n" + text(message)))
                .isEqualTo("fail: there are more than 50 sets");
        assertThat(judged(sealed(message, SET))).isEqualTo("fail: there are more than 50 sets");
    }

    @Test
    @Timeout(30)
    void tenThousandFieldsAreCountedOnly() {
        for (String name : List.of("ARC-Seal", "ARC-Message-Signature", "ARC-Authentication-Results")) {
            StringBuilder flood = new StringBuilder();
            for (int i = 0; i < 10_000; i++) {
                flood.append(name).append(": i=").append(i).append("; a=rsa-sha256; b=QUJD; cv=pass\r\n");
            }
            assertThat(judged(flood + text(sealed(1, SET)), none())).isEqualTo("fail: there are more than 50 sets");
        }
    }

    private static String judged(String message, DnsLookup dns) {
        return judged(octets(message), dns);
    }

    private static DnsLookup none() {
        return (name, _) -> {
            throw new AssertionError("asked for " + name);
        };
    }

    @Test
    void fieldsOfManyOctetsAreNotRead() {
        String message = text(sealed(1, SET));
        String field = "ARC-Authentication-Results: i=1;";
        assertThat(judged(message.replace(field, field + "x".repeat(256 << 10)), none()))
                .isEqualTo("fail: the fields have more than 262144 octets");
        String large = "n=" + "x".repeat(65_536) + "; ";
        assertThat(judged(message.replace("ARC-Seal: ", "ARC-Seal: " + large), none()))
                .startsWith("fail: a field arc-seal has no number");
        assertThat(judged(message.replace("ARC-Message-Signature: ", "ARC-Message-Signature: " + large), none()))
                .startsWith("fail: a field arc-message-signature has no number");
        byte[] longResults = sealed(PLAIN, SET.results(text -> text + "; n=" + "\r\n (x)".repeat(40_000)));
        assertThat(judged(longResults)).isEqualTo("pass");
        assertThat(
                judged(message.replace(field, "ARC-Authentication-Results: " + "(".repeat(200_000) + "i=1;"), none()))
                .startsWith("fail: a field arc-authentication-results has no number");
    }

    /// With domains of others: they would be asked all.
    @Test
    void aForgedChainCostsTwoQuestionsAtMost() {
        byte[] message = PLAIN;
        for (int i = 1; i <= 20; i++) {
            int number = i;
            message = sealed(message, new SetForm(ED25519, text -> text,
                    text -> text.replace("s=e", "s=m" + number), text -> text.replace("s=e", "s=a" + number)));
        }
        List<String> asked = new ArrayList<>();
        DnsLookup dns = (name, _) -> {
            asked.add(name);
            return name.startsWith("m")
                    ? new TextAnswer.Found(List.of(ED25519.record()))
                    : new TextAnswer.Found(List.of(RSA.record()));
        };
        BodyHashes bodies = new BodyHashes();
        ArcVerifier verifier = new ArcVerifier(new RawHeader(message), ArcMail.NOW, bodies);
        bodies.update(octets(ArcMail.BODY), 0, ArcMail.BODY.length());
        assertThat(verifier.result(dns).reason()).startsWith("the seal of set 20: the key is not of the algorithm");
        assertThat(asked).containsExactly("m20._domainkey.example.org", "a20._domainkey.example.org");
        assertThat(verifier.keyNames()).isEqualTo(asked);
        assertThat(new ArcVerifier(new RawHeader(PLAIN), ArcMail.NOW, new BodyHashes()).keyNames()).isEmpty();
    }

    @Test
    void aGoodChainCostsAQuestionForEachSealAndTenOlderSignatures() {
        byte[] message = PLAIN;
        for (int i = 1; i <= 50; i++) {
            int number = i;
            message = sealed(message, new SetForm(ED25519, text -> text,
                    text -> text.replace("s=e", "s=m" + number), text -> text.replace("s=e", "s=a" + number)));
        }
        List<String> asked = new ArrayList<>();
        assertThat(verify(message, (name, _) -> {
            asked.add(name);
            return new TextAnswer.Found(List.of(ED25519.record()));
        }).verdict()).isEqualTo(ArcVerdict.PASS);
        assertThat(asked).hasSize(1 + 50 + 10);
    }

    @Test
    void aFifthFormOfTheBodyIsNotHashed() {
        BodyHashes bodies = new BodyHashes();
        byte[] message = sealed(PLAIN, SET);
        for (int i = 0; i < 4; i++) {
            byte[] other = sealed(PLAIN, limited(20 + i));
            new ArcVerifier(new RawHeader(other), ArcMail.NOW, bodies);
        }
        ArcVerifier verifier = new ArcVerifier(new RawHeader(message), ArcMail.NOW, bodies);
        bodies.update(octets(ArcMail.BODY), 0, ArcMail.BODY.length());
        assertThat(verifier.result(none()).reason())
                .isEqualTo("the message signature of set 1: other signatures want the body hashed in other ways");
    }

    private static SetForm limited(int limit) {
        return SET.message(text -> text.replace("; h=", "; l=" + limit + "; h="));
    }

    @Test
    @Timeout(60)
    void everyAlterationOfAnOctetOfTheChainIsSeenOrDoesNotMatter() {
        byte[] message = sealed(2, SET);
        Random random = new Random(8617);
        for (int i = 0; i < 3_000; i++) {
            byte[] other = message.clone();
            int at = random.nextInt(other.length);
            other[at] = (byte) random.nextInt(256);
            if (verify(other, KEYS).verdict() == ArcVerdict.PASS) {
                assertThat(relaxed(other)).as("octet %d", at).isEqualTo(relaxed(message));
            }
        }
    }

    /// Blanks and the case of names of fields may change, and the bits of the last letter of base64
    /// that mean nothing.
    private static String relaxed(byte[] message) {
        String text = text(message).toLowerCase(Locale.ROOT).replaceAll("[ \t]+", " ").replaceAll(" ?\r\n ", " ")
                .replaceAll(" \r\n", "\r\n");
        String last = text(message).replaceAll("(?s).*?; ?b= ?([^\r]*)\r\n.*", "$1");
        return text.replaceFirst("; ?b= ?[^\r]*",
                Base64.getEncoder().encodeToString(Base64.getMimeDecoder().decode(last)));
    }
}
