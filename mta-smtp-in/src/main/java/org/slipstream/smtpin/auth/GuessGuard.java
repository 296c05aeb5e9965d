package org.slipstream.smtpin.auth;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Slows down password guessing per client network: each failed login of a network delays its reply longer, and
/// after several failures the network is banned for a while. Thread-safe.
///
/// Failures are forgotten one by one with time, so a user who mistypes now and then is never banned. A
/// successful login clears nothing, or an attacker would log in to an account of his own in between. The
/// count is per network, because one machine has a whole IPv6 subnet. Memory is bounded: beyond it the least
/// recently seen networks are evicted. That helps only an attacker with more networks than are kept, and
/// against such an attacker counting networks is no defence anyway.
///
/// Networks from which a user has logged in are kept separately, up to the same number. They are admitted
/// first when the server is full; their failed logins count like others.
public final class GuessGuard {
    /// @param delayMillis after the first failure; doubled by each further one
    /// @param longestDelayMillis the maximum
    /// @param failures before a ban
    /// @param forgetMillis until one failure is forgotten
    /// @param banMillis how long a ban lasts
    /// @param networks how many are kept
    public record Settings(long delayMillis, long longestDelayMillis, int failures, long forgetMillis, long banMillis,
            int networks) {
        public static Settings standard() {
            return new Settings(1_000, 8_000, 10, 180_000, 900_000, 10_000);
        }
    }

    /// @param sinceNanos the start of the time after which the next failure is forgotten
    private record Seen(int failures, long sinceNanos, long bannedUntilNanos, boolean banned) {}

    private final Settings settings;
    private final long forgetNanos;
    private final LongSupplier nanos;
    private final Map<String, Seen> networks;
    private final Map<String, Boolean> welcome;

    public GuessGuard(Settings settings, LongSupplier nanos) {
        this.settings = settings;
        this.forgetNanos = Math.max(1, settings.forgetMillis() * 1_000_000);
        this.nanos = nanos;
        this.networks = bounded(settings.networks());
        this.welcome = bounded(settings.networks());
    }

    private static <V> Map<String, V> bounded(int most) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > most;
            }
        };
    }

    public synchronized boolean isBanned(String network) {
        Seen seen = networks.get(network);
        return seen != null && seen.banned() && seen.bannedUntilNanos() - nanos.getAsLong() > 0;
    }

    /// Counts a failure. @return the delay of the reply
    public synchronized long failedMillis(String network) {
        long now = nanos.getAsLong();
        Seen seen = networks.getOrDefault(network, new Seen(0, now, 0, false));
        long forgotten = (now - seen.sinceNanos()) / forgetNanos;
        int left = (int) Math.max(0, seen.failures() - forgotten);
        int failures = left + 1;
        long since = left == 0 ? now : seen.sinceNanos() + forgotten * forgetNanos;
        boolean banned = failures >= settings.failures();
        networks.put(network, new Seen(failures, since, now + settings.banMillis() * 1_000_000, banned));
        long doubled = settings.delayMillis() << Math.min(30, failures - 1);
        return Math.min(settings.longestDelayMillis(), doubled);
    }

    /// Records that a user has logged in from the network.
    public synchronized void loggedIn(String network) {
        welcome.put(network, true);
    }

    /// True when a user has logged in from the network and it is still kept.
    public synchronized boolean hasLoggedIn(String network) {
        return welcome.containsKey(network);
    }

    /// The number of networks with failures.
    public synchronized int size() {
        return networks.size();
    }
}
