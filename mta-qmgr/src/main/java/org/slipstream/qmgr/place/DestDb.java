package org.slipstream.qmgr.place;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.HostKey;
import org.slipstream.core.Reply;
import org.slipstream.core.text.Controls;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.HostRow.HostRowKind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The destination database: what is known about each host, with one record per host, not per
/// domain. Lookups never return expired records.
///
/// A domain is part of an address; a host can be down, slow or busy, and serves many domains. So
/// what one delivery learns about a host, every later delivery to that host can use.
///
/// **Records.** *Retry*: the host failed, and may be tried again from a given time. *Closed*: the
/// host worked; the time of its latest connection, so that the hosts of a cluster take turns. *No
/// record*: unused, the state of nearly all hosts. Active and idle hosts are in [ConnectionBook].
/// Beside Finch's states there are an operator's suspension (*suspended*) and two facts from
/// sessions (*one at a time*, *crowded*).
///
/// **Expiry.** A record that is not renewed expires (FI-33): a closed one after a configured time,
/// a retry record when it has been due as long as it was not. The second rule matters for
/// placement: a due host is the last choice, so under low load only expiry returns a failed host to
/// the others. Operators still see a failed host after that
/// ([PlaceRules.RecordLifetimes#told]), as long as mail deferred because of it may wait for
/// its next attempt.
///
/// Records may come from the spool after a restart or from another node ([#learn], FI-39), and
/// changes can be exported ([#changes]). Records of one host are merged by the later expiry; a
/// successful connection of this node clears a failure only here.
///
/// Lookups are O(1), expiry O(log n) per record. Not thread-safe.
public final class DestDb {
    private static final HostState UNUSED = new HostState.Unused();

    private PlaceRules.RecordLifetimes rules;
    private final Map<HostKey, SequencedMap<HostRowKind, HostRecord>> records = new LinkedHashMap<>();
    private final SortedSet<HostKey> suspended = new TreeSet<>();
    private final Map<HostKey, HostState.Crowded> crowded = new LinkedHashMap<>();
    private final TreeSet<Expiry> expiries = new TreeSet<>(Comparator.comparingLong(Expiry::atMillis)
            .thenComparing(Expiry::host).thenComparing(Expiry::kind));
    private final SequencedMap<String, HostRow.Change> changes = new LinkedHashMap<>();

    /// Suspensions that ended or were replaced since the last [#resumed].
    private final SequencedSet<HostKey> resumed = new LinkedHashSet<>();

    /// A record with the host's latest name and the time of its expiry.
    private record HostRecord(HostState state, String name, long expiresMillis) {}

    private record Expiry(long atMillis, HostKey host, HostRowKind kind) {}

    public DestDb(PlaceRules.RecordLifetimes rules) {
        this.rules = rules;
    }

    /// Other lifetimes, for records from now on.
    void change(PlaceRules.RecordLifetimes others) {
        rules = others;
    }

    // ---- queries of the placement algorithm

    /// The state of a host without connections: closed, unused or retry; a retry state may not be
    /// due yet.
    public HostState mark(HostKey host, long nowMillis) {
        Optional<HostState> retry = state(host, HostRowKind.RETRY, nowMillis);
        if (retry.isPresent()) {
            HostState.Retry known = (HostState.Retry) retry.get();
            boolean forgiven = rules.retryLast() ? known.isForgiven(nowMillis) : known.isDue(nowMillis);
            return forgiven ? UNUSED : known;
        }
        return rules.trackClosed() ? state(host, HostRowKind.CLOSED, nowMillis).orElse(UNUSED) : UNUSED;
    }

    public Optional<HostState.Suspended> suspension(HostKey host, long nowMillis) {
        return state(host, HostRowKind.SUSPENDED, nowMillis).map(HostState.Suspended.class::cast);
    }

    public Optional<HostState.Crowded> crowd(HostKey host, long nowMillis) {
        return Optional.ofNullable(crowded.get(host)).filter(state -> state.untilMillis() > nowMillis);
    }

    public Optional<HostState.OneAtATime> oneAtATime(HostKey host, long nowMillis) {
        return state(host, HostRowKind.ONE_AT_A_TIME, nowMillis).map(HostState.OneAtATime.class::cast);
    }

    private Optional<HostState> state(HostKey host, HostRowKind kind, long nowMillis) {
        SequencedMap<HostRowKind, HostRecord> known = records.get(host);
        return known == null
                ? Optional.empty()
                : Optional.ofNullable(known.get(kind)).filter(record -> record.expiresMillis() > nowMillis)
                        .map(HostRecord::state);
    }

    // ---- results of connections

    /// A connection failed, and no other connection to the host is up.
    ///
    /// @param hintMillis the delay that the host requested; it can only lengthen the interval
    public void broken(Candidate host, Reply reason, OptionalLong hintMillis, long nowMillis) {
        int before = state(host.host(), HostRowKind.RETRY, nowMillis).map(state -> ((HostState.Retry) state).failures())
                .orElse(0);
        long until = nowMillis + Math.max(rules.retry().toMillis(), hintMillis.orElse(0));
        drop(host.host(), HostRowKind.CLOSED);
        crowdEnds(host.host());
        put(host.host(), host.name(), HostRowKind.RETRY, new HostState.Retry(nowMillis, until, before + 1, reason));
    }

    /// A connection failed while others were up.
    public void refusedMore(Candidate host, Reply reason, long nowMillis) {
        HostState.Crowded state = new HostState.Crowded(nowMillis + rules.crowded().toMillis(), reason);
        crowded.put(host.host(), state);
        changed(HostRowKind.CROWDED, new HostRow.Change.Put(new HostRow(host.host().toString(), host.name(),
                HostRowKind.CROWDED, nowMillis, state.untilMillis(), 0, text(reason), "")));
    }

    /// True when the host was crowded.
    boolean crowdEnds(HostKey host) {
        boolean was = crowded.remove(host) != null;
        if (was) {
            changed(HostRowKind.CROWDED, new HostRow.Change.Gone(host.toString(), HostRowKind.CROWDED));
        }
        return was;
    }

    /// A connection is up, so the retry record is cleared.
    public void works(HostKey host) {
        drop(host, HostRowKind.RETRY);
    }

    /// The last connection is closed.
    public void closed(Candidate host, long openedMillis, long nowMillis) {
        if (rules.trackClosed()) {
            put(host.host(), host.name(), HostRowKind.CLOSED, new HostState.Closed(openedMillis, nowMillis));
        }
    }

    public void breaksUnderPipelining(Candidate host, String what, long nowMillis) {
        put(host.host(), host.name(), HostRowKind.ONE_AT_A_TIME,
                new HostState.OneAtATime(nowMillis, Controls.onOneLine(what)));
    }

    // ---- operators

    /// Failed and crowded hosts may be tried again at once. The failures and their number stay
    /// recorded.
    public void makeDue(long nowMillis) {
        crowded.clear();
        List.copyOf(records.keySet()).forEach(host -> makeDue(host, Long.MAX_VALUE, nowMillis));
    }

    /// The same for one host, if it failed before `requestedMillis`. True when it was not due.
    public boolean makeDue(HostKey host, long requestedMillis, long nowMillis) {
        Optional<HostRecord> known = Optional.ofNullable(records.get(host)).map(kinds -> kinds.get(HostRowKind.RETRY));
        if (known.isPresent() && known.get().state() instanceof HostState.Retry retry && !retry.isDue(nowMillis)
                && retry.sinceMillis() < requestedMillis) {
            HostState due = new HostState.Retry(retry.sinceMillis(), nowMillis, retry.failures(), retry.last());
            put(host, known.get().name(), HostRowKind.RETRY, due);
            return true;
        }
        return false;
    }

    public void suspend(HostKey host, String why, String author, long untilMillis, long nowMillis) {
        put(host, name(host), HostRowKind.SUSPENDED,
                new HostState.Suspended(nowMillis, untilMillis, Controls.onOneLine(why), Controls.onOneLine(author)));
    }

    /// The suspended hosts, in order. The cost depends on their number only.
    public SequencedMap<HostKey, HostState.Suspended> suspended(long nowMillis) {
        SequencedMap<HostKey, HostState.Suspended> all = new LinkedHashMap<>();
        suspended.forEach(host -> suspension(host, nowMillis).ifPresent(state -> all.put(host, state)));
        return all;
    }

    /// True when it was suspended.
    public boolean resume(HostKey host) {
        return drop(host, HostRowKind.SUSPENDED);
    }

    /// Deletes all records of the host except a suspension, which only [#resume] ends. True when
    /// there was one.
    public boolean forget(HostKey host) {
        boolean any = crowdEnds(host);
        for (HostRowKind kind : List.of(HostRowKind.CLOSED, HostRowKind.RETRY, HostRowKind.ONE_AT_A_TIME)) {
            any |= drop(host, kind);
        }
        return any;
    }

    /// The latest name of the host, empty without a record.
    public String name(HostKey host) {
        SequencedMap<HostRowKind, HostRecord> known = records.get(host);
        return known == null ? "" : known.lastEntry().getValue().name();
    }

    /// All records, by host.
    public SequencedMap<HostKey, List<HostState>> list(long nowMillis) {
        SequencedMap<HostKey, List<HostState>> all = new TreeMap<>();
        records.forEach((host, known) -> {
            List<HostState> states = known.values().stream().filter(record -> record.expiresMillis() > nowMillis)
                    .map(HostRecord::state).toList();
            if (!states.isEmpty()) {
                all.put(host, states);
            }
        });
        crowded.forEach((host, state) -> {
            if (state.untilMillis() > nowMillis) {
                List<HostState> states = new ArrayList<>(all.getOrDefault(host, List.of()));
                states.add(state);
                all.put(host, states);
            }
        });
        return all;
    }

    // ---- time

    /// Removes expired records. Query results never depend on it.
    public void collect(long nowMillis) {
        while (!expiries.isEmpty() && expiries.getFirst().atMillis() <= nowMillis) {
            Expiry due = expiries.getFirst();
            drop(due.host(), due.kind());
        }
        crowded.values().removeIf(state -> state.untilMillis() <= nowMillis);
    }

    public int size() {
        return records.size();
    }

    private long expiresMillis(HostState state) {
        return switch (state) {
            case HostState.Closed closed -> closed.closedMillis() + rules.closed().toMillis();
            case HostState.Retry retry -> Math.max(retry.forgivenMillis(),
                    retry.untilMillis() + rules.told().toMillis());
            case HostState.Suspended suspended -> suspended.untilMillis();
            case HostState.OneAtATime oneAtATime -> oneAtATime.sinceMillis() + rules.habit().toMillis();
            case HostState.Active _,HostState.Idle _,HostState.Unused _,HostState.Crowded _ ->
                throw new IllegalArgumentException("no record: " + state);
        };
    }

    private void put(HostKey host, String name, HostRowKind kind, HostState state) {
        drop(host, kind);
        HostRecord record = new HostRecord(state, name, expiresMillis(state));
        records.computeIfAbsent(host, _ -> new TreeMap<>()).put(kind, record);
        if (kind == HostRowKind.SUSPENDED) {
            suspended.add(host);
        }
        if (record.expiresMillis() < Long.MAX_VALUE) {
            expiries.add(new Expiry(record.expiresMillis(), host, kind));
        }
        changed(kind, new HostRow.Change.Put(row(host, kind, record)));
    }

    private boolean drop(HostKey host, HostRowKind kind) {
        SequencedMap<HostRowKind, HostRecord> known = records.get(host);
        if (known == null) {
            return false;
        }
        HostRecord gone = known.remove(kind);
        if (gone == null) {
            return false;
        }
        expiries.remove(new Expiry(gone.expiresMillis(), host, kind));
        if (known.isEmpty()) {
            records.remove(host);
        }
        if (kind == HostRowKind.SUSPENDED) {
            suspended.remove(host);
            resumed.add(host);
        }
        changed(kind, new HostRow.Change.Gone(host.toString(), kind));
        return true;
    }

    // ---- export and import, for the spool and for other nodes

    /// All records, in order of hosts.
    public List<HostRow> export(long nowMillis) {
        List<HostRow> rows = new ArrayList<>();
        new TreeMap<>(records).forEach((host, known) -> known.forEach((kind, record) -> {
            if (record.expiresMillis() > nowMillis) {
                rows.add(row(host, kind, record));
            }
        }));
        return rows;
    }

    /// The changes since the previous call, one for each host and kind, without closed hosts.
    public List<HostRow.Change> changes() {
        List<HostRow.Change> all = List.copyOf(changes.values());
        changes.clear();
        return all;
    }

    /// The hosts whose suspension ended or was replaced since the previous call, here or in another
    /// shard, and the hosts that are still suspended. Mail whose hosts were all suspended names one of
    /// them, so it may wait for the wrong one. Empty when no suspension ended.
    SequencedSet<HostKey> resumed(long nowMillis) {
        SequencedSet<HostKey> hosts = new LinkedHashSet<>(resumed);
        if (!hosts.isEmpty()) {
            resumed.clear();
            hosts.addAll(suspended(nowMillis).keySet());
        }
        return hosts;
    }

    public boolean hasChanges() {
        return !changes.isEmpty();
    }

    private void changed(HostRowKind kind, HostRow.Change change) {
        if (kind != HostRowKind.CLOSED) {
            String host = switch (change) {
                case HostRow.Change.Put(HostRow row) -> row.host();
                case HostRow.Change.Gone gone -> gone.host();
            };
            changes.put(kind + " " + host, change);
        }
    }

    /// Imports a record from the spool or from another node. One that is older than the local
    /// record, or invalid, is ignored. It is not reported by [#changes].
    public void learn(HostRow row, long nowMillis) {
        Optional<HostKey> host = HostKey.parse(row.host());
        Optional<HostState> state = state(row);
        if (host.isEmpty() || state.isEmpty() || expiresMillis(state.get()) <= nowMillis
                || isAheadOfTheClock(state.get(), nowMillis)) {
            return;
        }
        boolean newer = state(host.get(), row.kind(), nowMillis)
                .map(known -> expiresMillis(known) < expiresMillis(state.get())).orElse(true);
        if (newer) {
            put(host.get(), row.name(), row.kind(), state.get());
            changes.remove(row.kind() + " " + row.host());
        }
    }

    /// Applies a change of another shard. The latest change applies, whatever came before, but not a
    /// failure that is older than one of this shard. It is not reported by [#changes], so that
    /// shards do not answer each other.
    public void learn(HostRow.Change change, long nowMillis) {
        switch (change) {
            case HostRow.Change.Put(HostRow row) when row.kind() == HostRowKind.CROWDED -> crowd(row);
            case HostRow.Change.Put(HostRow row) -> replace(row, nowMillis);
            case HostRow.Change.Gone(String host, HostRowKind kind) when kind == HostRowKind.CROWDED ->
                HostKey.parse(host).ifPresent(crowded::remove);
            case HostRow.Change.Gone(String host, HostRowKind kind) -> {
                HostKey.parse(host).ifPresent(key -> drop(key, kind));
                changes.remove(kind + " " + host);
            }
        }
    }

    private void crowd(HostRow row) {
        HostKey.parse(row.host()).ifPresent(host -> reply(row.text())
                .ifPresent(reply -> crowded.put(host, new HostState.Crowded(row.untilMillis(), reply))));
    }

    private void replace(HostRow row, long nowMillis) {
        Optional<HostKey> host = HostKey.parse(row.host());
        Optional<HostState> state = state(row);
        if (host.isEmpty() || state.isEmpty() || expiresMillis(state.get()) <= nowMillis
                || isAheadOfTheClock(state.get(), nowMillis)) {
            return;
        }
        boolean older = state(host.get(), row.kind(), nowMillis)
                .filter(HostState.Retry.class::isInstance).map(HostState.Retry.class::cast)
                .filter(known -> known.sinceMillis() > row.sinceMillis()).isPresent();
        if (!older) {
            put(host.get(), row.name(), row.kind(), state.get());
            changes.remove(row.kind() + " " + row.host());
        }
    }

    // After a clock that went back, the host would stay excluded for that time.
    private static boolean isAheadOfTheClock(HostState state, long nowMillis) {
        return state instanceof HostState.Retry retry && retry.sinceMillis() > nowMillis;
    }

    private static HostRow row(HostKey host, HostRowKind kind, HostRecord record) {
        String key = host.toString();
        return switch (record.state()) {
            case HostState.Closed s ->
                new HostRow(key, record.name(), kind, s.openedMillis(), s.closedMillis(), 0, "", "");
            case HostState.Retry s -> new HostRow(key, record.name(), kind, s.sinceMillis(), s.untilMillis(),
                    s.failures(), text(s.last()), "");
            case HostState.Suspended s ->
                new HostRow(key, record.name(), kind, s.sinceMillis(), s.untilMillis(), 0, s.why(), s.author());
            case HostState.OneAtATime s ->
                new HostRow(key, record.name(), kind, s.sinceMillis(), Long.MAX_VALUE, 0, s.what(), "");
            case HostState.Active _,HostState.Idle _,HostState.Unused _,HostState.Crowded _ ->
                throw new IllegalStateException("no record: " + record);
        };
    }

    private static Optional<HostState> state(HostRow row) {
        return switch (row.kind()) {
            case CLOSED -> Optional.of(new HostState.Closed(row.sinceMillis(), row.untilMillis()));
            case RETRY -> reply(row.text())
                    .map(reply -> new HostState.Retry(row.sinceMillis(), row.untilMillis(), row.count(), reply));
            case SUSPENDED -> Optional
                    .of(new HostState.Suspended(row.sinceMillis(), row.untilMillis(), row.text(), row.author()));
            case ONE_AT_A_TIME -> Optional.of(new HostState.OneAtATime(row.sinceMillis(), row.text()));
            case CROWDED, DEFERRED, RATE -> Optional.empty();
        };
    }

    private static String text(Reply reply) {
        return reply.code() + " " + reply.status().map(Object::toString).orElse("-") + " " + reply.text();
    }

    private static Optional<Reply> reply(String text) {
        String[] parts = text.split(" ", 3);
        if (parts.length < 3 || !parts[0].matches("[245]\\d\\d")) {
            return Optional.empty();
        }
        return Optional.of(
                new Reply(Integer.parseInt(parts[0]), EnhancedStatus.parse(parts[1]), List.of(parts[2])));
    }
}
