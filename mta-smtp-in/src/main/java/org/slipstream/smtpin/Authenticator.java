package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.auth.LoginClient;
import org.slipstream.smtpin.auth.LoginService;
import org.slipstream.smtpin.auth.Mechanism;
import org.slipstream.smtpin.auth.PasswordThreads;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.ClientNetwork;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Predicate;

/// Runs the exchange of a SASL mechanism with the client (RFC 4954 section 4): challenges as 334 in
/// base64, responses as lines. Runs on the session's thread, except the steps of the mechanism,
/// which may hash a password: [PasswordThreads].
final class Authenticator {
    sealed interface AuthResult {
        record Proven(String user) implements AuthResult {}

        record Refused(Reply reply) implements AuthResult {}
    }

    private static final Logger log = LoggerFactory.getLogger(Authenticator.class);
    /// RFC 4954 section 4: the longest line of the exchange.
    private static final int LINE_BYTES = 12_288;
    /// More than any mechanism needs.
    private static final int ROUNDS = 9;
    private static final ClientNetwork NETWORK = ClientNetwork.standard();

    private final SmtpStream wire;
    private final String hostname;
    private final LoginService logins;
    private final GuessGuard guard;
    private final PasswordThreads passwords;
    private final Predicate<InetAddress> known;

    Authenticator(SmtpStream wire, ListenerConfig config, ListenerServices services) {
        this.wire = wire;
        this.hostname = config.hostname();
        this.logins = services.logins();
        this.guard = services.guesses();
        this.passwords = services.passwords();
        this.known = config.trust().known();
    }

    /// @throws IOException when the client disconnects during the exchange
    AuthResult run(Client client, Command.Auth auth, long timeoutNanos) throws IOException {
        String network = NETWORK.key(client.address());
        if (guard.isBanned(network)) {
            log.info("event=login-refused session={} client={} reason=\"banned after failed logins\"", client.session(),
                    ReceivedLine.literal(client.address()));
            return new AuthResult.Refused(
                    Reply.of(421, "4.7.0", hostname + " Too many failed logins, try again later"));
        }
        Optional<Mechanism> begun;
        try {
            begun = logins.begin(auth.mechanism(), loginClient(client));
        } catch (IOException trouble) {
            return unavailable(client, trouble);
        }
        return begun.isPresent()
                ? exchange(client, network, auth, begun.get(), timeoutNanos)
                : new AuthResult.Refused(Reply.of(504, "5.5.4", "Unrecognized authentication type"));
    }

    private LoginClient loginClient(Client client) {
        return new LoginClient(client.session(), literal(client.address()),
                wire.localAddress().map(Authenticator::literal), client.tls().isPresent(), wire.bindings());
    }

    // Without the name of an interface.
    private static String literal(InetAddress address) {
        return address.getHostAddress().replaceFirst("%.*", "");
    }

    private AuthResult exchange(Client client, String network, Command.Auth auth, Mechanism mechanism,
            long timeoutNanos) throws IOException {
        boolean ended = false;
        try {
            Optional<AuthResponse> said = auth.initial().map(Authenticator::decode);
            for (int round = 0; round < ROUNDS; round++) {
                if (said.isPresent() && said.get() instanceof AuthResponse.Invalid(Reply reply)) {
                    return new AuthResult.Refused(reply);
                }
                Mechanism.Turn turn;
                try {
                    turn = turn(client, mechanism, said);
                } catch (PasswordThreads.BusyException busy) {
                    log.info("event=login-deferred session={} client={} reason=\"{}\"", client.session(),
                            ReceivedLine.literal(client.address()), busy.getMessage());
                    return temporaryFailure();
                } catch (IOException trouble) {
                    return unavailable(client, trouble);
                }
                switch (turn) {
                    case Mechanism.Turn.Challenge(byte[] bytes) -> said = Optional.of(ask(bytes, timeoutNanos));
                    case Mechanism.Turn.Proven(String user) -> {
                        ended = true;
                        return proven(client, auth.mechanism(), user);
                    }
                    case Mechanism.Turn.Failed failed -> {
                        ended = true;
                        return failed(client, network, auth.mechanism(), failed);
                    }
                }
            }
            return new AuthResult.Refused(Reply.of(501, "5.5.4", "Authentication exchange too long"));
        } finally {
            if (!ended) {
                mechanism.cancel();
            }
        }
    }

    /// @param said empty: the client waits for the first challenge
    private Mechanism.Turn turn(Client client, Mechanism mechanism, Optional<AuthResponse> said) throws IOException {
        if (said.isEmpty()) {
            return new Mechanism.Turn.Challenge(mechanism.opening());
        }
        byte[] response = ((AuthResponse.Bytes) said.get()).bytes();
        return mechanism.computes()
                ? passwords.call(known.test(client.address()), () -> mechanism.respond(response))
                : mechanism.respond(response);
    }

    private static AuthResult proven(Client client, String mechanism, String user) {
        log.info("event=login session={} client={} user=\"{}\" mechanism={}", client.session(),
                ReceivedLine.literal(client.address()), LogText.text(user), mechanism);
        return new AuthResult.Proven(user);
    }

    // Not the client's fault, so it does not count as a failed login.
    private static AuthResult unavailable(Client client, IOException trouble) {
        log.warn("event=login-unavailable session={} error=\"{}\"", client.session(),
                LogText.text(FailureWords.of(trouble)));
        return temporaryFailure();
    }

    // RFC 4954 section 6.
    private static AuthResult temporaryFailure() {
        return new AuthResult.Refused(Reply.of(454, "4.7.0", "Temporary authentication failure"));
    }

    private AuthResult failed(Client client, String network, String mechanism, Mechanism.Turn.Failed failed) {
        long delayMillis = guard.failedMillis(network);
        log.info("event=login-failed session={} client={} user=\"{}\" mechanism={} reason=\"{}\" millis={}",
                client.session(), ReceivedLine.literal(client.address()), LogText.text(failed.user()), mechanism,
                failed.why(), delayMillis);
        try {
            // The delay costs a virtual thread nothing, but slows down password guessing.
            Thread.sleep(delayMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new AuthResult.Refused(Reply.of(535, "5.7.8", "Authentication failed"));
    }

    private sealed interface AuthResponse {
        record Bytes(byte[] bytes) implements AuthResponse {}

        record Invalid(Reply reply) implements AuthResponse {}
    }

    private AuthResponse ask(byte[] challenge, long timeoutNanos) throws IOException {
        wire.send(Reply.of(334, Base64.getEncoder().encodeToString(challenge)));
        wire.flush();
        return switch (wire.readLine(LINE_BYTES, timeoutNanos)) {
            case SmtpStream.ReadLine.Text(String text) when text.equals("*") -> new AuthResponse.Invalid(
                    Reply.of(501, "5.7.0", "Authentication cancelled"));
            case SmtpStream.ReadLine.Text(String text) -> decode(text);
            case SmtpStream.ReadLine.TooLong() ->
                new AuthResponse.Invalid(Reply.of(500, "5.5.6", "Authentication line too long"));
            case SmtpStream.ReadLine.Broken() -> new AuthResponse.Invalid(
                    Reply.of(521, "5.5.2",
                            hostname + " Error: bare <CR> or <LF> received; end each line with <CR><LF>"));
            case SmtpStream.ReadLine.End() -> throw SmtpStream.disconnected();
        };
    }

    private static AuthResponse decode(String text) {
        try {
            return new AuthResponse.Bytes(Base64.getDecoder().decode(text.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (IllegalArgumentException noBase64) {
            return new AuthResponse.Invalid(Reply.of(501, "5.5.2", "Cannot base64-decode client response"));
        }
    }
}
