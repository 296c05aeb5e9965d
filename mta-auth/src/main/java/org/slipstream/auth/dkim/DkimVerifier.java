package org.slipstream.auth.dkim;

import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/// Judges the signatures of one message (RFC 6376 section 6): made from its header, fed with its
/// body as it streams, and asked at the end.
///
/// **Which signatures.** Servers add their signatures on top, so the topmost is the newest, made
/// over the form of the message that is nearest to the one received; the older ones are those that a
/// list may have broken. The [#MOST_SIGNATURES] newest are judged, each alone: a result says nothing
/// about the others, and DMARC looks for one that passes and is aligned.
///
/// **What a stranger can spend.** A header is hashed once for each signature that is judged, a body
/// once for each of at most [#MOST_BODY_HASHES] forms, a key is asked for once for each name. A
/// signature that is wrong by itself costs neither.
public final class DkimVerifier {
    /// Mail through three lists with two algorithms each has eight.
    static final int MOST_SIGNATURES = 10;
    /// Two canonicalizations, and two more with a limit.
    static final int MOST_BODY_HASHES = 4;
    private static final int MOST_RECORDS = 10;

    private record BodyForm(Canonicalization canonicalization, OptionalLong limit) {}

    private record KeyAnswer(DkimVerdict verdict, String reason, List<DkimKey> keys) {}

    private final RawHeader header;
    private final List<DkimSignature> signatures = new ArrayList<>();
    private final int unjudged;
    private final Map<BodyForm, BodyHash> bodies = new HashMap<>();

    public DkimVerifier(RawHeader header, Instant now) {
        this.header = header;
        List<RawHeader.RawField> all = header.named("dkim-signature");
        for (RawHeader.RawField field : all.subList(0, Math.min(all.size(), MOST_SIGNATURES))) {
            DkimSignature signature = new DkimSignature(field, header, now.getEpochSecond());
            signatures.add(signature);
            if (signature.fault().isEmpty() && bodies.size() < MOST_BODY_HASHES) {
                bodies.computeIfAbsent(form(signature), form -> new BodyHash(form.canonicalization, form.limit));
            }
        }
        this.unjudged = all.size() - signatures.size();
    }

    private static BodyForm form(DkimSignature signature) {
        return new BodyForm(signature.bodyForm(), signature.limit());
    }

    /// The names at which [#results] will ask for a TXT record, so that a caller can ask early.
    public List<String> keyNames() {
        return signatures.stream().filter(signature -> signature.fault().isEmpty())
                .map(signature -> signature.name().dns()).distinct().toList();
    }

    /// Signatures below the newest ones, which have no result.
    public int unjudged() {
        return unjudged;
    }

    /// Takes `octets[from, to)`, the next piece of the body.
    public void body(byte[] octets, int from, int to) {
        bodies.values().forEach(hash -> hash.update(octets, from, to));
    }

    /// One result for each signature, the newest first; empty for a message without signatures. At
    /// the end of the body, and once only.
    public List<DkimResult> results(DnsLookup dns) {
        Map<BodyForm, byte[]> digests = new HashMap<>();
        bodies.forEach((form, hash) -> digests.put(form, hash.finish()));
        Map<String, KeyAnswer> keys = new HashMap<>();
        return signatures.stream().map(signature -> {
            if (signature.fault().isPresent()) {
                DkimSignature.Judgement fault = signature.fault().get();
                return signature.result(fault.verdict(), fault.reason(), 0, false);
            }
            byte[] digest = digests.get(form(signature));
            if (digest == null) {
                return signature.result(DkimVerdict.POLICY, "other signatures want the body hashed in other ways", 0,
                        false);
            }
            return judge(signature, digest, keys.computeIfAbsent(signature.name().dns(), name -> ask(dns, name)));
        }).toList();
    }

    private static KeyAnswer ask(DnsLookup dns, String name) {
        return switch (dns.ask(name, RecordType.TXT)) {
            case TextAnswer.Trouble(String reason) ->
                new KeyAnswer(DkimVerdict.TEMPERROR, "the key cannot be had: " + reason, List.of());
            case TextAnswer.None _ -> new KeyAnswer(DkimVerdict.PERMERROR, "there is no key", List.of());
            case TextAnswer.Found(List<String> texts) -> read(texts);
        };
    }

    /// Other records at the name, as a wildcard makes them, do no harm. Two keys do: the result would
    /// depend on their order (section 3.6.2.2).
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

    private DkimResult judge(DkimSignature signature, byte[] bodyDigest, KeyAnswer answer) {
        if (answer.keys.isEmpty()) {
            return signature.result(answer.verdict, answer.reason, 0, false);
        }
        DkimKey key = answer.keys.getFirst();
        DkimSignature.Judgement end = end(signature, bodyDigest, key);
        return signature.result(end.verdict(), end.reason(), key.bits(), key.testing());
    }

    private DkimSignature.Judgement end(DkimSignature signature, byte[] bodyDigest, DkimKey key) {
        var refusal = key.refusal(signature.algorithm(), signature.name(), signature.identityDomain());
        if (refusal.isPresent()) {
            return new DkimSignature.Judgement(DkimVerdict.PERMERROR, refusal.get());
        }
        long unsigned = unsigned(signature);
        if (unsigned < 0 || !MessageDigest.isEqual(bodyDigest, signature.bodyHash())) {
            return new DkimSignature.Judgement(DkimVerdict.FAIL, "the body was changed");
        }
        if (!key.check().verifies(signature.signedHeader(header), signature.signature())) {
            return new DkimSignature.Judgement(DkimVerdict.FAIL, "the header was changed, or the key is another one");
        }
        if (unsigned > 0) {
            return new DkimSignature.Judgement(DkimVerdict.POLICY, "octets at the end of the body are not signed");
        }
        return signature.coversFrom()
                ? new DkimSignature.Judgement(DkimVerdict.PASS, "")
                : new DkimSignature.Judgement(DkimVerdict.POLICY, "a field From is not signed");
    }

    private long unsigned(DkimSignature signature) {
        BodyHash body = bodies.get(form(signature));
        return body == null ? 0 : body.unsigned();
    }
}
