package org.slipstream.guard.login;

import org.slipstream.smtpin.auth.LoginClient;
import org.slipstream.smtpin.auth.Mechanism;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// One SASL exchange that Dovecot conducts. Dovecot's refusal is a failed login; everything else
/// that goes wrong is temporary, so a restart of Dovecot never makes a mail program ask its user
/// for another password.
///
/// ```
/// AUTH 1 PLAIN service=smtp … resp=…      the client's first response, when it sent one
/// CONT 1 …                                a challenge, or the client's response to it
/// OK   1 user=alice@example.org           the user as Dovecot spells it
/// FAIL 1 user=… [temp] [reason=…]
/// ```
final class DovecotExchange implements Mechanism {
    /// Dovecot delays the reply to a wrong password by two seconds; a database behind it may be slow.
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final AuthClient dovecot;
    private final String mechanism;
    private final LoginClient client;
    private Optional<AuthClient.Begun> begun = Optional.empty();
    private boolean ended;

    DovecotExchange(AuthClient dovecot, String mechanism, LoginClient client) {
        this.dovecot = dovecot;
        this.mechanism = mechanism;
        this.client = client;
    }

    @Override
    public boolean computes() {
        return false;
    }

    @Override
    public byte[] opening() throws IOException {
        return switch (turn(begin(Optional.empty()))) {
            case Turn.Challenge(byte[] bytes) -> bytes;
            case Turn.Failed(String _, String why) -> throw new IOException("Dovecot refused to begin: " + why);
            case Turn.Proven _ -> throw new IOException("Dovecot accepted a login before it began");
        };
    }

    @Override
    public Turn respond(byte[] response) throws IOException {
        String text = Base64.getEncoder().encodeToString(response);
        if (begun.isEmpty()) {
            return turn(begin(Optional.of(text)));
        }
        AuthClient.Begun open = begun.get();
        return turn(open.link().ask(AuthLine.of("CONT", String.valueOf(open.id()), text), LIMIT));
    }

    @Override
    public void cancel() {
        if (begun.isPresent() && !ended) {
            ended = true;
            try {
                begun.get().link().tell(AuthLine.of("CANCEL", String.valueOf(begun.get().id())));
            } catch (IOException gone) {
                // The exchange ended with the connection.
            }
        }
    }

    private AuthLine begin(Optional<String> response) throws IOException {
        begun = Optional.of(dovecot.begin(id -> request(id, response), LIMIT));
        return begun.get().reply();
    }

    // Without Dovecot's penalty: one wrong password of an office would delay the logins of all. Our
    // own guard counts failures and bans.
    private AuthLine request(int id, Optional<String> response) {
        List<String> words = new ArrayList<>(List.of("AUTH", String.valueOf(id), mechanism, "service=smtp", "nologin",
                "no-penalty", "rip=" + client.address(), "session=" + client.session()));
        client.local().ifPresent(local -> words.add("lip=" + local));
        if (client.inTls()) {
            words.add("secured=tls");
        }
        // Dovecot takes everything behind `resp=` for the response.
        response.ifPresent(text -> words.add("resp=" + text));
        return new AuthLine(words);
    }

    private Turn turn(AuthLine reply) throws IOException {
        String user = reply.value("user").orElse("");
        switch (reply.verb()) {
            case "CONT" -> {
                return new Turn.Challenge(decoded(reply.words().size() > 2 ? reply.words().get(2) : ""));
            }
            case "OK" -> {
                ended = true;
                if (user.isEmpty()) {
                    throw new IOException("Dovecot accepted a login without a user");
                }
                return reply.has("nologin")
                        ? new Turn.Failed(user, "Dovecot does not let this user log in")
                        : new Turn.Proven(user);
            }
            case "FAIL" -> {
                ended = true;
                if (reply.has("temp") || reply.value("code").filter("temp_fail"::equals).isPresent()) {
                    throw new IOException("Dovecot cannot decide a login now"
                            + reply.value("reason").map(why -> ": " + why).orElse(""));
                }
                return new Turn.Failed(user, why(reply));
            }
            default -> throw new IOException("unexpected reply of Dovecot: " + reply.verb());
        }
    }

    private static String why(AuthLine reply) {
        return reply.value("reason").or(() -> reply.value("code")).map(why -> why.replace('"', '\''))
                .orElse(reply.has("user_disabled")
                        ? "user is disabled"
                        : reply.has("pass_expired") ? "password has expired" : "refused by Dovecot");
    }

    private static byte[] decoded(String base64) throws IOException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException noBase64) {
            throw new IOException("Dovecot's challenge is not base64", noBase64);
        }
    }
}
