package org.slipstream.auth.dkim;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The digests of one body in the forms that its signatures want. All judges of a message share them,
/// so the body is read once, and hashed once in each form.
public final class BodyHashes {
    /// Two canonicalizations, and two more with a limit.
    static final int MOST_FORMS = 4;

    /// @param limit how many octets are signed; empty: all
    public record BodyForm(Canonicalization canonicalization, OptionalLong limit) {}

    private final Map<BodyForm, BodyHash> hashes = new HashMap<>();
    private final Map<BodyForm, byte[]> digests = new HashMap<>();

    /// Before the body. A form beyond [#MOST_FORMS] has no digest.
    public void want(BodyForm form) {
        if (hashes.size() < MOST_FORMS) {
            hashes.computeIfAbsent(form, _ -> new BodyHash(form.canonicalization, form.limit));
        }
    }

    /// Takes `octets[from, to)`, the next piece of the body.
    public void update(byte[] octets, int from, int to) {
        hashes.values().forEach(hash -> hash.update(octets, from, to));
    }

    /// At the end of the body.
    Optional<byte[]> digest(BodyForm form) {
        return Optional.ofNullable(hashes.get(form))
                .map(hash -> digests.computeIfAbsent(form, _ -> hash.finish()));
    }

    /// As [BodyHash#unsigned], for a form with a digest.
    long unsigned(BodyForm form) {
        BodyHash hash = hashes.get(form);
        return hash == null ? 0 : hash.unsigned();
    }
}
