package org.slipstream.auth.dkim;

import org.slipstream.auth.dkim.RawHeader.RawField;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The forms in which header and body are hashed (RFC 6376 section 3.4): as they are, or with blanks
/// and line folding made equal. The body's are in [BodyHash].
public enum Canonicalization {
    SIMPLE, RELAXED;

    private static final byte[] CRLF = {'\r', '\n'};

    /// The word of the tag `c`.
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Canonicalization> of(String word) {
        return switch (word) {
            case "simple" -> Optional.of(SIMPLE);
            case "relaxed" -> Optional.of(RELAXED);
            default -> Optional.empty();
        };
    }

    /// The octets that the signature of a header covers: these fields and the signature's own.
    ///
    /// @param own the field of the signature
    /// @param ownFrom the value of its tag `b`, which is not signed
    byte[] header(List<RawField> fields, RawField own, int ownFrom, int ownTo) {
        ByteArrayOutputStream signed = new ByteArrayOutputStream(4 << 10);
        for (RawField field : fields) {
            field(field.octets(), field.from(), field.colon(), field.to(), signed);
            signed.writeBytes(CRLF);
        }
        byte[] octets = own.octets();
        byte[] withoutB = new byte[own.to() - own.from() - (ownTo - ownFrom)];
        System.arraycopy(octets, own.from(), withoutB, 0, ownFrom - own.from());
        System.arraycopy(octets, ownTo, withoutB, ownFrom - own.from(), own.to() - ownTo);
        field(withoutB, 0, own.colon() - own.from(), withoutB.length, signed);
        return signed.toByteArray();
    }

    /// Without the CRLF at its end.
    private void field(byte[] octets, int from, int colon, int to, ByteArrayOutputStream out) {
        if (this == SIMPLE) {
            out.write(octets, from, to - from);
            return;
        }
        for (int at = from; at < colon && !isBlank(octets[at]); at++) {
            boolean upper = octets[at] >= 'A' && octets[at] <= 'Z';
            out.write(upper ? octets[at] + ('a' - 'A') : octets[at]);
        }
        out.write(':');
        boolean begun = false;
        boolean blank = false;
        for (int at = colon + 1; at < to; at++) {
            if (isBlank(octets[at])) {
                blank = begun;
            } else if (octets[at] == '\r' && at + 1 < to && octets[at + 1] == '\n') {
                at++;
            } else {
                if (blank) {
                    out.write(' ');
                }
                out.write(octets[at]);
                begun = true;
                blank = false;
            }
        }
    }

    static boolean isBlank(byte octet) {
        return octet == ' ' || octet == '\t';
    }
}
