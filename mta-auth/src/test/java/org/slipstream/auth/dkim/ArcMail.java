package org.slipstream.auth.dkim;

import org.slipstream.auth.arc.ArcResult;
import org.slipstream.auth.arc.ArcVerifier;
import org.slipstream.auth.dkim.DkimSignature.SignatureKind;
import org.slipstream.auth.dkim.RawHeader.RawField;
import org.slipstream.core.dns.DnsLookup;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;

/// Seals messages of a test, rightly or as the test wants it, and judges them. It stands here as only
/// this package signs.
public final class ArcMail {
    public static final Instant NOW = TestMail.NOW;
    public static final SigningKey RSA = TestMail.RSA;
    public static final SigningKey ED25519 = TestMail.ED25519;
    public static final SigningKey LIST = SigningKey.create(KeyName.of("lists.example.net", "l").orElseThrow(),
            DkimAlgorithm.ED25519);
    public static final DnsLookup KEYS = TestMail.dns(RSA, ED25519, LIST);
    public static final String BODY = "Hello.\r\n";
    public static final String MAIL = TestMail.HEADER + "\r\n" + BODY;

    private static final List<String> NAMES = List.of("ARC-Authentication-Results", "ARC-Message-Signature",
            "ARC-Seal");

    private ArcMail() {}

    /// The three fields of a set, before they are signed: each may be changed.
    public record SetForm(SigningKey key, UnaryOperator<String> results, UnaryOperator<String> message,
            UnaryOperator<String> seal) {
        public static SetForm of(SigningKey key) {
            return new SetForm(key, UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity());
        }

        public SetForm results(UnaryOperator<String> change) {
            return new SetForm(key, change, message, seal);
        }

        public SetForm message(UnaryOperator<String> change) {
            return new SetForm(key, results, change, seal);
        }

        public SetForm seal(UnaryOperator<String> change) {
            return new SetForm(key, results, message, change);
        }
    }

    /// The message with a set on top.
    public static byte[] sealed(byte[] message, SetForm form) {
        int number = 1 + new RawHeader(message).count("arc-seal");
        String where = "; a=" + form.key.algorithm().word() + "; d=" + form.key.name().domain() + "; s="
                + form.key.name().selector();
        BodyHash hash = DkimSigner.bodyHash();
        hash.update(message, TestMail.body(message), message.length);
        byte[] withResults = TestMail.joined(TestMail.octets(form.results.apply("ARC-Authentication-Results: i="
                + number
                + "; lists.example.org;\r\n spf=pass smtp.mailfrom=a@example.org;\r\n dkim=fail (x; dmarc=pass); dmarc=none")
                + "\r\n"), message);
        byte[] withMessage = signed(form.message.apply("ARC-Message-Signature: i=" + number + where
                + "; c=relaxed/relaxed; h=from:to:subject; bh="
                + Base64.getEncoder().encodeToString(hash.finish())), form.key, SignatureKind.ARC_MESSAGE, withResults);
        return signed(form.seal.apply("ARC-Seal: i=" + number + where + "; cv=" + (number == 1 ? "none" : "pass")),
                form.key, SignatureKind.ARC_SEAL, withMessage);
    }

    public static byte[] sealed(int sets, SetForm form) {
        byte[] message = TestMail.octets(MAIL);
        for (int i = 0; i < sets; i++) {
            message = sealed(message, form);
        }
        return message;
    }

    private static byte[] signed(String tags, SigningKey key, SignatureKind kind, byte[] message) {
        RawHeader header = new RawHeader(TestMail.joined(TestMail.octets(tags + "; b=\r\n"), message));
        DkimSignature reading = new DkimSignature(header.fields().getFirst(), kind, header, NOW);
        byte[] octets = reading.signedHeader(
                kind == SignatureKind.ARC_SEAL ? below(header, reading.field()) : reading.signedFields(header));
        String b = Base64.getEncoder().encodeToString(key.sign(octets));
        return TestMail.joined(TestMail.octets(tags + "; b=" + b + "\r\n"), message);
    }

    /// The fields that a seal on top covers, the oldest first.
    private static List<RawField> below(RawHeader header, RawField seal) {
        List<RawField> covered = new ArrayList<>();
        for (RawField field : header.fields().reversed()) {
            if (NAMES.stream().anyMatch(field.name()::equalsIgnoreCase) && field != seal) {
                covered.add(field);
            }
        }
        return covered;
    }

    public static ArcResult verify(byte[] message, DnsLookup dns) {
        BodyHashes bodies = new BodyHashes();
        ArcVerifier verifier = new ArcVerifier(new RawHeader(message), NOW, bodies);
        int body = TestMail.body(message);
        bodies.update(message, body, message.length);
        return verifier.result(dns);
    }

    public static byte[] octets(String text) {
        return TestMail.octets(text);
    }

    public static String text(byte[] message) {
        return new String(message, StandardCharsets.ISO_8859_1);
    }
}
