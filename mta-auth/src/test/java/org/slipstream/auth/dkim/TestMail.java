package org.slipstream.auth.dkim;

import org.slipstream.auth.dkim.DkimSignature.SignatureKind;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.TextAnswer;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A message of a test, with keys and a name server of its own.
final class TestMail {
    static final Instant NOW = Instant.ofEpochSecond(1_790_000_000);
    static final SigningKey RSA = SigningKey.create(KeyName.of("example.org", "r").orElseThrow(), DkimAlgorithm.RSA);
    static final SigningKey ED25519 = SigningKey.create(KeyName.of("example.org", "e").orElseThrow(),
            DkimAlgorithm.ED25519);
    static final String HEADER = "From: Joe <joe@example.org>\r\nTo: Suzie <suzie@example.net>\r\nSubject: dinner\r\n";

    private TestMail() {}

    static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] joined(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    /// The message with a signature of each key on top.
    static byte[] signed(byte[] message, SigningKey... keys) {
        BodyHash hash = DkimSigner.bodyHash();
        int body = body(message);
        hash.update(message, body, message.length);
        String fields = DkimSigner.fields(List.of(keys), SignedFields.USUAL, new RawHeader(message), hash.finish(),
                NOW);
        return joined(octets(fields), message);
    }

    static byte[] signed(String message, SigningKey... keys) {
        return signed(octets(message), keys);
    }

    /// A signature with tags of the test's choice, without `b`, made by an own key.
    static byte[] signed(String tags, String header, String body, SigningKey key) {
        return signed(tags, octets(header + "\r\n" + body), key);
    }

    static byte[] signed(String tags, byte[] message, SigningKey key) {
        String field = "DKIM-Signature: " + tags + "; b=";
        RawHeader all = new RawHeader(joined(octets(field + "\r\n"), message));
        DkimSignature reading = new DkimSignature(all.fields().getFirst(), SignatureKind.DKIM, all, NOW);
        String b = Base64.getEncoder()
                .encodeToString(key.sign(reading.signedHeader(reading.signedFields(all))));
        return joined(octets(field + b + "\r\n"), message);
    }

    static List<DkimResult> verify(byte[] message, DnsLookup dns) {
        return verify(message, dns, NOW);
    }

    static List<DkimResult> verify(byte[] message, DnsLookup dns, Instant now) {
        BodyHashes bodies = new BodyHashes();
        DkimVerifier verifier = new DkimVerifier(new RawHeader(message), now, bodies);
        bodies.update(message, body(message), message.length);
        return verifier.results(dns);
    }

    /// Where the body begins.
    static int body(byte[] message) {
        for (int at = 0; at + 3 < message.length; at++) {
            if (message[at] == '\r' && message[at + 1] == '\n' && message[at + 2] == '\r' && message[at + 3] == '\n') {
                return at + 4;
            }
        }
        return message.length;
    }

    /// A name server with the records of these keys.
    static DnsLookup dns(SigningKey... keys) {
        Map<String, List<String>> records = new HashMap<>();
        for (SigningKey key : keys) {
            records.computeIfAbsent(key.name().dns(), _ -> new ArrayList<>()).add(key.record());
        }
        return dns(records);
    }

    static DnsLookup dns(String... texts) {
        return (_, _) -> new TextAnswer.Found(List.of(texts));
    }

    static DnsLookup dns(Map<String, List<String>> records) {
        return (name, _) -> records.containsKey(name)
                ? new TextAnswer.Found(records.get(name))
                : new TextAnswer.None(true);
    }
}
