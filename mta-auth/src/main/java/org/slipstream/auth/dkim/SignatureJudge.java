package org.slipstream.auth.dkim;

import org.slipstream.auth.dkim.BodyHashes.BodyForm;
import org.slipstream.auth.dkim.DkimSignature.Judgement;
import org.slipstream.auth.dkim.RawHeader.RawField;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Judges signatures of one message by their keys, at the end of its body. A key is asked for once,
/// and when a signature that can be right needs it.
public final class SignatureJudge {
    private static final int MOST_RECORDS = 10;

    private record KeyAnswer(DkimVerdict verdict, String reason, List<DkimKey> keys) {}

    private final DnsLookup dns;
    private final RawHeader header;
    private final BodyHashes bodies;
    private final Map<String, KeyAnswer> keys = new HashMap<>();

    public SignatureJudge(DnsLookup dns, RawHeader header, BodyHashes bodies) {
        this.dns = dns;
        this.header = header;
        this.bodies = bodies;
    }

    /// A signature of the fields that its tag `h` names, and of the body.
    public Judgement judge(DkimSignature signature) {
        return judge(signature, signature.signedFields(header));
    }

    /// @param covered the fields that are signed besides the signature's own
    public Judgement judge(DkimSignature signature, List<RawField> covered) {
        if (signature.fault().isPresent()) {
            return signature.fault().get();
        }
        Optional<BodyForm> form = signature.bodyForm();
        if (form.isPresent() && bodies.digest(form.get()).isEmpty()) {
            return new Judgement(DkimVerdict.POLICY, "other signatures want the body hashed in other ways", 0, false);
        }
        KeyAnswer answer = keys.computeIfAbsent(signature.name().dns(), this::ask);
        return answer.keys.isEmpty()
                ? new Judgement(answer.verdict, answer.reason, 0, false)
                : end(signature, covered, answer.keys.getFirst());
    }

    private KeyAnswer ask(String name) {
        return switch (dns.ask(name, RecordType.TXT)) {
            case TextAnswer.Trouble(String reason) ->
                new KeyAnswer(DkimVerdict.TEMPERROR, "the key cannot be had: " + reason, List.of());
            case TextAnswer.None _ -> new KeyAnswer(DkimVerdict.PERMERROR, "there is no key", List.of());
            case TextAnswer.Found(List<String> texts) -> read(texts);
        };
    }

    /// Other records at the name, as a wildcard makes them, do no harm. Two keys do: the result would
    /// depend on their order (RFC 6376 section 3.6.2.2).
    private static KeyAnswer read(List<String> texts) {
        List<DkimKey> keys = new ArrayList<>();
        String reason = "";
        for (String text : texts.subList(0, Math.min(texts.size(), MOST_RECORDS))) {
            switch (DkimKey.read(text)) {
                case DkimKey.KeyReading.Usable(DkimKey key) -> keys.add(key);
                case DkimKey.KeyReading.Unusable(String fault) -> reason = reason.isEmpty() ? fault : reason;
            }
        }
        return keys.size() == 1 && texts.size() <= MOST_RECORDS
                ? new KeyAnswer(DkimVerdict.PASS, "", keys)
                : new KeyAnswer(DkimVerdict.PERMERROR, keys.isEmpty() ? reason : "there are several keys", List.of());
    }

    private Judgement end(DkimSignature signature, List<RawField> covered, DkimKey key) {
        Optional<String> refusal = key.refusal(signature.algorithm(), signature.name(), signature.identityDomain());
        if (refusal.isPresent()) {
            return by(key, DkimVerdict.PERMERROR, refusal.get());
        }
        Optional<BodyForm> form = signature.bodyForm();
        Optional<byte[]> digest = form.flatMap(bodies::digest);
        long unsigned = form.map(bodies::unsigned).orElse(0L);
        if (unsigned < 0 || digest.isPresent() && !MessageDigest.isEqual(digest.get(), signature.bodyHash())) {
            return by(key, DkimVerdict.FAIL, "the body was changed");
        }
        if (!key.check().verifies(signature.signedHeader(covered), signature.signature())) {
            return by(key, DkimVerdict.FAIL, "the header was changed, or the key is another one");
        }
        return unsigned > 0
                ? by(key, DkimVerdict.POLICY, "octets at the end of the body are not signed")
                : signature.coversFrom()
                        ? by(key, DkimVerdict.PASS, "")
                        : by(key, DkimVerdict.POLICY, "a field From is not signed");
    }

    private static Judgement by(DkimKey key, DkimVerdict verdict, String reason) {
        return new Judgement(verdict, reason, key.bits(), key.testing());
    }
}
