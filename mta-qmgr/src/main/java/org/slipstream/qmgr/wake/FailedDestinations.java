package org.slipstream.qmgr.wake;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.Set;

/// The destinations whose mail was deferred, with the domains of that mail.
///
/// It outlives the queues of the destinations, because the mail of a failed destination sleeps on
/// disk. It serves three rules.
///
/// - New mail does not wake a destination that waits for its next attempt (ZM-38).
/// - After failures, the first delivery that works makes all mail of the destination due (ZM-09).
/// - A destination that is a thread has one wake-up time, that of its first deferred message (ZM-07).
///   The message that is tried then makes all deferred mail of the thread due. ZMailer tries all of
///   it with each new message, too; a host that defers what it does not know (greylisting) would get
///   the whole queue again with each message.
///
/// Both wake-ups share one pause: mail is made due at most once in that time, so neither an unstable
/// host nor one that defers each message causes a storm. Beyond [#MOST] destinations the oldest are
/// dropped; their mail waits for its own time.
public final class FailedDestinations {
    private static final int MOST = 10_000;
    private static final int MOST_DOMAINS = 100;

    private long pauseMillis;
    private final SequencedMap<String, Failure> byDestination = new LinkedHashMap<>();

    private static final class Failure {
        final Set<String> domains = new LinkedHashSet<>();
        boolean failed;
        long untilMillis;
        OptionalLong threadMillis = OptionalLong.empty();
        Optional<Long> wokenMillis = Optional.empty();

        void add(Collection<String> others) {
            others.stream().limit(MOST_DOMAINS - Math.min(MOST_DOMAINS, domains.size())).forEach(domains::add);
        }
    }

    /// @param pauseMillis until the next attempt of a failed destination, and between two wake-ups
    public FailedDestinations(long pauseMillis) {
        this.pauseMillis = pauseMillis;
    }

    public void change(long millis) {
        pauseMillis = millis;
    }

    private Failure of(String destination) {
        Failure failure = byDestination.computeIfAbsent(destination, _ -> new Failure());
        if (byDestination.size() > MOST) {
            byDestination.pollFirstEntry();
        }
        return failure;
    }

    public void failed(String destination, Set<String> domains, long nowMillis) {
        Failure failure = of(destination);
        failure.failed = true;
        failure.untilMillis = nowMillis + pauseMillis;
        failure.add(domains);
    }

    /// True from a failure to the first delivery that works.
    public boolean isFailed(String destination) {
        Failure failure = byDestination.get(destination);
        return failure != null && failure.failed;
    }

    /// A delivery worked. The result is the domains whose mail is to be made due, usually none.
    public List<String> worked(String destination, long nowMillis) {
        Failure failure = byDestination.get(destination);
        if (failure == null || !failure.failed) {
            return List.of();
        }
        failure.untilMillis = nowMillis;
        if (rests(failure, nowMillis)) {
            return List.of();
        }
        failure.failed = false;
        return wake(failure, nowMillis);
    }

    private boolean rests(Failure failure, long nowMillis) {
        return failure.wokenMillis.map(woken -> nowMillis - woken < pauseMillis).orElse(false);
    }

    private static List<String> wake(Failure failure, long nowMillis) {
        failure.wokenMillis = Optional.of(nowMillis);
        failure.threadMillis = OptionalLong.empty();
        return new ArrayList<>(failure.domains);
    }

    // ---- threads

    /// A message of a thread is deferred until this time.
    ///
    /// @param tried false for mail that waits for the thread, so that it does not make it earlier
    /// @return false when that changes nothing
    public boolean deferred(String destination, String domain, long nextMillis, boolean tried) {
        Failure failure = of(destination);
        boolean news = !failure.domains.contains(domain) && failure.domains.size() < MOST_DOMAINS;
        failure.add(List.of(domain));
        long before = failure.threadMillis.orElse(Long.MAX_VALUE);
        if (nextMillis < before && (tried || failure.threadMillis.isEmpty())) {
            failure.threadMillis = OptionalLong.of(nextMillis);
            return true;
        }
        return news;
    }

    /// A message of a thread is tried. The result is the domains whose mail is to be made due with it,
    /// usually none: new mail is tried by itself before the time of the thread.
    ///
    /// @param tried before: it may have company on the disk that this process does not know of, after a
    /// kill
    public List<String> due(String destination, Set<String> domains, boolean tried, long nowMillis) {
        if (!byDestination.containsKey(destination)) {
            if (!tried) {
                return List.of();
            }
            of(destination).threadMillis = OptionalLong.of(nowMillis);
        }
        Failure failure = byDestination.get(destination);
        if (failure == null || failure.threadMillis.orElse(Long.MAX_VALUE) > nowMillis
                || rests(failure, nowMillis)) {
            return List.of();
        }
        failure.add(domains);
        return wake(failure, nowMillis);
    }

    /// The wake-up time of a thread; empty when none of its mail is known to be deferred.
    public OptionalLong threadMillis(String destination) {
        Failure failure = byDestination.get(destination);
        return failure == null ? OptionalLong.empty() : failure.threadMillis;
    }

    /// The wake-up time of the thread with mail for this domain that wakes first.
    public OptionalLong threadOfMillis(String domain) {
        return byDestination.values().stream()
                .filter(each -> each.threadMillis.isPresent() && each.domains.contains(domain))
                .mapToLong(each -> each.threadMillis.getAsLong()).min();
    }

    /// The time of the next attempt; empty when the destination does not wait for one.
    public Optional<Long> waitsUntil(String destination, long nowMillis) {
        return Optional.ofNullable(byDestination.get(destination)).filter(failure -> failure.failed)
                .map(failure -> failure.untilMillis).filter(until -> until > nowMillis);
    }

    // ---- kept over a restart

    /// Empty when nothing of the destination is worth keeping.
    public Optional<KeptText.KeptFailure> kept(String destination, long nowMillis) {
        return Optional.ofNullable(byDestination.get(destination))
                .filter(failure -> failure.failed || failure.threadMillis.isPresent() || rests(failure, nowMillis))
                .map(failure -> KeptText.KeptFailure.of(
                        failure.failed ? OptionalLong.of(failure.untilMillis) : OptionalLong.empty(),
                        failure.threadMillis,
                        failure.wokenMillis.map(OptionalLong::of).orElse(OptionalLong.empty()), failure.domains));
    }

    /// Several shards may have kept the same destination: it fails until the latest of their times, and wakes at the
    /// earliest.
    public void learn(String destination, KeptText.KeptFailure kept) {
        Failure failure = of(destination);
        failure.add(kept.domains());
        kept.failedUntilMillis().ifPresent(until -> {
            failure.failed = true;
            failure.untilMillis = Math.max(failure.untilMillis, until);
        });
        kept.threadMillis().ifPresent(wakes -> failure.threadMillis = OptionalLong
                .of(Math.min(failure.threadMillis.orElse(Long.MAX_VALUE), wakes)));
        kept.wokenMillis().ifPresent(woken -> failure.wokenMillis = Optional
                .of(Math.max(failure.wokenMillis.orElse(0L), woken)));
    }

    /// An operator's flush of everything: no destination waits any more.
    public void flush(long nowMillis) {
        byDestination.values().forEach(failure -> failure.untilMillis = nowMillis);
    }
}
