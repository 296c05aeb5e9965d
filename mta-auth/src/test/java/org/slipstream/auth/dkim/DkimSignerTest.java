package org.slipstream.auth.dkim;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.auth.dkim.TestMail.ED25519;
import static org.slipstream.auth.dkim.TestMail.HEADER;
import static org.slipstream.auth.dkim.TestMail.NOW;
import static org.slipstream.auth.dkim.TestMail.RSA;
import static org.slipstream.auth.dkim.TestMail.octets;

class DkimSignerTest {
    private static String fields(String header, SigningKey... keys) {
        return DkimSigner.fields(List.of(keys), SignedFields.USUAL, new RawHeader(octets(header)),
                DkimSigner.bodyHash().finish(), NOW);
    }

    @Test
    void theFieldIsFoldedAndSealsItsFields() {
        String field = fields(HEADER + "List-Id: <a.example>\r\n", ED25519);
        assertThat(field.replaceAll("b=[^=]*=*\r\n$", "b=\r\n")).isEqualTo("""
                DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed; d=example.org; s=e;
                 t=1790000000; h=from:from:to:to:cc:subject:subject:date:reply-to:message-id:
                 mime-version:content-type:content-transfer-encoding:list-id;
                 bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=
                """.replace("\n", "\r\n"));
        assertThat(field.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(78));
    }

    @Test
    void rsaIsOnTopAndEachFieldEndsWithItsLine() {
        String both = fields(HEADER, ED25519, RSA);
        RawHeader header = new RawHeader(octets(both));
        assertThat(header.count("dkim-signature")).isEqualTo(2);
        assertThat(header.fields().getFirst().value()).contains(" a=rsa-sha256;");
        assertThat(both).endsWith("\r\n").matches("(?s)\\p{ASCII}*");
        assertThat(both.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(78));
    }

    /// A server signs each copy with its own header and hashes the body once.
    @Test
    void oneDigestServesManyCopies() {
        BodyHash hash = DkimSigner.bodyHash();
        hash.update(octets("Hello.\r\n"), 0, 8);
        byte[] digest = hash.finish();
        for (String to : List.of("a@example.net", "b@example.net")) {
            String header = "To: " + to + "\r\nFrom: x@example.org\r\n";
            String signed = DkimSigner.fields(List.of(ED25519), SignedFields.USUAL, new RawHeader(octets(header)),
                    digest,
                    NOW) + header + "\r\nHello.\r\n";
            assertThat(TestMail.verify(octets(signed), TestMail.dns(ED25519))).extracting(DkimResult::verdict)
                    .containsExactly(DkimVerdict.PASS);
        }
    }

    @Test
    void fieldsOfOnesOwnChoiceAlwaysHaveFrom() {
        SignedFields fields = new SignedFields(List.of("Subject", "SUBJECT"), List.of("X-Kind"));
        assertThat(fields.names(new RawHeader(octets("x-kind: a\r\nX-Kind : b\r\nSubject: c\r\n"))))
                .containsExactly("from", "subject", "subject", "x-kind", "x-kind");
    }

    @Test
    void namesAreBounded() {
        assertThat(SignedFields.USUAL.names(new RawHeader(octets("To: a\r\n".repeat(10_000)))))
                .hasSizeLessThan(40);
        assertThat(fields("To: a\r\n".repeat(10_000), RSA)).hasSizeLessThan(1_000);
    }

    @Test
    void longNamesDoNotBreakTheField() {
        KeyName name = KeyName.of("a".repeat(60) + "." + "b".repeat(60) + "." + "c".repeat(60) + ".example",
                "s".repeat(40)).orElseThrow();
        SigningKey key = SigningKey.create(name, DkimAlgorithm.ED25519);
        byte[] message = TestMail.signed(HEADER + "\r\n", key);
        assertThat(TestMail.verify(message, TestMail.dns(key))).extracting(DkimResult::verdict)
                .containsExactly(DkimVerdict.PASS);
    }
}
