package org.slipstream.smtpout.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.text.Normalizer;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/// SCRAM (RFC 5802, with SHA-256 RFC 7677): both sides prove that they know the password, and neither says it.
///
/// ```
/// client  n,,n=user,r=NONCE
/// server  r=NONCEnonce,s=salt,i=4096
/// client  c=biws,r=NONCEnonce,p=proof
/// server  v=signature
/// ```
///
/// The password is salted and stretched i times, and two keys are made from that: one for us, one for the server. A server keeps
/// the hash of ours (StoredKey) and its own (ServerKey), with which it can check and answer, but not log in anywhere.
///
/// - *proof* = ClientKey xor HMAC(StoredKey, all that was said): who knows StoredKey gets ClientKey back, hashes it and sees
///   whether it is StoredKey. It fits this conversation only.
/// - *signature* = HMAC(ServerKey, all that was said): a server that merely says yes has not shown it. So a yes before the
///   signature is not believed, and neither is one after a false one.
///
/// The server chooses i. Fewer than 4096 rounds would make what we send cheap to guess from (RFC 7677 section 4), and a hundred
/// million would keep our processor busy for its amusement; both are declined. No channel binding (`n,,`): the certificate is
/// checked by policy, or not at all.
public final class ScramClient implements Sasl {
    static final int LEAST_ROUNDS = 4096;
    static final int MOST_ROUNDS = 1_000_000;
    private static final String NO_BINDING = "n,,";
    private static final Pattern SERVER_FIRST = Pattern
            .compile("r=([!-+\\--~]+),s=([A-Za-z0-9+/=]+),i=([0-9]{1,9})(,.*)?");
    private static final Pattern SERVER_FINAL = Pattern.compile("v=([A-Za-z0-9+/=]+)(,.*)?");
    private static final Pattern SERVER_ERROR = Pattern.compile("e=([^,]{1,100}).*");

    private final String hash;
    private final Credentials credentials;
    private final String nonce;

    private State state = State.FIRST;
    private byte[] expectedSignature = {};

    private enum State {
        FIRST, PROVEN, CHECKED
    }

    private ScramClient(String hash, Credentials credentials, String nonce) {
        this.hash = hash;
        this.credentials = credentials;
        this.nonce = nonce;
    }

    static ScramClient sha256(Credentials credentials, String nonce) {
        return new ScramClient("SHA256", credentials, nonce);
    }

    static ScramClient sha1(Credentials credentials, String nonce) {
        return new ScramClient("SHA1", credentials, nonce);
    }

    @Override
    public String mechanism() {
        return hash.equals("SHA256") ? "SCRAM-SHA-256" : "SCRAM-SHA-1";
    }

    @Override
    public boolean showsPassword() {
        return false;
    }

    @Override
    public Optional<byte[]> first() {
        return Optional.of(utf8(NO_BINDING + bare()));
    }

    // RFC 5802 section 5.1: a comma and an equals sign would end the name.
    private String bare() {
        return "n=" + prepared(credentials.user()).replace("=", "=3D").replace(",", "=2C") + ",r=" + nonce;
    }

    @Override
    public SaslMove challenged(byte[] words) {
        String text = new String(words, StandardCharsets.UTF_8);
        return switch (state) {
            case FIRST -> prove(text);
            case PROVEN -> check(text);
            case CHECKED -> new SaslMove.GiveUp("the server asks on after its signature");
        };
    }

    private SaslMove prove(String serverFirst) {
        Matcher said = SERVER_FIRST.matcher(serverFirst);
        if (!said.matches()) {
            return new SaslMove.GiveUp("the server's first message is none");
        }
        String both = said.group(1);
        if (!both.startsWith(nonce) || both.length() == nonce.length()) {
            return new SaslMove.GiveUp("the server answers somebody else's question");
        }
        int rounds = Integer.parseInt(said.group(3));
        if (rounds < LEAST_ROUNDS || rounds > MOST_ROUNDS) {
            return new SaslMove.GiveUp(
                    "the server wants " + rounds + " rounds, which is not between " + LEAST_ROUNDS + " and "
                            + MOST_ROUNDS);
        }
        Optional<byte[]> salt = Sasl.decode(said.group(2));
        if (salt.isEmpty() || salt.get().length == 0) {
            return new SaslMove.GiveUp("the server's salt is none");
        }
        String withoutProof = "c=" + base64(utf8(NO_BINDING)) + ",r=" + both;
        byte[] proof = proof(salt.get(), rounds, bare() + "," + serverFirst + "," + withoutProof);
        state = State.PROVEN;
        return new SaslMove.Respond(utf8(withoutProof + ",p=" + base64(proof)));
    }

    private byte[] proof(byte[] salt, int rounds, String all) {
        byte[] salted = salted(salt, rounds);
        byte[] clientKey = hmac(salted, "Client Key");
        byte[] proof = hmac(digest(clientKey), all);
        for (int i = 0; i < proof.length; i++) {
            proof[i] ^= clientKey[i];
        }
        expectedSignature = hmac(hmac(salted, "Server Key"), all);
        return proof;
    }

    private SaslMove check(String serverFinal) {
        Matcher error = SERVER_ERROR.matcher(serverFinal);
        if (error.matches()) {
            return new SaslMove.GiveUp("the server says " + error.group(1));
        }
        Matcher said = SERVER_FINAL.matcher(serverFinal);
        Optional<byte[]> signature = said.matches() ? Sasl.decode(said.group(1)) : Optional.empty();
        if (signature.isEmpty() || !MessageDigest.isEqual(signature.get(), expectedSignature)) {
            return new SaslMove.GiveUp("the server does not know the password either");
        }
        state = State.CHECKED;
        return new SaslMove.Respond(new byte[0]);
    }

    @Override
    public Optional<String> doubt() {
        return state == State.CHECKED
                ? Optional.empty()
                : Optional.of("the server has not shown that it knows the password");
    }

    // SASLprep (RFC 4013) in what matters: letters that look the same are the same. Credentials have no control characters.
    private static String prepared(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC);
    }

    private byte[] salted(byte[] salt, int rounds) {
        try {
            int bits = hash.equals("SHA256") ? 256 : 160;
            PBEKeySpec spec = new PBEKeySpec(prepared(credentials.password()).toCharArray(), salt, rounds, bits);
            return SecretKeyFactory.getInstance("PBKDF2WithHmac" + hash).generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no PBKDF2WithHmac" + hash, e);
        }
    }

    private byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("Hmac" + hash);
            mac.init(new SecretKeySpec(key, "Hmac" + hash));
            return mac.doFinal(utf8(text));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no Hmac" + hash, e);
        }
    }

    private byte[] digest(byte[] key) {
        try {
            return MessageDigest.getInstance(hash.equals("SHA256") ? "SHA-256" : "SHA-1").digest(key);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + hash, e);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
