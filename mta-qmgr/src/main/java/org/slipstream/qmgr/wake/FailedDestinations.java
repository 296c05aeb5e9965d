package org.slipstream.qmgr.wake;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// The destinations that failed and have not worked since, with the domains of their mail.
///
/// It outlives the queues of the destinations, because the mail of a failed destination sleeps on
/// disk. It serves two rules: new mail does not wake a destination that waits for its next attempt
/// (ZM-38), and the first delivery that works makes all mail of the destination due (ZM-09), at
/// most once per pause, so that an unstable host causes no storm. Beyond [#MOST] destinations the
/// oldest are dropped; their mail waits for its own time.
public final class FailedDestinations {
    private static final int MOST = 10_000;
    private static final int MOST_DOMAINS = 100;

    private long pauseMillis;
    private final SequencedMap<String, Failure> byDestination = new LinkedHashMap<>();

    private static final class Failure {
        final Set<String> domains = new LinkedHashSet<>();
        boolean failed;
        long untilMillis;
        Optional<Long> wokenMillis = Optional.empty();
    }

    /// @param pauseMillis until the next attempt of a failed destination, and between two wake-ups
    public FailedDestinations(long pauseMillis) {
        this.pauseMillis = pauseMillis;
    }

    public void change(long millis) {
        pauseMillis = millis;
    }

    public void failed(String destination, Set<String> domains, long nowMillis) {
        Failure failure = byDestination.computeIfAbsent(destination, _ -> new Failure());
        failure.failed = true;
        failure.untilMillis = nowMillis + pauseMillis;
        domains.stream().limit(MOST_DOMAINS - Math.min(MOST_DOMAINS, failure.domains.size()))
                .forEach(failure.domains::add);
        if (byDestination.size() > MOST) {
            byDestination.pollFirstEntry();
        }
    }

    /// A delivery worked. The result is the domains whose mail is to be made due, usually none.
    public List<String> worked(String destination, long nowMillis) {
        Failure failure = byDestination.get(destination);
        if (failure == null || !failure.failed) {
            return List.of();
        }
        failure.untilMillis = nowMillis;
        if (failure.wokenMillis.map(woken -> nowMillis - woken < pauseMillis).orElse(false)) {
            return List.of();
        }
        failure.failed = false;
        failure.wokenMillis = Optional.of(nowMillis);
        return new ArrayList<>(failure.domains);
    }

    /// The time of the next attempt; empty when the destination does not wait for one.
    public Optional<Long> waitsUntil(String destination, long nowMillis) {
        return Optional.ofNullable(byDestination.get(destination)).filter(failure -> failure.failed)
                .map(failure -> failure.untilMillis).filter(until -> until > nowMillis);
    }

    /// An operator's flush of everything: no destination waits any more.
    public void flush(long nowMillis) {
        byDestination.values().forEach(failure -> failure.untilMillis = nowMillis);
    }
}
