package org.slipstream.auth.dkim;

import org.slipstream.auth.dkim.DkimSignature.SignatureKind;
import org.slipstream.core.dns.DnsLookup;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Judges the signatures of one message (RFC 6376 section 6): made from its header before the body
/// is hashed, and asked at the end.
///
/// **Which signatures.** Servers add their signatures on top, so the topmost is the newest, made
/// over the form of the message that is nearest to the one received; the older ones are those that a
/// list may have broken. The [#MOST_SIGNATURES] newest are judged, each alone: a result says nothing
/// about the others, and DMARC looks for one that passes and is aligned.
///
/// **The price of a message that a stranger chooses.** A header is hashed once for each signature that
/// is judged, a body once for each of at most [BodyHashes#MOST_FORMS] forms, a key is asked for once
/// for each name. A signature that is wrong by itself costs neither.
public final class DkimVerifier {
    /// Mail through three lists with two algorithms each has eight.
    static final int MOST_SIGNATURES = 10;

    private final RawHeader header;
    private final BodyHashes bodies;
    private final List<DkimSignature> signatures = new ArrayList<>();
    private final int unjudged;

    /// @param bodies takes the body before [#results]
    public DkimVerifier(RawHeader header, Instant now, BodyHashes bodies) {
        this.header = header;
        this.bodies = bodies;
        List<RawHeader.RawField> all = header.named("dkim-signature");
        for (RawHeader.RawField field : all.subList(0, Math.min(all.size(), MOST_SIGNATURES))) {
            DkimSignature signature = new DkimSignature(field, SignatureKind.DKIM, header, now);
            signatures.add(signature);
            if (signature.fault().isEmpty()) {
                signature.bodyForm().ifPresent(bodies::want);
            }
        }
        this.unjudged = all.size() - signatures.size();
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

    /// One result for each signature, the newest first; empty for a message without signatures. At
    /// the end of the body.
    public List<DkimResult> results(DnsLookup dns) {
        SignatureJudge judge = new SignatureJudge(dns, header, bodies);
        return signatures.stream().map(signature -> signature.result(judge.judge(signature))).toList();
    }
}
