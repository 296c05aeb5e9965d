package org.slipstream.guard.login;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// Dovecot's user database as the list of mailboxes: a lookup in the socket `auth-userdb`. So mail
/// for an unknown user is refused while its client is connected, instead of returned to a sender
/// that is often forged.
///
/// A lookup of the user database is one line in each direction. The alternative, RCPT in an LMTP
/// session, costs a connection and a process of Dovecot for each client (ADR 73).
///
/// **Memory.** Answers are kept: that a mailbox exists for five minutes, that it does not for one,
/// so a new user has mail within a minute. While Dovecot cannot answer, an old answer that the
/// mailbox exists still counts, so a restart of Dovecot delays no mail of known users.
public final class DovecotMailboxes implements MailboxLookup, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DovecotMailboxes.class);
    private static final AuthLink.AuthDialect DIALECT = new AuthLink.AuthDialect(
            List.of(AuthLine.of("VERSION", "1", "1")),
            "SPID");
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration KNOWN = Duration.ofMinutes(5);
    private static final Duration UNKNOWN = Duration.ofMinutes(1);
    private static final int REMEMBERED = 10_000;

    private final AuthClient dovecot;
    private final LongSupplier nanos;
    private final Map<Address, Seen> seen = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Address, Seen> eldest) {
            return size() > REMEMBERED;
        }
    };

    private record Seen(Existence existence, long untilNanos) {}

    /// @param endpoint `unix:/path` or `host:port` of `auth-userdb`
    public DovecotMailboxes(String endpoint, LongSupplier nanos) {
        this.dovecot = new AuthClient(new AuthSocket(endpoint), () -> DIALECT);
        this.nanos = nanos;
    }

    /// Asks once, without a memory.
    ///
    /// @throws IOException when Dovecot cannot be reached, or does not answer the question
    public static Existence probe(String endpoint, Address mailbox) throws IOException {
        try (DovecotMailboxes once = new DovecotMailboxes(endpoint, System::nanoTime)) {
            return once.ask(mailbox);
        }
    }

    @Override
    public Existence find(Address mailbox) {
        Optional<Seen> before = remembered(mailbox);
        if (before.filter(answer -> answer.untilNanos() - nanos.getAsLong() > 0).isPresent()) {
            return before.get().existence();
        }
        try {
            Existence existence = ask(mailbox);
            remember(mailbox, existence);
            return existence;
        } catch (IOException trouble) {
            log.warn("event=mailbox-lookup-failed recipient={} error=\"{}\"", LogText.path(mailbox),
                    LogText.text(String.valueOf(trouble.getMessage())));
            return before.map(Seen::existence).filter(Existence.EXISTS::equals).orElse(Existence.UNCERTAIN);
        }
    }

    @Override
    public void close() {
        dovecot.close();
    }

    private synchronized Optional<Seen> remembered(Address mailbox) {
        return Optional.ofNullable(seen.get(mailbox));
    }

    private synchronized void remember(Address mailbox, Existence existence) {
        Duration keep = existence == Existence.EXISTS ? KNOWN : UNKNOWN;
        seen.put(mailbox, new Seen(existence, nanos.getAsLong() + keep.toNanos()));
    }

    private Existence ask(Address mailbox) throws IOException {
        AuthLine reply = dovecot.begin(
                id -> AuthLine.of("USER", String.valueOf(id), mailbox.toString(), "service=lmtp"), LIMIT).reply();
        return switch (reply.verb()) {
            case "USER" -> Existence.EXISTS;
            case "NOTFOUND" -> Existence.UNKNOWN;
            default -> throw new IOException("Dovecot cannot look up users"
                    + reply.value("reason").map(why -> ": " + why).orElse(""));
        };
    }
}
