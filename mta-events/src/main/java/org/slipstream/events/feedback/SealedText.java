package org.slipstream.events.feedback;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Short texts that leave this server in mail and come back. Only this server can make one, and only this server can
/// read it.
///
/// The form is that of SIV (RFC 5297) with other primitives: an HMAC of the text is also the initial vector of its
/// encryption. So the same text always has the same seal, which lets a signature of a message be used again, and no
/// random number can be used twice. The address in a text is hidden because providers remove addresses from the
/// complaints that they pass on, and a login concerns this server only.
///
/// The first secret seals. All of them open, so that a secret can be replaced. May be called by any thread.
public final class SealedText {
    private static final int TAG_OCTETS = 16;
    /// A trace with two addresses of the greatest length has less.
    static final int LONGEST = 2_000;
    private static final String BETWEEN = "\0";

    private final List<SealKeys> keys;

    private record SealKeys(SecretKeySpec mac, SecretKeySpec cipher) {
        static SealKeys of(String secret) {
            SecretKeySpec root = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), MAC);
            return new SealKeys(new SecretKeySpec(hmac(root, "mac".getBytes(StandardCharsets.US_ASCII)), MAC),
                    new SecretKeySpec(hmac(root, "cipher".getBytes(StandardCharsets.US_ASCII)), "AES"));
        }
    }

    private static final String MAC = "HmacSHA256";

    /// @param secrets at least one
    public SealedText(List<String> secrets) {
        keys = secrets.stream().map(SealKeys::of).toList();
    }

    /// @param purpose a text of one purpose cannot be used for another
    /// @return letters, digits, `-` and `_`
    String seal(String purpose, List<String> fields) {
        byte[] text = String.join(BETWEEN, fields).getBytes(StandardCharsets.UTF_8);
        SealKeys key = keys.getFirst();
        byte[] tag = tag(key, purpose, text);
        byte[] sealed = Arrays.copyOf(tag, TAG_OCTETS + text.length);
        byte[] hidden = crypt(Cipher.ENCRYPT_MODE, key, tag, text);
        System.arraycopy(hidden, 0, sealed, TAG_OCTETS, hidden.length);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
    }

    /// The fields; empty for a text that this server did not seal for this purpose.
    Optional<List<String>> open(String purpose, String sealed) {
        byte[] octets;
        try {
            octets = sealed.length() > LONGEST ? new byte[0] : Base64.getUrlDecoder().decode(sealed);
        } catch (IllegalArgumentException noBase64) {
            return Optional.empty();
        }
        if (octets.length <= TAG_OCTETS) {
            return Optional.empty();
        }
        byte[] tag = Arrays.copyOf(octets, TAG_OCTETS);
        byte[] hidden = Arrays.copyOfRange(octets, TAG_OCTETS, octets.length);
        return keys.stream().flatMap(key -> opened(key, purpose, tag, hidden).stream()).findFirst();
    }

    private static Optional<List<String>> opened(SealKeys key, String purpose, byte[] tag, byte[] hidden) {
        byte[] text = crypt(Cipher.DECRYPT_MODE, key, tag, hidden);
        if (!MessageDigest.isEqual(tag, tag(key, purpose, text))) {
            return Optional.empty();
        }
        try {
            CharBuffer fields = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
            return Optional.of(List.of(fields.toString().split(BETWEEN, -1)));
        } catch (CharacterCodingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] tag(SealKeys key, String purpose, byte[] text) {
        byte[] before = (purpose + BETWEEN).getBytes(StandardCharsets.UTF_8);
        byte[] all = Arrays.copyOf(before, before.length + text.length);
        System.arraycopy(text, 0, all, before.length, text.length);
        return Arrays.copyOf(hmac(key.mac, all), TAG_OCTETS);
    }

    private static byte[] hmac(SecretKeySpec key, byte[] text) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(key);
            return mac.doFinal(text);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java has " + MAC, missing);
        }
    }

    private static byte[] crypt(int mode, SealKeys key, byte[] tag, byte[] text) {
        try {
            Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
            cipher.init(mode, key.cipher, new IvParameterSpec(tag));
            return cipher.doFinal(text);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java has AES", missing);
        }
    }
}
