package org.slipstream.auth.dkim;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/// Makes signature fields: `relaxed/relaxed`, the whole body, no end of validity.
///
/// Signing takes the digest of the body apart from the header. A server hashes a body once, while it
/// receives it, and can sign each copy with the header that this copy has, at delivery too; that is
/// also the order in which DKIM2 wants its signatures.
public final class DkimSigner {
    /// RFC 5322 section 2.1.1, and the column of the blank that begins a folded line.
    private static final int COLUMNS = 78;
    private static final String FOLD = "\r\n ";

    private DkimSigner() {}

    /// For the digest that [#fields] takes.
    public static BodyHash bodyHash() {
        return new BodyHash(Canonicalization.RELAXED);
    }

    /// The keys whose signature a message has not yet; another program may have signed it.
    public static List<SigningKey> without(List<SigningKey> keys, RawHeader header, Instant now) {
        Set<String> signed = header.count("dkim-signature") == 0
                ? Set.of()
                : Set.copyOf(new DkimVerifier(header, now, new BodyHashes()).keyNames());
        return keys.stream().filter(key -> !signed.contains(key.name().dns())).toList();
    }

    /// One field for each key, each with its CRLF, for the top of the header. RSA is first: a
    /// verifier that judges the first signature only may not know Ed25519.
    ///
    /// @param header as it will be on the wire
    /// @param bodyDigest of [#bodyHash]
    public static String fields(List<SigningKey> keys, SignedFields signed, RawHeader header, byte[] bodyDigest,
            Instant now) {
        List<String> names = signed.names(header);
        StringBuilder fields = new StringBuilder();
        keys.stream().sorted(Comparator.comparing(SigningKey::algorithm))
                .forEach(key -> fields.append(field(key, names, header, bodyDigest, now)));
        return fields.toString();
    }

    private static String field(SigningKey key, List<String> names, RawHeader header, byte[] bodyDigest, Instant now) {
        Folding text = new Folding("DKIM-Signature: v=1;");
        text.word(" a=" + key.algorithm().word() + ";");
        text.word(" c=relaxed/relaxed;");
        text.word(" d=" + key.name().domain() + ";");
        text.word(" s=" + key.name().selector() + ";");
        text.word(" t=" + now.getEpochSecond() + ";");
        for (int i = 0; i < names.size(); i++) {
            text.word((i == 0 ? " h=" : "") + names.get(i) + (i == names.size() - 1 ? ";" : ":"));
        }
        text.word(" bh=" + Base64.getEncoder().encodeToString(bodyDigest) + ";");
        text.word(" b=");
        RawHeader.RawField own = new RawHeader(text.octets()).fields().getFirst();
        byte[] octets = Canonicalization.RELAXED.header(header.signed(names, own), own, own.to(), own.to());
        text.letters(Base64.getEncoder().encodeToString(key.sign(octets)));
        return text.line + "\r\n";
    }

    /// A field that grows, with a line break before a word that would not fit.
    private static final class Folding {
        private final StringBuilder line;
        private int column;

        private Folding(String start) {
            line = new StringBuilder(start);
            column = start.length();
        }

        private void word(String word) {
            if (column + word.length() > COLUMNS) {
                line.append(FOLD);
                column = 1;
            }
            String fitting = column == 1 ? word.strip() : word;
            line.append(fitting);
            column += fitting.length();
        }

        /// May be broken at each place.
        private void letters(String letters) {
            for (int at = 0; at < letters.length();) {
                if (column == COLUMNS) {
                    line.append(FOLD);
                    column = 1;
                }
                int end = Math.min(letters.length(), at + COLUMNS - column);
                line.append(letters, at, end);
                column += end - at;
                at = end;
            }
        }

        private byte[] octets() {
            return line.toString().getBytes(StandardCharsets.US_ASCII);
        }
    }
}
