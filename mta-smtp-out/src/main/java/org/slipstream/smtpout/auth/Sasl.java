package org.slipstream.smtpout.auth;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// One exchange of a mechanism, from our side. For one thread and one attempt.
///
/// The server's words come in and ours go out in the clear form of the mechanism; Base64 is for whoever speaks SMTP, with
/// [#encode] and [#decode].
public sealed interface Sasl permits ScramClient, Sasl.Plain, Sasl.Login {
    /// What a server's challenge leads to.
    sealed interface SaslMove {
        /// Say this.
        record Respond(byte[] words) implements SaslMove {}

        /// The server is not who it should be, or makes no sense: end the exchange.
        record GiveUp(String reason) implements SaslMove {}
    }

    String mechanism();

    /// True when whoever listens learns the password.
    boolean showsPassword();

    /// What we say before the server has said anything (RFC 4954 section 4). Empty when the server begins.
    Optional<byte[]> first();

    SaslMove challenged(byte[] words);

    /// Why the server cannot be believed when it says now that we are in. Empty when it can.
    Optional<String> doubt();

    /// The best of what the server offers: those that keep the password to themselves, then PLAIN, then LOGIN.
    ///
    /// @param offered in upper case
    /// @param openly mechanisms that show the password are allowed
    /// @param nonce printable ASCII without commas that nobody can guess
    static Optional<Sasl> choose(Set<String> offered, boolean openly, Credentials credentials, String nonce) {
        List<Sasl> ours = List.of(ScramClient.sha256(credentials, nonce), ScramClient.sha1(credentials, nonce),
                new Plain(credentials), new Login(credentials));
        return ours.stream().filter(sasl -> offered.contains(sasl.mechanism()))
                .filter(sasl -> openly || !sasl.showsPassword()).findFirst();
    }

    /// Base64 as AUTH wants it: nothing is written as `=`, because an empty word could not be seen (RFC 4954 section 4).
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

    /// RFC 4616: everything in one message, in the clear.
    final class Plain implements Sasl {
        private final Credentials credentials;

        Plain(Credentials credentials) {
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
            return new SaslMove.GiveUp("the server asks on after PLAIN has said everything");
        }

        @Override
        public Optional<String> doubt() {
            return Optional.empty();
        }
    }

    /// Never standardized and still the only one of some servers: two questions, whose wording is not to be relied on.
    final class Login implements Sasl {
        private final List<String> answers;
        private int asked;

        Login(Credentials credentials) {
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
                    ? new SaslMove.GiveUp("the server asks on after LOGIN has said everything")
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
