package org.slipstream.smtpin.auth;

import org.slipstream.core.sasl.SaslName;
import org.slipstream.core.sasl.SaslPrep;
import org.slipstream.core.sasl.ScramHash;
import org.slipstream.core.sasl.ScramKeys;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The server's side of SCRAM-SHA-256 and SCRAM-SHA-256-PLUS (RFC 5802, RFC 7677).
///
/// Each side proves to the other that it has the password, and neither sends it. [ScramHash] has
/// the arithmetic:
///
/// ```
/// C: n,,n=user,r=cnonce                                   client-first
/// S: r=cnonce+snonce,s=salt,i=iterations                  server-first
/// C: c=base64(gs2-header + binding),r=…,p=proof           client-final
/// S: v=signature                                          server-final
/// ```
///
/// A listener on the wire, or a thief of the stored keys, cannot log in. A man in the middle can
/// relay the exchange, unless the proof also covers the TLS channel. The PLUS variant puts a value
/// into `c=` that both ends of one TLS connection compute, and that differs between the two
/// connections of a relay (`tls-exporter`, RFC 9266; `tls-server-end-point`, RFC 5929 section 4).
/// The flag `y` means that the client can bind and saw no PLUS. If PLUS was announced, the
/// announcement was changed on its way.
///
/// A user who does not exist gets keys that no password fits, so only the last message fails. SMTP
/// has no place for the server's last message in its success reply. It goes out as one more
/// challenge, which the client answers with an empty line (RFC 4954 section 4).
final class ScramServer implements Mechanism {
    // RFC 5802 section 7, gs2-header and client-first-message-bare; reserved `m=` is refused by not
    // being there.
    private static final Pattern FIRST = Pattern.compile(
            "((n|y|p=[A-Za-z0-9.-]+),(?:a=([^,]*))?,)(n=([^,]+),r=([\\x21-\\x2b\\x2d-\\x7e]+)(?:,.*)?)");
    private static final Pattern FINAL = Pattern.compile(
            "(c=([A-Za-z0-9/+=]+),r=([\\x21-\\x2b\\x2d-\\x7e]+)(?:,.*)?),p=([A-Za-z0-9/+=]+)");

    private enum Stage {
        FIRST, FINAL, ACKNOWLEDGE
    }

    private final UserSecrets credentials;
    private final boolean plus;
    private final Map<String, byte[]> bindings;
    private final byte[] secret;
    private final String serverNonce;
    private Stage stage = Stage.FIRST;
    private String user = "";
    private boolean known;
    private ScramKeys keys;
    private byte[] binding = new byte[0];
    private String header = "";
    private String firstBare = "";
    private String serverFirst = "";
    private String nonce = "";

    /// @param plus the PLUS variant
    /// @param bindings the channel's values by name; empty where there is no TLS
    /// @param secret of this process, for the keys of users who do not exist
    /// @param serverNonce printable, without commas
    ScramServer(UserSecrets credentials, boolean plus, Map<String, byte[]> bindings, byte[] secret,
            String serverNonce) {
        this.credentials = credentials;
        this.plus = plus;
        this.bindings = bindings;
        this.secret = secret.clone();
        this.serverNonce = serverNonce;
        this.keys = nobody("");
    }

    @Override
    public byte[] opening() {
        return new byte[0];
    }

    @Override
    public Turn respond(byte[] response) throws IOException {
        String message = new String(response, StandardCharsets.UTF_8);
        return switch (stage) {
            case FIRST -> first(message);
            case FINAL -> last(message);
            case ACKNOWLEDGE -> message.isEmpty()
                    ? new Turn.Proven(user)
                    : new Turn.Failed(user, "talks after the end");
        };
    }

    private Turn first(String message) throws IOException {
        Matcher first = FIRST.matcher(message);
        if (!first.matches()) {
            return new Turn.Failed("", "malformed first message");
        }
        Optional<String> name = SaslName.decode(first.group(5));
        if (name.isEmpty()) {
            return new Turn.Failed("", "malformed user name");
        }
        user = SaslPrep.text(name.get());
        Optional<String> wrong = wrongBinding(first.group(2));
        if (wrong.isPresent()) {
            return new Turn.Failed(user, wrong.get());
        }
        Optional<String> actsFor = Optional.ofNullable(first.group(3)).filter(text -> !text.isEmpty());
        if (actsFor.isPresent() && !SaslName.decode(actsFor.get()).map(SaslPrep::text).equals(Optional.of(user))) {
            return new Turn.Failed(user, "acts for another user");
        }
        Optional<ScramKeys> stored = credentials.scram(user);
        known = stored.isPresent();
        keys = stored.orElseGet(() -> nobody(user));
        header = first.group(1);
        firstBare = first.group(4);
        nonce = first.group(6) + serverNonce;
        serverFirst = "r=" + nonce + ",s=" + Base64.getEncoder().encodeToString(keys.salt()) + ",i="
                + keys.iterations();
        stage = Stage.FINAL;
        return new Turn.Challenge(serverFirst.getBytes(StandardCharsets.UTF_8));
    }

    // RFC 5802 section 6.
    private Optional<String> wrongBinding(String flag) {
        if (!flag.startsWith("p=")) {
            if (plus) {
                return Optional.of("PLUS without channel binding");
            }
            return flag.equals("y") && !bindings.isEmpty()
                    ? Optional.of("the announcement of PLUS did not reach the client")
                    : Optional.empty();
        }
        byte[] value = bindings.get(flag.substring(2));
        if (!plus || value == null) {
            return Optional.of("channel binding not served: " + flag.substring(2));
        }
        binding = value;
        return Optional.empty();
    }

    private Turn last(String message) {
        Matcher last = FINAL.matcher(message);
        if (!last.matches()) {
            return new Turn.Failed(user, "malformed final message");
        }
        byte[] proof;
        byte[] channel;
        try {
            channel = Base64.getDecoder().decode(last.group(2));
            proof = Base64.getDecoder().decode(last.group(4));
        } catch (IllegalArgumentException noBase64) {
            return new Turn.Failed(user, "malformed final message");
        }
        String authMessage = firstBare + "," + serverFirst + "," + last.group(1);
        boolean sameNonce = MessageDigest.isEqual(bytes(nonce), bytes(last.group(3)));
        boolean sameChannel = MessageDigest.isEqual(expectedChannel(), channel);
        boolean knowsPassword = keys.isProof(proof, authMessage);
        if (!(sameNonce & sameChannel & knowsPassword & known)) {
            return new Turn.Failed(user, !sameNonce
                    ? "wrong nonce"
                    : sameChannel ? "wrong user or password" : "wrong channel, possible man in the middle");
        }
        stage = Stage.ACKNOWLEDGE;
        return new Turn.Challenge(
                bytes("v=" + Base64.getEncoder().encodeToString(keys.serverSignature(authMessage))));
    }

    private byte[] expectedChannel() {
        byte[] start = bytes(header);
        byte[] all = Arrays.copyOf(start, start.length + binding.length);
        System.arraycopy(binding, 0, all, start.length, binding.length);
        return all;
    }

    private ScramKeys nobody(String name) {
        return ScramKeys.ofNobody(secret, name, ScramHash.LEAST_ITERATIONS);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
