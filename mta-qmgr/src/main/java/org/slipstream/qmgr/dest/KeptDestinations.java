package org.slipstream.qmgr.dest;

import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.HostRow.HostRowKind;
import org.slipstream.qmgr.wake.FailedDestinations;
import org.slipstream.qmgr.wake.KeptText;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.RateLimits;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedSet;

/// The state of destinations that outlives the process: the starts that count against a rate, and failures with the
/// times at which deferred mail wakes.
///
/// A change is not written with its delivery. Once a second the oldest [#AT_ONCE] changed destinations are written,
/// each with all its changes since, and the rest at the stop; so the store gets at most that number of records a
/// second, whatever the traffic. A kill loses the changes of the last second, or those of a few seconds when more
/// destinations change. At most [#MOST] destinations of each kind are kept.
final class KeptDestinations {
    static final int MOST = 2_000;
    static final int AT_ONCE = 100;
    static final long PAUSE_MILLIS = 1_000;

    private final RateLimits rates;
    private final FailedDestinations failures;
    private final SequencedSet<String> changedFailures = new LinkedHashSet<>();
    /// The end of each record in the store.
    private final Map<HostRowKind, Map<String, Long>> stored = new LinkedHashMap<>();
    private long nextMillis = Long.MIN_VALUE;

    KeptDestinations(RateLimits rates, FailedDestinations failures) {
        this.rates = rates;
        this.failures = failures;
        stored.put(HostRowKind.RATE, new LinkedHashMap<>());
        stored.put(HostRowKind.DEFERRED, new LinkedHashMap<>());
    }

    void failureChanged(String destination) {
        changedFailures.add(destination);
    }

    /// The time of the next [#changes]; `Long.MAX_VALUE` when nothing has changed.
    long nextMillis() {
        return changedFailures.isEmpty() && rates.changed().isEmpty() ? Long.MAX_VALUE : nextMillis;
    }

    /// The changes to write now.
    ///
    /// @param all of them, because the server stops
    List<HostRow.Change> changes(boolean all, long nowMillis) {
        if (!all && nextMillis() > nowMillis) {
            return List.of();
        }
        nextMillis = nowMillis + PAUSE_MILLIS;
        List<HostRow.Change> changes = new ArrayList<>();
        int most = all ? Integer.MAX_VALUE : AT_ONCE;
        while (changes.size() < most && !rates.changed().isEmpty()) {
            LimitKey key = rates.changed().removeFirst();
            keep(HostRowKind.RATE, name(key), rates.kept(key, nowMillis), nowMillis, changes);
        }
        while (changes.size() < most && !changedFailures.isEmpty()) {
            String name = changedFailures.removeFirst();
            keep(HostRowKind.DEFERRED, name, failures.kept(name, nowMillis), nowMillis, changes);
        }
        return changes;
    }

    private void keep(HostRowKind kind, String name, Optional<? extends KeptText> text, long nowMillis,
            List<HostRow.Change> changes) {
        Map<String, Long> known = Objects.requireNonNull(stored.get(kind));
        if (text.isEmpty()) {
            if (known.remove(name) != null) {
                changes.add(new HostRow.Change.Gone(name, kind));
            }
            return;
        }
        if (known.size() >= MOST && !known.containsKey(name)) {
            known.entrySet().stream().filter(each -> each.getValue() <= nowMillis).map(Map.Entry::getKey).toList()
                    .forEach(expired -> {
                        known.remove(expired);
                        changes.add(new HostRow.Change.Gone(expired, kind));
                    });
        }
        if (known.size() < MOST || known.containsKey(name)) {
            long until = text.get().expiresMillis();
            known.put(name, until);
            changes.add(new HostRow.Change.Put(
                    new HostRow(name, "", kind, nowMillis, until, 0, text.get().toString(), "")));
        }
    }

    /// A record of the run before. It is ignored when it is about a host, has expired, or has no meaning.
    void learn(HostRow row, long nowMillis) {
        boolean here = row.name().isEmpty();
        if (row.untilMillis() <= nowMillis) {
            return;
        }
        Optional<? extends KeptText> kept = switch (row.kind()) {
            case RATE -> KeptText.KeptStarts.parse(row.text());
            case DEFERRED -> KeptText.KeptFailure.parse(row.text());
            case CLOSED, RETRY, SUSPENDED, ONE_AT_A_TIME, CROWDED -> Optional.empty();
        };
        kept.ifPresent(each -> {
            switch (each) {
                case KeptText.KeptStarts starts -> rates.learn(key(row.host()), starts, here, nowMillis);
                case KeptText.KeptFailure failure -> failures.learn(row.host(), failure);
            }
            if (here) {
                Objects.requireNonNull(stored.get(row.kind())).put(row.host(), row.untilMillis());
            }
        });
    }

    // The name of a destination begins with that of its transport, which has no colon.
    private static String name(LimitKey rate) {
        return switch (rate) {
            case LimitKey.OfGroupRate(LimitKey.GroupKind kind, String name) ->
                SettingsRecords.word(kind) + ":" + name;
            case LimitKey.OfRate(String destination) -> destination;
            case LimitKey other -> throw new IllegalArgumentException("no rate: " + other);
        };
    }

    private static LimitKey key(String name) {
        for (LimitKey.GroupKind kind : LimitKey.GroupKind.values()) {
            String start = SettingsRecords.word(kind) + ":";
            if (name.startsWith(start)) {
                return new LimitKey.OfGroupRate(kind, name.substring(start.length()));
            }
        }
        return LimitKey.rate(name);
    }
}
