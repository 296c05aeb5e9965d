package org.slipstream.console;

import org.slipstream.admin.ApiCaller;
import org.slipstream.core.order.Right;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// The visitors who have logged in, and the links that are not used yet. Both are in memory only and
/// have a bound; a restart of the server ends them.
///
/// A secret is the key of its entry as a hash, so a search takes the same time for each wrong guess.
final class Visitors {
    static final int MOST_SESSIONS = 200;
    static final int MOST_LINKS = 100;
    static final long LINK_MILLIS = 120_000;
    /// A session without a request ends after a working day.
    static final long IDLE_MILLIS = 8 * 3_600_000L;
    static final long SESSION_MILLIS = 7 * 86_400_000L;
    private static final int SECRET_OCTETS = 32;

    private final SecureRandom random = new SecureRandom();
    private final LongSupplier clockMillis;
    private final Map<String, Session> sessions = new LinkedHashMap<>();
    private final Map<String, Link> links = new LinkedHashMap<>();

    private static final class Session {
        final Visitor visitor;
        final long sinceMillis;
        long usedMillis;

        Session(Visitor visitor, long nowMillis) {
            this.visitor = visitor;
            this.sinceMillis = nowMillis;
            this.usedMillis = nowMillis;
        }
    }

    private record Link(ApiCaller caller, long untilMillis) {}

    Visitors(LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
    }

    /// The secret of a link that can be used once.
    synchronized String link(Right right, String author) {
        makeRoom(links, MOST_LINKS);
        String secret = secret();
        links.put(hash(secret), new Link(new ApiCaller(author, right, true), clockMillis.getAsLong() + LINK_MILLIS));
        return secret;
    }

    /// The caller of an unused link. The link is used then.
    synchronized Optional<ApiCaller> use(String secret) {
        return Optional.ofNullable(links.remove(hash(secret)))
                .filter(link -> link.untilMillis() >= clockMillis.getAsLong()).map(Link::caller);
    }

    /// Begins a session.
    ///
    /// @return the secret of its cookie
    synchronized String enter(ApiCaller caller) {
        makeRoom(sessions, MOST_SESSIONS);
        String secret = secret();
        sessions.put(hash(secret), new Session(Visitor.of(caller, secret()), clockMillis.getAsLong()));
        return secret;
    }

    synchronized Optional<Visitor> find(String secret) {
        long now = clockMillis.getAsLong();
        sessions.values().removeIf(
                session -> now - session.usedMillis > IDLE_MILLIS || now - session.sinceMillis > SESSION_MILLIS);
        Optional<Session> found = Optional.ofNullable(sessions.get(hash(secret)));
        found.ifPresent(session -> session.usedMillis = now);
        return found.map(session -> session.visitor);
    }

    synchronized void leave(String secret) {
        sessions.remove(hash(secret));
    }

    /// The oldest goes.
    private static void makeRoom(Map<String, ?> map, int most) {
        Iterator<String> oldest = map.keySet().iterator();
        while (map.size() >= most && oldest.hasNext()) {
            oldest.next();
            oldest.remove();
        }
    }

    private String secret() {
        byte[] octets = new byte[SECRET_OCTETS];
        random.nextBytes(octets);
        return HexFormat.of().formatHex(octets);
    }

    private static String hash(String secret) {
        try {
            return HexFormat.of().formatHex(
                    MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }
}
