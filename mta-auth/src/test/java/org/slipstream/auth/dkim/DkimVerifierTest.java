package org.slipstream.auth.dkim;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.TextAnswer;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.slipstream.auth.dkim.TestMail.ED25519;
import static org.slipstream.auth.dkim.TestMail.HEADER;
import static org.slipstream.auth.dkim.TestMail.NOW;
import static org.slipstream.auth.dkim.TestMail.RSA;
import static org.slipstream.auth.dkim.TestMail.dns;
import static org.slipstream.auth.dkim.TestMail.joined;
import static org.slipstream.auth.dkim.TestMail.octets;
import static org.slipstream.auth.dkim.TestMail.signed;
import static org.slipstream.auth.dkim.TestMail.verify;

class DkimVerifierTest {
    private static final String BODY = "Hello.\r\n";
    private static final DnsLookup KEYS = dns(RSA, ED25519);

    private static String hash(String body) {
        return Base64.getEncoder().encodeToString(BodyHash.sha256().digest(octets(body)));
    }

    private static String tags(String more) {
        return "v=1; a=ed25519-sha256; c=relaxed/relaxed; d=example.org; s=e; h=from:to:subject; bh=" + hash(BODY)
                + more;
    }

    /// The only result, as `verdict: reason`.
    private static String judged(byte[] message, DnsLookup dns) {
        assertThat(verify(message, dns)).hasSize(1);
        DkimResult result = verify(message, dns).getFirst();
        return result.verdict().name().toLowerCase(Locale.ROOT)
                + (result.reason().isEmpty() ? "" : ": " + result.reason());
    }

    private static String judged(String moreTags) {
        return judged(signed(tags(moreTags), HEADER, BODY, ED25519), KEYS);
    }

    /// The same with a signature that nothing is known about but its field.
    private static String field(String tags) {
        return judged(octets("DKIM-Signature: " + tags + "\r\n" + HEADER + "\r\n" + BODY), KEYS);
    }

    @Test
    void aMessageWithoutSignaturesHasNoResult() {
        assertThat(verify(octets(HEADER + "\r\n" + BODY), KEYS)).isEmpty();
        assertThat(verify(new byte[0], KEYS)).isEmpty();
    }

    @Test
    void bothAlgorithmsPassAndTheNewestIsFirst() {
        byte[] message = signed(signed(HEADER + "\r\n" + BODY, RSA), ED25519);
        assertThat(verify(message, KEYS)).extracting(DkimResult::verdict, DkimResult::selector, DkimResult::keyBits)
                .containsExactly(tuple(DkimVerdict.PASS, "e", 256),
                        tuple(DkimVerdict.PASS, "r", 2048));
    }

    @Test
    void changesOfBodyAndHeaderFail() {
        byte[] message = signed(HEADER + "\r\n" + BODY, ED25519);
        String text = new String(message, StandardCharsets.ISO_8859_1);
        assertThat(judged(octets(text.replace("Hello", "Hullo")), KEYS)).isEqualTo("fail: the body was changed");
        assertThat(judged(octets(text.replace("dinner", "lunch")), KEYS))
                .isEqualTo("fail: the header was changed, or the key is another one");
        assertThat(judged(octets("Subject: another\r\n" + text), KEYS)).startsWith("fail: the header");
        assertThat(judged(octets("Cc: a@example.net\r\n" + text), KEYS)).startsWith("fail: the header");
        assertThat(judged(octets("Received: from there\r\nList-Id: <a.b>\r\n" + text), KEYS)).isEqualTo("pass");
    }

    @Test
    void octetsAboveAsciiInSignedFieldsStayOctets() {
        String header = HEADER.replace("dinner", "d\u00eener \u00ff\u0080");
        byte[] message = signed(header + "\r\nBl\u00e5b\u00e6r\r\n", RSA, ED25519);
        assertThat(verify(message, KEYS)).extracting(DkimResult::verdict)
                .containsExactly(DkimVerdict.PASS, DkimVerdict.PASS);
    }

    @Test
    void theSignatureIsTheTagAndNotTextThatLooksLikeIt() {
        assertThat(judged("; z=Subject:b=3D|b=xyz|X:=20bh=3D")).isEqualTo("pass");
        assertThat(judged(signed("z=b=abc; " + tags(""), HEADER, BODY, ED25519), KEYS)).isEqualTo("pass");
    }

    /// `b=` of 0 to 7 characters.
    @ParameterizedTest
    @ValueSource(strings = {"", "A", "AB", "ABC", "ABCD", "ABCDE", "ABCDEF", "ABCDEFG"})
    void shortSignaturesAreNoSignatures(String b) {
        byte[] message = octets("DKIM-Signature: " + tags("") + "; b=" + b + "\r\n" + HEADER + "\r\n" + BODY);
        DkimResult result = verify(message, KEYS).getFirst();
        assertThat(result.verdict()).isIn(DkimVerdict.PERMERROR, DkimVerdict.FAIL);
        assertThat(result.prefix()).isEqualTo(b);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"; x=1790000000|pass", "; x=1789999700|pass",
            "; x=1789999699|permerror: the signature has expired", "; t=1790000300|pass",
            "; t=1790000301|permerror: the signature is of the future",
            "; t=1790000100; x=1790000099|permerror: the signature expires before it is made",
            "; t=x|permerror: the tag \"t\" is not a number", "; t=|permerror: the tag \"t\" is not a number",
            "; x=99999999999999999999999999999999999999|pass", "; t=-1|permerror: the tag \"t\" is not a number",
            "; i=@example.org|pass", "; i=joe@a.b.example.org|pass", "; i=joe=20x@example.org|pass",
            "; i=@example.net|permerror: the identity is not in the domain",
            "; i=@badexample.org|permerror: the identity is not in the domain",
            "; i=example.org|permerror: the identity is not in the domain",
            "; i=a=0d=0aX-Evil:@example.org|permerror: the identity is not in the domain",
            "; i=a=00@example.org|permerror: the identity is not in the domain",
            "; i=@example.org=0a|permerror: the identity is not in the domain", "; q=dns/txt:http|pass",
            "; q=http|neutral: the way to the key is unknown", "; unknown=x|pass"})
    void tagsOfASignature(String more, String verdict) {
        assertThat(judged(more)).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"''|permerror: the tag \"v\" is missing",
            "x|permerror: the field is not a list of tags",
            "v=1; a=rsa-sha256; v=1|permerror: the field is not a list of tags",
            "v=2; a=rsa-sha256|neutral: the version is not 1",
            "v=1; a=rsa-sha1; b=QUJD; bh=QUJD|permerror: rsa-sha1 is not accepted (RFC 8301)",
            "v=1; a=rsa-sha512; b=QUJD; bh=QUJD|neutral: the algorithm is unknown",
            "v=1; a=rsa-sha256; bh=QUJD|permerror: the tag \"b\" is missing or empty",
            "v=1; a=rsa-sha256; b=Q=JD; bh=QUJD|permerror: the tag \"b\" is not base64",
            "v=1; a=rsa-sha256; b=QUJD; bh=QUJD|permerror: the body hash is not one of SHA-256",
            "v=1; a=rsa-sha256; b=QUJD; bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=; s=a|permerror: domain and selector are not a name",
            "v=1; a=rsa-sha256; b=QUJD; bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=; s=a/../b; d=x|permerror: domain and selector are not a name",
            "v=1; a=rsa-sha256; b=QUJD; bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=; s=a; d=x..y|permerror: domain and selector are not a name",
            "v=1; a=rsa-sha256; b=QUJD; bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=; s=a; d=x.org; h=to:subject|permerror: the field From is not signed",
            "v=1; a=rsa-sha256; b=QUJD; bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=; s=a; d=x.org; h=from; c=odd|neutral: the canonicalization is unknown",
            "v=1; v=1|permerror: the field is not a list of tags"})
    void fieldsThatAreWrongByThemselves(String tags, String verdict) {
        assertThat(field(tags)).isEqualTo(verdict);
    }

    @Test
    void octetsBehindTheLimitMakeAPassAMatterOfPolicy() {
        assertThat(judged("; l=8")).isEqualTo("pass");
        byte[] message = signed(tags("; l=8"), HEADER, BODY, ED25519);
        assertThat(judged(joined(message, octets("Buy this.\r\n")), KEYS))
                .isEqualTo("policy: octets at the end of the body are not signed");
        assertThat(judged(joined(message, octets("\r\n\r\n")), KEYS)).as("empty lines are not part of it")
                .isEqualTo("pass");
        assertThat(judged("; l=9")).isEqualTo("fail: the body was changed");
        assertThat(judged("; l=99999999999999999999999999")).isEqualTo("fail: the body was changed");
        String none = tags("").replace(hash(BODY), hash("")) + "; l=0";
        assertThat(judged(signed(none, HEADER, BODY, ED25519), KEYS)).startsWith("policy: octets");
        assertThat(judged(signed(none, HEADER, "", ED25519), KEYS)).isEqualTo("pass");
    }

    @Test
    void aFromFieldThatIsNotSignedMakesAPassAMatterOfPolicy() {
        byte[] message = signed(tags(""), HEADER, BODY, ED25519);
        assertThat(judged(joined(octets("From: boss@bank.example\r\n"), message), KEYS))
                .isEqualTo("policy: a field From is not signed");
        String two = "From: boss@bank.example\r\n" + HEADER;
        assertThat(judged(signed(tags("").replace("h=from", "h=from:from"), two, BODY, ED25519), KEYS))
                .isEqualTo("pass");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"t=y|pass", "t=s|pass", "h=sha1|permerror: the key is not for SHA-256",
            "h=sha1:sha256|pass", "s=email|pass", "s=*|pass", "s=tlsrpt|permerror: the key is not for mail", "g=|pass",
            "g=joe|pass", "n=a note|pass", "t=x:z|pass"})
    void tagsOfAKey(String more, String verdict) {
        byte[] message = signed(tags(""), HEADER, BODY, ED25519);
        assertThat(judged(message, dns(ED25519.record() + "; " + more))).isEqualTo(verdict);
    }

    @Test
    void aStrictKeyIsNotForDomainsBelow() {
        DnsLookup strict = dns("v=DKIM1; t=y:s" + ED25519.record().substring(7));
        assertThat(judged(signed(tags("; i=@a.example.org"), HEADER, BODY, ED25519), strict))
                .isEqualTo("permerror: the key is not for domains below its own");
        byte[] own = signed(tags("; i=joe@example.org"), HEADER, BODY, ED25519);
        assertThat(verify(own, strict).getFirst()).extracting(DkimResult::verdict, DkimResult::testing,
                DkimResult::identity).containsExactly(DkimVerdict.PASS, true, "joe@example.org");
    }

    @Test
    void whatDnsAnswersInPlaceOfAKey() {
        byte[] message = signed(tags(""), HEADER, BODY, ED25519);
        String good = ED25519.record();
        assertThat(judged(message, (_, _) -> new TextAnswer.None(false))).isEqualTo("permerror: there is no key");
        assertThat(judged(message, (_, _) -> new TextAnswer.Trouble("timed out")))
                .isEqualTo("temperror: the key cannot be had: timed out");
        assertThat(judged(message, dns("v=DKIM1; p="))).isEqualTo("permerror: the key is revoked: \"p=\" is empty");
        assertThat(judged(message, dns("v=spf1 -all"))).startsWith("permerror: the record is not a list");
        assertThat(judged(message, dns("v=spf1 -all", good))).isEqualTo("pass");
        assertThat(judged(message, dns(good, RSA.record()))).isEqualTo("permerror: there are several keys");
        assertThat(judged(message, dns(RSA.record())))
                .isEqualTo("permerror: the key is not of the algorithm ed25519-sha256");
        assertThat(judged(message, dns(Collections.nCopies(500, good).toArray(String[]::new))))
                .isEqualTo("permerror: there are several keys");
        assertThat(judged(message, dns("x".repeat(65_536)))).startsWith("permerror: the record is not a list");
        assertThat(judged(message, dns("p=" + "A".repeat(16_000)))).isEqualTo("permerror: RSA, more than 8192 bits");
        assertThat(judged(message, dns(good + "; n=" + "x;y=".repeat(1_000))))
                .startsWith("permerror: the record is not");
        assertThat(judged(message, dns("p=" + Base64.getEncoder().encodeToString(der(1_000)))))
                .isEqualTo("permerror: the value of \"p\" is not an RSA key");
    }

    /// Sequences in sequences.
    private static byte[] der(int depth) {
        byte[] der = new byte[]{0x05, 0};
        for (int i = 0; i < depth && der.length < 1_000; i++) {
            byte[] header = der.length < 128
                    ? new byte[]{0x30, (byte) der.length}
                    : new byte[]{0x30, (byte) 0x82, (byte) (der.length >> 8), (byte) der.length};
            der = joined(header, der);
        }
        return der;
    }

    private static String rsaRecord(int bits, BigInteger exponent) throws Exception {
        BigInteger modulus = new BigInteger(bits, new Random(1)).setBit(bits - 1).setBit(0);
        return "p=" + Base64.getEncoder().encodeToString(
                KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, exponent)).getEncoded());
    }

    @Test
    @Timeout(30)
    void keysThatAreTooSmallOrTooLargeAreNotUsed() throws Exception {
        byte[] message = signed(tags("").replace("ed25519", "rsa").replace("s=e", "s=r"), HEADER, BODY, RSA);
        BigInteger f4 = BigInteger.valueOf(65_537);
        assertThat(judged(message, dns(rsaRecord(512, f4))))
                .isEqualTo("permerror: RSA, 512 bits; verifiers ignore keys below 1024 (RFC 8301)");
        assertThat(judged(message, dns(rsaRecord(1023, f4)))).startsWith("permerror: RSA, 1023 bits");
        assertThat(judged(message, dns(rsaRecord(1024, f4)))).startsWith("fail: the header was changed");
        assertThat(judged(message, dns(rsaRecord(8192, f4)))).startsWith("fail: the header was changed");
        assertThat(judged(message, dns(rsaRecord(8200, f4)))).startsWith("permerror: RSA, more than 8192 bits");
        assertThat(judged(message, dns(rsaRecord(16_384, f4)))).isEqualTo("permerror: RSA, more than 8192 bits");
        assertThat(judged(message, dns(rsaRecord(2048, BigInteger.TWO.pow(2_000).setBit(0)))))
                .startsWith("permerror: RSA, more than 8192 bits, or a large exponent");
        assertThat(judged(message, dns(RSA.record()))).isEqualTo("pass");
    }

    @Test
    void aKeyInTheFormOfRfc6376IsReadToo() {
        byte[] info = Base64.getDecoder().decode(RSA.record().substring(RSA.record().indexOf("p=") + 2));
        // A SubjectPublicKeyInfo of 2048 bits has 24 octets before the key.
        String bare = Base64.getEncoder().encodeToString(Arrays.copyOfRange(info, 24, info.length));
        assertThat(DkimKey.read("p=" + bare)).isInstanceOfSatisfying(DkimKey.KeyReading.Usable.class,
                usable -> assertThat(usable.key().text()).isEqualTo("RSA, 2048 bits"));
        byte[] message = signed(HEADER + "\r\n" + BODY, RSA);
        assertThat(judged(message, dns("k=rsa; p=" + bare))).isEqualTo("pass");
    }

    @Test
    @Timeout(30)
    void ofTenThousandSignaturesTheNewestTenAreJudged() {
        byte[] old = signed(HEADER + "\r\n" + BODY, ED25519);
        StringBuilder flood = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            flood.append("DKIM-Signature: ").append(tags("; l=" + i)).append("; b=QUJDREVGR0g=\r\n");
        }
        byte[] message = joined(octets(flood.toString()), old);
        List<String> asked = new ArrayList<>();
        BodyHashes bodies = new BodyHashes();
        DkimVerifier verifier = new DkimVerifier(new RawHeader(message), NOW, bodies);
        bodies.update(octets(BODY), 0, BODY.length());
        List<DkimResult> results = verifier.results((name, type) -> {
            asked.add(name);
            return KEYS.ask(name, type);
        });
        assertThat(results).hasSize(10).extracting(DkimResult::verdict).doesNotContain(DkimVerdict.PASS);
        assertThat(results).filteredOn(result -> result.verdict() == DkimVerdict.POLICY)
                .as("a fifth way to hash the body")
                .hasSize(6);
        assertThat(verifier.unjudged()).isEqualTo(9_991);
        assertThat(asked).containsExactly("e._domainkey.example.org");
        assertThat(verifier.keyNames()).isEqualTo(asked);
    }

    @Test
    @Timeout(30)
    void tenThousandFieldsAndAFieldOfAMegabyteTakeLinearTime() {
        StringBuilder header = new StringBuilder(HEADER);
        for (int i = 0; i < 10_000; i++) {
            header.append("To: a").append(i).append("@example.net\r\n");
        }
        header.append("Subject: ").append("\r\n x".repeat(250_000)).append("\r\n");
        byte[] message = signed(header + "\r\n" + BODY, RSA, ED25519);
        assertThat(verify(message, KEYS)).extracting(DkimResult::verdict)
                .containsExactly(DkimVerdict.PASS, DkimVerdict.PASS);
        String longer = "DKIM-Signature: " + tags("") + "; z=" + "x".repeat(70_000) + "; b=QUJD\r\n";
        assertThat(judged(octets(longer + HEADER + "\r\n"), KEYS))
                .isEqualTo("permerror: the field is not a list of tags");
        String names = tags("").replace("h=from", "h=" + "from:".repeat(2_000) + "to:".repeat(2_000) + "from");
        assertThat(judged(signed(names, HEADER, BODY, ED25519), KEYS)).isEqualTo("pass");
    }

    @Test
    void nothingThatIsReportedHasControlCharacters() {
        String odd = "DKIM-Signature: v=1; a=rsa-sha256\u0001; d=\u0000; s=\u0007; b=\u001b; i=x\u0085\r\n";
        DkimResult result = verify(octets(odd + HEADER + "\r\n"), KEYS).getFirst();
        assertThat(result)
                .isEqualTo(new DkimResult(DkimVerdict.PERMERROR, "the field is not a list of tags", "", "", "",
                        "", "", 0, false));
        String quoted = tags("").replace("ed25519-sha256", "x\"(") + "; i=x=C2=85@example.org; b=\"();!\r\n";
        DkimResult second = verify(octets("DKIM-Signature: " + quoted + HEADER + "\r\n"), KEYS).getFirst();
        assertThat(second.algorithm() + second.prefix() + second.identity()).isEmpty();
        byte[] message = signed(tags(""), HEADER, BODY, ED25519);
        assertThat(judged(message, dns("v=DKIM1; k=a\r\nX-Evil: b; p=AAAA")))
                .isEqualTo("permerror: the kind of key is unknown");
        assertThat(judged(message, dns("v=DKIM1; k=dsa; p=AAAA")))
                .isEqualTo("permerror: the kind of key \"k=dsa\" is unknown");
    }

    @Test
    void everyAlterationOfAnOctetIsSeenOrDoesNotMatter() {
        byte[] message = signed(HEADER + "\r\n" + BODY, ED25519);
        Random random = new Random(6376);
        for (int i = 0; i < 3_000; i++) {
            byte[] other = message.clone();
            int at = random.nextInt(other.length);
            other[at] = (byte) random.nextInt(256);
            List<DkimResult> results = verify(other, KEYS);
            for (DkimResult result : results) {
                if (result.verdict() == DkimVerdict.PASS) {
                    assertThat(relaxed(other)).as("octet %d", at).isEqualTo(relaxed(message));
                }
            }
        }
    }

    /// Letters in names of fields and of tags' values that have no case, and blanks, may change, and
    /// the bits of the last letter of base64 that mean nothing.
    private static String relaxed(byte[] message) {
        RawHeader header = new RawHeader(message);
        byte[] signature = new DkimSignature(header.fields().getFirst(), DkimSignature.SignatureKind.DKIM, header, NOW)
                .signature();
        return new String(message, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT)
                .replaceAll("[ \t]+", " ").replaceAll(" ?\r\n ", " ").replaceAll(" \r\n", "\r\n")
                .replaceAll(" b=[^\r]*", Base64.getEncoder().encodeToString(signature));
    }

    @Test
    void aNameOfManyScriptsIsAskedInAscii() {
        SigningKey key = SigningKey.create(KeyName.of("bücher.example", "e").orElseThrow(), DkimAlgorithm.ED25519);
        assertThat(key.name().dns()).isEqualTo("e._domainkey.xn--bcher-kva.example");
        String utf8 = new String("d=bücher.example".getBytes(StandardCharsets.UTF_8),
                StandardCharsets.ISO_8859_1);
        byte[] message = signed(tags("").replace("d=example.org", utf8), HEADER, BODY, key);
        assertThat(verify(message, dns(Map.of(key.name().dns(), List.of(key.record())))))
                .extracting(DkimResult::verdict,
                        DkimResult::domain)
                .containsExactly(tuple(DkimVerdict.PASS, "xn--bcher-kva.example"));
    }
}
