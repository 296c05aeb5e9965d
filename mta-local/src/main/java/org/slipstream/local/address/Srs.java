package org.slipstream.local.address;

import org.slipstream.core.Address;
import org.slipstream.core.text.Ascii;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The Sender Rewriting Scheme: forwarded mail has a sender of our own domain, so its SPF check
/// passes, and a bounce to that sender finds the original one.
///
/// | Sender of the mail that is forwarded | Sender with which it leaves |
/// |---|---|
/// | `ann@far.example` | `SRS0=HHHH=TT=far.example=ann@here.example` |
/// | `SRS0=hhhh=tt=far.example=ann@first.example` | `SRS1=HHHH=first.example==hhhh=tt=far.example=ann@here.example` |
/// | `SRS1=hhhh=first.example==…@second.example` | `SRS1=HHHH=first.example==…@here.example` |
///
/// `TT` is the day modulo 1,024 in base 32, and `HHHH` the first letters of an HMAC-SHA-1 in base 64
/// over the parts behind it, in lower case: hosts on the way may change case. Without a valid hash an
/// address is unknown, so clients cannot make this server send to an address of choice. A shorter address
/// behind a second forwarder leads back to the first one, which knows the original sender.
///
/// The form is that of libsrs2 and postsrsd, so a server that had postsrsd takes over its secret.
/// Source: Meng Weng Wong and Shevek, *Mail Forwarding with SRS*, 2004. ADR 116.
///
/// Immutable; may be used by any thread.
public final class Srs {
    /// The days in which a bounce must come back.
    static final int VALID_DAYS = 21;
    /// RFC 5321 section 4.5.3.1.3, without the angle brackets.
    private static final int MOST_OCTETS = 254;
    private static final int HASH_LETTERS = 4;
    /// Base 64 of 160 bits. Other programs may be set to more letters than four.
    private static final int MOST_HASH_LETTERS = 27;
    private static final int DAYS = 1_024;
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String SEPARATORS = "=+-";
    private static final String HMAC = "HmacSHA1";

    private final String domain;
    private final List<String> secrets;
    private final LongSupplier clockMillis;

    /// @param domain of the new senders; bounces must come to this server
    /// @param secrets the first one signs, all are accepted
    public Srs(String domain, List<String> secrets, LongSupplier clockMillis) {
        if (secrets.isEmpty()) {
            throw new IllegalArgumentException("no secret signs the senders of " + domain);
        }
        this.domain = domain;
        this.secrets = List.copyOf(secrets);
        this.clockMillis = clockMillis;
    }

    /// The sender with which mail of this sender is forwarded. Empty when it does not fit into an
    /// address; the sender stays then.
    Optional<Address> forwarded(Address sender) {
        return Optional.of(new Address(localPart(sender), domain))
                .filter(made -> sender.domain().indexOf('=') < 0 && octets(made.toString()).length <= MOST_OCTETS);
    }

    private String localPart(Address sender) {
        String local = sender.localPart();
        if (isTagged(local, "SRS1")) {
            String[] parts = local.substring(5).split("=", 3);
            // Other names only look so.
            if (parts.length == 3 && !parts[1].isEmpty() && isTagged("SRS0" + parts[2], "SRS0")) {
                return srs1(parts[1], parts[2]);
            }
        }
        return isTagged(local, "SRS0") ? srs1(sender.domain(), local.substring(4)) : srs0(sender);
    }

    private String srs0(Address sender) {
        long day = today();
        String stamp = "" + BASE32.charAt((int) (day >> 5)) + BASE32.charAt((int) (day & 31));
        String hash = hash(secrets.getFirst(), stamp, sender.domain(), sender.localPart());
        return "SRS0=" + hash.substring(0, HASH_LETTERS) + "=" + stamp + "=" + sender.domain() + "="
                + sender.localPart();
    }

    private String srs1(String first, String rest) {
        return "SRS1=" + hash(secrets.getFirst(), first, rest).substring(0, HASH_LETTERS) + "=" + first + "=" + rest;
    }

    /// True for an address in the form of this class in this domain, whether valid or not.
    boolean claims(Address address) {
        return address.domainKey().equals(domain)
                && (isTagged(address.localPart(), "SRS0") || isTagged(address.localPart(), "SRS1"));
    }

    private static boolean isTagged(String local, String tag) {
        return local.length() > tag.length() && Ascii.same(local.substring(0, tag.length()), tag)
                && SEPARATORS.indexOf(local.charAt(tag.length())) >= 0;
    }

    /// The address to which mail to this one goes. Empty for a wrong hash, and for one that is too old.
    ///
    /// @param address claimed
    Optional<Address> original(Address address) {
        String local = address.localPart();
        return isTagged(local, "SRS0") ? ofSrs0(local.substring(5)) : ofSrs1(local.substring(5));
    }

    private Optional<Address> ofSrs0(String text) {
        String[] parts = text.split("=", 4);
        return parts.length == 4 && isRecent(parts[1]) && isSigned(parts[0], parts[1], parts[2], parts[3])
                ? address(parts[3], parts[2])
                : Optional.empty();
    }

    private Optional<Address> ofSrs1(String text) {
        String[] parts = text.split("=", 3);
        return parts.length == 3 && isSigned(parts[0], parts[1], parts[2])
                ? address("SRS0" + parts[2], parts[1])
                : Optional.empty();
    }

    private static Optional<Address> address(String local, String domain) {
        return local.isEmpty() || !Address.isDomain(domain)
                ? Optional.empty()
                : Optional.of(new Address(local, domain));
    }

    private long today() {
        return TimeUnit.MILLISECONDS.toDays(clockMillis.getAsLong()) % DAYS;
    }

    private boolean isRecent(String stamp) {
        String upper = Ascii.upper(stamp);
        int high = upper.length() == 2 ? BASE32.indexOf(upper.charAt(0)) : -1;
        int low = upper.length() == 2 ? BASE32.indexOf(upper.charAt(1)) : -1;
        return high >= 0 && low >= 0 && (today() - (high << 5 | low) + DAYS) % DAYS <= VALID_DAYS;
    }

    private boolean isSigned(String hash, String... parts) {
        if (hash.length() < HASH_LETTERS || hash.length() > MOST_HASH_LETTERS) {
            return false;
        }
        boolean found = false;
        for (String secret : secrets) {
            String right = hash(secret, parts).substring(0, hash.length());
            // The time does not depend on the place of the first wrong letter.
            found |= MessageDigest.isEqual(octets(Ascii.upper(right)), octets(Ascii.upper(hash)));
        }
        return found;
    }

    private static String hash(String secret, String... parts) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(octets(secret), HMAC));
            for (String part : parts) {
                mac.update(octets(Ascii.lower(part)));
            }
            return Base64.getEncoder().encodeToString(mac.doFinal());
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
