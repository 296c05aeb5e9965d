package org.slipstream.auth.dane;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A TLSA record that can be used for SMTP (RFC 7672 section 3.1): it names the host's own certificate
/// (usage 3) or an authority of the host's choice (usage 2). The usages 0 and 1 demand public authorities
/// in addition, on which mail servers have not agreed.
///
/// @param selector 0 for the whole certificate, 1 for its key
/// @param matching 0 for all of it, 1 for SHA-256, 2 for SHA-512
/// @param data hexadecimal digits in lower case
public record TlsaRecord(int usage, int selector, int matching, String data) {
    static final int AUTHORITY = 2;
    static final int HOST = 3;

    /// A whole certificate has two; the records wait with the mail.
    private static final int MOST_OCTETS = 4 * 1024;
    private static final Pattern FORM = Pattern
            .compile("([23])[ \\t]+([01])[ \\t]+([012])[ \\t]+\\(?[ \\t]*([0-9A-Fa-f \\t]+?)[ \\t]*\\)?");

    /// Empty for a record that cannot be used.
    ///
    /// @param text as in a zone file: `3 1 1 0123…`
    public static Optional<TlsaRecord> usable(String text) {
        if (text.length() > 3 * MOST_OCTETS) {
            return Optional.empty();
        }
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        String data = form.group(4).replace(" ", "").replace("\t", "").toLowerCase(Locale.ROOT);
        int matching = Integer.parseInt(form.group(3));
        boolean fits = switch (matching) {
            case 1 -> data.length() == 64;
            case 2 -> data.length() == 128;
            default -> data.length() % 2 == 0 && data.length() <= 2 * MOST_OCTETS;
        };
        return fits
                ? Optional.of(new TlsaRecord(Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2)),
                        matching, data))
                : Optional.empty();
    }

    /// True when the record names an authority, not the host's own certificate.
    public boolean isAuthority() {
        return usage == AUTHORITY;
    }

    boolean names(X509Certificate certificate) {
        try {
            byte[] whole = selector == 0 ? certificate.getEncoded() : certificate.getPublicKey().getEncoded();
            byte[] wanted = HexFormat.of().parseHex(data);
            return MessageDigest.isEqual(wanted, switch (matching) {
                case 1 -> MessageDigest.getInstance("SHA-256").digest(whole);
                case 2 -> MessageDigest.getInstance("SHA-512").digest(whole);
                default -> whole;
            });
        } catch (CertificateEncodingException unreadable) {
            return false;
        } catch (NoSuchAlgorithmException impossible) {
            throw new LinkageError("every Java runtime has SHA-2", impossible);
        }
    }

    @Override
    public String toString() {
        return usage + " " + selector + " " + matching + " " + data;
    }
}
