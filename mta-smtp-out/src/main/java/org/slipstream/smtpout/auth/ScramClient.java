package org.slipstream.smtpout.auth;

import org.slipstream.core.sasl.OpaqueString;
import org.slipstream.core.sasl.SaslName;
import org.slipstream.core.sasl.SaslPrep;
import org.slipstream.core.sasl.ScramHash;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The client's side of SCRAM-SHA-256 (RFC 7677) and SCRAM-SHA-1 (RFC 5802): both sides prove that
/// they have the password, and neither sends it. [ScramHash] has the arithmetic.
///
/// ```
/// client  n,,n=user,r=NONCE
/// server  r=NONCEnonce,s=salt,i=4096
/// client  c=biws,r=NONCEnonce,p=proof
/// server  v=signature
/// ```
///
/// The signature is the server's proof. A success reply before it, or after a false one, is not
/// accepted.
///
/// The server chooses the iterations. Fewer than [ScramHash#LEAST_ITERATIONS] make the password
/// cheap to guess from what the client sends. A hundred million keep a processor busy for minutes.
/// Both are refused. There is no channel binding (`n,,`): the TLS policy decides whether the
/// certificate is checked.
public final class ScramClient implements Sasl {
    private static final int MOST_ITERATIONS = 1_000_000;
    private static final String NO_BINDING = "n,,";
    private static final Pattern SERVER_FIRST = Pattern
            .compile("r=([!-+\\--~]+),s=([A-Za-z0-9+/=]+),i=([0-9]{1,9})(,.*)?");
    private static final Pattern SERVER_FINAL = Pattern.compile("v=([A-Za-z0-9+/=]+)(,.*)?");
    private static final Pattern SERVER_ERROR = Pattern.compile("e=([^,]{1,100}).*");

    private final ScramHash hash;
    private final Credentials credentials;
    private final String nonce;

    private State state = State.FIRST;
    private byte[] expectedSignature = {};

    private enum State {
        FIRST, PROVEN, CHECKED
    }

    private ScramClient(ScramHash hash, Credentials credentials, String nonce) {
        this.hash = hash;
        this.credentials = credentials;
        this.nonce = nonce;
    }

    static ScramClient sha256(Credentials credentials, String nonce) {
        return new ScramClient(ScramHash.SHA_256, credentials, nonce);
    }

    static ScramClient sha1(Credentials credentials, String nonce) {
        return new ScramClient(ScramHash.SHA_1, credentials, nonce);
    }

    @Override
    public String mechanism() {
        return hash.mechanism();
    }

    @Override
    public boolean showsPassword() {
        return false;
    }

    @Override
    public Optional<byte[]> first() {
        return Optional.of(utf8(NO_BINDING + bare()));
    }

    private String bare() {
        return "n=" + SaslName.encode(SaslPrep.text(credentials.user())) + ",r=" + nonce;
    }

    @Override
    public SaslMove challenged(byte[] words) {
        String text = new String(words, StandardCharsets.UTF_8);
        return switch (state) {
            case FIRST -> prove(text);
            case PROVEN -> check(text);
            case CHECKED -> new SaslMove.GiveUp("the server sends a challenge after its signature");
        };
    }

    private SaslMove prove(String serverFirst) {
        Matcher said = SERVER_FIRST.matcher(serverFirst);
        if (!said.matches()) {
            return new SaslMove.GiveUp("the first message of the server is malformed");
        }
        String both = said.group(1);
        if (!both.startsWith(nonce) || both.length() == nonce.length()) {
            return new SaslMove.GiveUp("the nonce of the server does not begin with ours");
        }
        int iterations = Integer.parseInt(said.group(3));
        if (iterations < ScramHash.LEAST_ITERATIONS || iterations > MOST_ITERATIONS) {
            return new SaslMove.GiveUp("the server asks for " + iterations + " iterations, outside of "
                    + ScramHash.LEAST_ITERATIONS + " to " + MOST_ITERATIONS);
        }
        Optional<byte[]> salt = Sasl.decode(said.group(2));
        if (salt.isEmpty() || salt.get().length == 0) {
            return new SaslMove.GiveUp("the salt of the server is malformed");
        }
        String withoutProof = "c=" + base64(utf8(NO_BINDING)) + ",r=" + both;
        byte[] proof = proof(salt.get(), iterations, bare() + "," + serverFirst + "," + withoutProof);
        state = State.PROVEN;
        return new SaslMove.Respond(utf8(withoutProof + ",p=" + base64(proof)));
    }

    private byte[] proof(byte[] salt, int iterations, String authMessage) {
        byte[] salted = hash.saltedPassword(OpaqueString.forms(credentials.password()).getFirst(), salt, iterations);
        expectedSignature = hash.sign(hash.serverKey(salted), authMessage);
        return hash.proof(hash.clientKey(salted), authMessage);
    }

    private SaslMove check(String serverFinal) {
        Matcher error = SERVER_ERROR.matcher(serverFinal);
        if (error.matches()) {
            return new SaslMove.GiveUp("the server reports " + error.group(1));
        }
        Matcher said = SERVER_FINAL.matcher(serverFinal);
        Optional<byte[]> signature = said.matches() ? Sasl.decode(said.group(1)) : Optional.empty();
        if (signature.isEmpty() || !MessageDigest.isEqual(signature.get(), expectedSignature)) {
            return new SaslMove.GiveUp("the signature of the server is wrong");
        }
        state = State.CHECKED;
        return new SaslMove.Respond(new byte[0]);
    }

    @Override
    public Optional<String> doubt() {
        return state == State.CHECKED
                ? Optional.empty()
                : Optional.of("the server has not proved that it has the password");
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
