package org.slipstream.smtpin.auth;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Makes guessing passwords slow and short: each failure of a network costs it a longer wait, and
/// after some of them no client from there may try for a while.
///
/// Failures are forgotten one by one with time, so a user who mistypes now and then is never
/// banned; and a success forgets nothing, or a guesser would log in to an account of his own in
/// between. A ban is counted per client network, because one machine has a whole IPv6 subnet to
/// call from. The memory is bounded: beyond it the networks that were seen longest ago are
/// forgotten first, which helps a guesser only when he has more networks than we have places, and
/// then counting networks is no defence anyway.
///
/// Networks from which a user has logged in are kept separately, up to the same number. They are
/// admitted first when the server is full; their failed logins count like others.
public final class GuessGuard {
    private static final int NETWORKS = 10_000;
    /// The time of [#recentFailures].
    public static final int RECENT_MINUTES = 10;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    /// The settings of logins in the section `[submission]`.
    ///
    /// @param failedLoginDelay after the first failure; doubled by each further one
    /// @param longestFailedLoginDelay where doubling ends
    /// @param failedLogins before a ban
    /// @param failedLoginMemory until one failure is forgotten
    /// @param ban how long a ban lasts
    @SettingsSection("submission")
    public record GuessSettings(
            @Setting(value = "1s", max = "60s", expert = true,
                    doc = "How long the reply to a wrong password is delayed. Each further one doubles the"
                            + " delay.") Duration failedLoginDelay,
            @Setting(value = "8s", max = "300s", expert = true,
                    doc = "Longest delay of the reply to a wrong password.") Duration longestFailedLoginDelay,
            @Setting(value = "10", min = "1", max = "1000000", expert = true,
                    doc = "Wrong passwords from one address (IPv6: one /64) before logins from there are"
                            + " refused.") int failedLogins,
            @Setting(value = "3m", min = "1ms", expert = true,
                    doc = "After this time one wrong password is forgotten.") Duration failedLoginMemory,
            @Setting(value = "15m",
                    doc = "How long logins from there are refused.") Duration ban) {
        public static GuessSettings standard() {
            return SettingsRecords.defaults(GuessSettings.class);
        }
    }

    /// @param sinceNanos the start of the time after which the next failure is forgotten
    private record Seen(int failures, long sinceNanos, long bannedUntilNanos, boolean banned) {}

    private GuessSettings settings;
    private final LongSupplier nanos;
    private final Map<String, Seen> networks;
    private final Map<String, Boolean> welcome;
    private final long[] failuresOfMinute = new long[RECENT_MINUTES];
    private long minute;
    private long failures;

    public GuessGuard(GuessSettings settings, LongSupplier nanos) {
        this(settings, NETWORKS, nanos);
    }

    /// @param most networks that are remembered
    GuessGuard(GuessSettings settings, int most, LongSupplier nanos) {
        this.settings = settings;
        this.nanos = nanos;
        this.networks = bounded(most);
        this.welcome = bounded(most);
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

    /// Other settings. Failures and bans stay.
    public synchronized void change(GuessSettings others) {
        settings = others;
    }

    public synchronized boolean isBanned(String network) {
        Seen seen = networks.get(network);
        return seen != null && seen.banned() && seen.bannedUntilNanos() - nanos.getAsLong() > 0;
    }

    /// Counts a failure. @return the delay of the reply
    public synchronized long failedMillis(String network) {
        long now = nanos.getAsLong();
        failures++;
        forgetMinutes(now);
        failuresOfMinute[Math.floorMod(minute, RECENT_MINUTES)]++;
        Seen seen = networks.getOrDefault(network, new Seen(0, now, 0, false));
        long forgetNanos = Math.max(1, settings.failedLoginMemory().toNanos());
        long forgotten = (now - seen.sinceNanos()) / forgetNanos;
        int left = (int) Math.max(0, seen.failures() - forgotten);
        int failuresNow = left + 1;
        long since = left == 0 ? now : seen.sinceNanos() + forgotten * forgetNanos;
        boolean banned = failuresNow >= settings.failedLogins();
        networks.put(network, new Seen(failuresNow, since, now + settings.ban().toNanos(), banned));
        long doubled = settings.failedLoginDelay().toMillis() << Math.min(30, failuresNow - 1);
        return Math.min(settings.longestFailedLoginDelay().toMillis(), doubled);
    }

    private void forgetMinutes(long now) {
        long thisMinute = Math.floorDiv(now, MINUTE_NANOS);
        if (thisMinute - minute >= RECENT_MINUTES) {
            Arrays.fill(failuresOfMinute, 0);
        } else {
            for (long each = minute + 1; each <= thisMinute; each++) {
                failuresOfMinute[Math.floorMod(each, RECENT_MINUTES)] = 0;
            }
        }
        minute = thisMinute;
    }

    /// Failures since the start.
    public synchronized long failures() {
        return failures;
    }

    /// Failures of the last [#RECENT_MINUTES], from all networks together.
    public synchronized long recentFailures() {
        forgetMinutes(nanos.getAsLong());
        return Arrays.stream(failuresOfMinute).sum();
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
