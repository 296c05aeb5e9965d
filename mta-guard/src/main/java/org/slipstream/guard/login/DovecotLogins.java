package org.slipstream.guard.login;

import org.slipstream.smtpin.auth.LoginClient;
import org.slipstream.smtpin.auth.LoginService;
import org.slipstream.smtpin.auth.Mechanism;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/// Logins that Dovecot decides, by its authentication protocol 1.2
/// (https://doc.dovecot.org/2.3/developer_manual/design/auth_protocol/). This server passes the
/// bytes of a SASL exchange in both directions and sees no password file.
///
/// Dovecot's offer decides which mechanisms are announced. Mechanisms that Dovecot keeps for itself
/// (`private`), that prove nothing (`anonymous`) or that need what only our side of TLS knows
/// (EXTERNAL, channel binding) are left out. As long as Dovecot was never reached, PLAIN and LOGIN
/// are announced, so that clients get 454 and try again later.
public final class DovecotLogins implements LoginService, AutoCloseable {
    private static final List<String> WITHOUT_DOVECOT = List.of("PLAIN", "LOGIN");
    private static final Set<String> OWN_SIDE = Set.of("EXTERNAL", "ANONYMOUS");

    private final AuthClient dovecot;
    private volatile List<String> offered = WITHOUT_DOVECOT;

    /// Connects in the background.
    ///
    /// @param endpoint `unix:/path` or `host:port`
    public DovecotLogins(String endpoint) {
        this.dovecot = new AuthClient(new AuthSocket(endpoint), DovecotLogins::dialect);
        reconnect();
    }

    /// The mechanisms that Dovecot offers now.
    ///
    /// @throws IOException when it cannot be reached
    public static List<String> probe(String endpoint) throws IOException {
        try (AuthClient once = new AuthClient(new AuthSocket(endpoint), DovecotLogins::dialect)) {
            return usable(once.link().offer());
        }
    }

    @Override
    public List<String> names(boolean inTls) {
        Optional<AuthLink> link = dovecot.current();
        if (link.isPresent()) {
            offered = usable(link.get().offer());
        } else {
            reconnect();
        }
        return offered;
    }

    @Override
    public Optional<Mechanism> begin(String mechanism, LoginClient client) throws IOException {
        offered = usable(dovecot.link().offer());
        return offered.contains(mechanism)
                ? Optional.of(new DovecotExchange(dovecot, mechanism, client))
                : Optional.empty();
    }

    @Override
    public void close() {
        dovecot.close();
    }

    // A session must not wait for Dovecot before its greeting.
    private void reconnect() {
        Thread.ofVirtual().name("dovecot-connect").start(() -> {
            try {
                offered = usable(dovecot.link().offer());
            } catch (IOException _) {
                // The next login meets the same trouble and logs it.
            }
        });
    }

    // Dovecot takes a second connection with the number of the first for a fault of its client, and
    // programs in two containers may have the same process number. So the number is random.
    private static AuthLink.AuthDialect dialect() {
        int number = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
        return new AuthLink.AuthDialect(
                List.of(AuthLine.of("VERSION", "1", "2"), AuthLine.of("CPID", String.valueOf(number))), "DONE");
    }

    private static List<String> usable(List<AuthLine> offer) {
        return offer.stream().filter(line -> line.verb().equals("MECH") && line.words().size() > 1)
                .filter(line -> !line.has("private") && !line.has("anonymous")).map(line -> line.words().get(1))
                .filter(name -> !OWN_SIDE.contains(name) && !name.endsWith("-PLUS"))
                .sorted(Comparator.comparing(DovecotLogins::rank))
                .toList();
    }

    private static int rank(String mechanism) {
        return switch (mechanism) {
            case "SCRAM-SHA-256" -> 0;
            case "SCRAM-SHA-1" -> 1;
            case "PLAIN" -> 3;
            case "LOGIN" -> 4;
            default -> 2;
        };
    }
}
