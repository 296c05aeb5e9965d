package org.slipstream.smtpout.auth;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The client's side of one exchange of a SASL mechanism (RFC 4422), for one thread and one
/// attempt.
///
/// Challenges and responses have the form of the mechanism. The SMTP dialogue carries them in
/// Base64, with [#encode] and [#decode].
public sealed interface Sasl permits ScramClient, Sasl.PlainClient, Sasl.LoginClient {
    /// The step that follows a challenge.
    sealed interface SaslMove {
        /// Send this response.
        record Respond(byte[] words) implements SaslMove {}

        /// End the exchange: the server did not prove who it is, or its challenge is malformed.
        record GiveUp(String reason) implements SaslMove {}
    }

    String mechanism();

    /// True when a listener on the wire gets the password.
    boolean showsPassword();

    /// The initial response (RFC 4954 section 4). Empty when the server begins.
    Optional<byte[]> first();

    SaslMove challenged(byte[] words);

    /// Why a success reply at this point is not accepted. Empty when it is.
    Optional<String> doubt();

    /// The best mechanism that the server offers: SCRAM, which does not send the password, then
    /// PLAIN, then LOGIN.
    ///
    /// @param offered in upper case
    /// @param openly true when mechanisms that send the password are allowed
    /// @param nonce unpredictable printable ASCII without commas
    static Optional<Sasl> choose(Set<String> offered, boolean openly, Credentials credentials, String nonce) {
        List<Sasl> ours = List.of(ScramClient.sha256(credentials, nonce), ScramClient.sha1(credentials, nonce),
                new PlainClient(credentials), new LoginClient(credentials));
        return ours.stream().filter(sasl -> offered.contains(sasl.mechanism()))
                .filter(sasl -> openly || !sasl.showsPassword()).findFirst();
    }

    /// Base64 as a parameter of AUTH: no octets are written as `=`, because an empty word is not
    /// visible (RFC 4954 section 4).
    static String encode(byte[] words) {
        return words.length == 0 ? "=" : Base64.getEncoder().encodeToString(words);
    }

    /// Empty when this is no Base64.
    static Optional<byte[]> decode(String text) {
        String word = text.strip();
        try {
            return Optional.of(word.equals("=") ? new byte[0] : Base64.getDecoder().decode(word));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// PLAIN (RFC 4616): one message with name and password in clear text. The server prepares
    /// both, so they are sent as configured.
    final class PlainClient implements Sasl {
        private final Credentials credentials;

        PlainClient(Credentials credentials) {
            this.credentials = credentials;
        }

        @Override
        public String mechanism() {
            return "PLAIN";
        }

        @Override
        public boolean showsPassword() {
            return true;
        }

        @Override
        public Optional<byte[]> first() {
            return Optional.of(utf8("\0" + credentials.user() + "\0" + credentials.password()));
        }

        @Override
        public SaslMove challenged(byte[] words) {
            return new SaslMove.GiveUp("the server sends a challenge after the message of PLAIN");
        }

        @Override
        public Optional<String> doubt() {
            return Optional.empty();
        }
    }

    /// LOGIN, which no RFC standardizes and which is the only mechanism of some servers. Their two
    /// prompts have no fixed text.
    final class LoginClient implements Sasl {
        private final List<String> answers;
        private int asked;

        LoginClient(Credentials credentials) {
            this.answers = List.of(credentials.user(), credentials.password());
        }

        @Override
        public String mechanism() {
            return "LOGIN";
        }

        @Override
        public boolean showsPassword() {
            return true;
        }

        @Override
        public Optional<byte[]> first() {
            return Optional.empty();
        }

        @Override
        public SaslMove challenged(byte[] words) {
            return asked == answers.size()
                    ? new SaslMove.GiveUp("the server sends a third challenge for LOGIN")
                    : new SaslMove.Respond(utf8(answers.get(asked++)));
        }

        @Override
        public Optional<String> doubt() {
            return Optional.empty();
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
