package org.slipstream.qmgr.place;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.HostKey;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.place.HostRow.Kind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The database of destinations: one record per host, not per domain.
///
/// A domain is a name in an address; what can be down, slow or busy is a host, and hosts serve many domains. So what one
/// letter learned at a host's cost every later letter to any domain there has for nothing.
///
/// **What a record says.** *Retry*: the host failed, and from when on it may be tried again. *Closed*: it worked; when its last
/// connection was made, so that a cluster is gone through in turn. *No record*: unused, the state of nearly all hosts of the
/// world. Active and idle are no records: [ConnectionBook] knows. Beside those of the source stand what an operator wants
/// (*suspended*) and what the wire has learned (*one at a time*, *crowded*).
///
/// **Garbage.** A record that is not renewed is forgotten (FI-33): a closed one after a time of its own, a broken one when it has
/// been due as long as it was not. That is more than tidiness: a due host is the ladder's last choice, so under low load it
/// is only forgetting that brings a broken host back among the others. The ladder forgets a broken host then; operators still see it
/// ([PlaceRules.Memory#toldMillis]) as long as mail that was deferred because of it may wait for its next attempt.
///
/// A record may come from elsewhere, from the spool after a restart or from another node ([#learn], FI-39), and what
/// happens here can be passed on ([#changes]). Facts of hosts are merged by taking the later end; a node's own experience
/// that a host works ends a failure only here.
///
/// Look-ups are O(1), garbage O(log n) per record. Not for several threads.
public final class DestDb {
    private static final HostState UNUSED = new HostState.Unused();

    private final PlaceRules.Memory rules;
    private final Map<HostKey, SequencedMap<Kind, Note>> notes = new LinkedHashMap<>();
    private final SortedSet<HostKey> suspended = new TreeSet<>();
    private final Map<HostKey, HostState.Crowded> crowded = new LinkedHashMap<>();
    private final TreeSet<Expiry> expiries = new TreeSet<>(Comparator.comparingLong(Expiry::atMillis)
            .thenComparing(Expiry::host).thenComparing(Expiry::kind));
    private final SequencedMap<String, HostRow.Change> changes = new LinkedHashMap<>();

    /// A record, what the host was called, and when it is forgotten.
    private record Note(HostState state, String name, long expiresMillis) {}

    private record Expiry(long atMillis, HostKey host, Kind kind) {}

    public DestDb(PlaceRules.Memory rules) {
        this.rules = rules;
    }

    // ---- what the ladder asks

    /// The record of a host without connections: closed, unused or retry; a broken host whose time has not come is retry,
    /// too, and not due.
    public HostState mark(HostKey host, long nowMillis) {
        Optional<HostState> retry = state(host, Kind.RETRY, nowMillis);
        if (retry.isPresent()) {
            HostState.Retry known = (HostState.Retry) retry.get();
            boolean forgiven = rules.retryLast() ? known.isForgiven(nowMillis) : known.isDue(nowMillis);
            return forgiven ? UNUSED : known;
        }
        return rules.trackClosed() ? state(host, Kind.CLOSED, nowMillis).orElse(UNUSED) : UNUSED;
    }

    public Optional<HostState.Suspended> suspension(HostKey host, long nowMillis) {
        return state(host, Kind.SUSPENDED, nowMillis).map(HostState.Suspended.class::cast);
    }

    public Optional<HostState.Crowded> crowd(HostKey host, long nowMillis) {
        return Optional.ofNullable(crowded.get(host)).filter(state -> state.untilMillis() > nowMillis);
    }

    public Optional<HostState.OneAtATime> habit(HostKey host, long nowMillis) {
        return state(host, Kind.ONE_AT_A_TIME, nowMillis).map(HostState.OneAtATime.class::cast);
    }

    private Optional<HostState> state(HostKey host, Kind kind, long nowMillis) {
        SequencedMap<Kind, Note> known = notes.get(host);
        return known == null
                ? Optional.empty()
                : Optional.ofNullable(known.get(kind)).filter(note -> note.expiresMillis() > nowMillis)
                        .map(Note::state);
    }

    // ---- what connections teach

    /// A connection failed, and no other one works.
    ///
    /// @param hintMillis the host's own wish; may only lengthen the delay
    public void broken(Candidate host, Reply reason, OptionalLong hintMillis, long nowMillis) {
        int before = state(host.host(), Kind.RETRY, nowMillis).map(state -> ((HostState.Retry) state).failures())
                .orElse(0);
        long until = nowMillis + Math.max(rules.retry().toMillis(), hintMillis.orElse(0));
        drop(host.host(), Kind.CLOSED);
        crowded.remove(host.host());
        put(host.host(), host.name(), Kind.RETRY, new HostState.Retry(nowMillis, until, before + 1, reason));
    }

    /// A connection failed while others worked.
    public void refusedMore(Candidate host, Reply reason, long nowMillis) {
        crowded.put(host.host(), new HostState.Crowded(nowMillis + rules.crowded().toMillis(), reason));
    }

    /// A connection is up: the host is not broken.
    public void works(HostKey host) {
        drop(host, Kind.RETRY);
    }

    /// The last connection is closed.
    public void closed(Candidate host, long openedMillis, long nowMillis) {
        crowded.remove(host.host());
        if (rules.trackClosed()) {
            put(host.host(), host.name(), Kind.CLOSED, new HostState.Closed(openedMillis, nowMillis));
        }
    }

    public void breaksUnderPipelining(Candidate host, String what, long nowMillis) {
        put(host.host(), host.name(), Kind.ONE_AT_A_TIME, new HostState.OneAtATime(nowMillis, printable(what)));
    }

    private static String printable(String text) {
        return text.replace('\r', ' ').replace('\n', ' ');
    }

    // ---- what operators do

    /// Broken and crowded hosts may be tried again at once. That they failed, and how often, stays known.
    public void makeDue(long nowMillis) {
        crowded.clear();
        List.copyOf(notes.keySet()).forEach(host -> makeDue(host, Long.MAX_VALUE, nowMillis));
    }

    /// The same for one host, if it failed before `wishedMillis`.
    public void makeDue(HostKey host, long wishedMillis, long nowMillis) {
        Optional<Note> known = Optional.ofNullable(notes.get(host)).map(kinds -> kinds.get(Kind.RETRY));
        if (known.isPresent() && known.get().state() instanceof HostState.Retry retry && !retry.isDue(nowMillis)
                && retry.sinceMillis() < wishedMillis) {
            HostState due = new HostState.Retry(retry.sinceMillis(), nowMillis, retry.failures(), retry.last());
            put(host, known.get().name(), Kind.RETRY, due);
        }
    }

    public void suspend(HostKey host, String why, String author, long untilMillis, long nowMillis) {
        put(host, name(host), Kind.SUSPENDED,
                new HostState.Suspended(nowMillis, untilMillis, printable(why), printable(author)));
    }

    /// The hosts that are suspended, in order. They are few, and no other host is looked at.
    public SequencedMap<HostKey, HostState.Suspended> suspended(long nowMillis) {
        SequencedMap<HostKey, HostState.Suspended> all = new LinkedHashMap<>();
        suspended.forEach(host -> suspension(host, nowMillis).ifPresent(state -> all.put(host, state)));
        return all;
    }

    /// True when it was suspended.
    public boolean resume(HostKey host) {
        return drop(host, Kind.SUSPENDED);
    }

    /// Everything that is known of it, but for a suspension, which only [#resume] ends. True when there was something.
    public boolean forget(HostKey host) {
        boolean any = crowded.remove(host) != null;
        for (Kind kind : List.of(Kind.CLOSED, Kind.RETRY, Kind.ONE_AT_A_TIME)) {
            any |= drop(host, kind);
        }
        return any;
    }

    /// What the host was called last, empty when there is no record.
    public String name(HostKey host) {
        SequencedMap<Kind, Note> known = notes.get(host);
        return known == null ? "" : known.lastEntry().getValue().name();
    }

    /// All that is known, by host.
    public SequencedMap<HostKey, List<HostState>> list(long nowMillis) {
        SequencedMap<HostKey, List<HostState>> all = new TreeMap<>();
        notes.forEach((host, known) -> {
            List<HostState> states = known.values().stream().filter(note -> note.expiresMillis() > nowMillis)
                    .map(Note::state).toList();
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

    /// The garbage collector. Answers never depend on whether it has run.
    public void collect(long nowMillis) {
        while (!expiries.isEmpty() && expiries.getFirst().atMillis() <= nowMillis) {
            Expiry due = expiries.getFirst();
            drop(due.host(), due.kind());
        }
        crowded.values().removeIf(state -> state.untilMillis() <= nowMillis);
    }

    public int size() {
        return notes.size();
    }

    private long expiresMillis(HostState state) {
        return switch (state) {
            case HostState.Closed closed -> closed.closedMillis() + rules.closed().toMillis();
            case HostState.Retry retry -> Math.max(retry.forgivenMillis(),
                    retry.untilMillis() + rules.told().toMillis());
            case HostState.Suspended suspended -> suspended.untilMillis();
            case HostState.OneAtATime habit -> habit.sinceMillis() + rules.habit().toMillis();
            case HostState.Active _,HostState.Idle _,HostState.Unused _,HostState.Crowded _ ->
                throw new IllegalArgumentException("no record: " + state);
        };
    }

    private void put(HostKey host, String name, Kind kind, HostState state) {
        drop(host, kind);
        Note note = new Note(state, name, expiresMillis(state));
        notes.computeIfAbsent(host, _ -> new TreeMap<>()).put(kind, note);
        if (kind == Kind.SUSPENDED) {
            suspended.add(host);
        }
        if (note.expiresMillis() < Long.MAX_VALUE) {
            expiries.add(new Expiry(note.expiresMillis(), host, kind));
        }
        changed(kind, new HostRow.Change.Put(row(host, kind, note)));
    }

    private boolean drop(HostKey host, Kind kind) {
        SequencedMap<Kind, Note> known = notes.get(host);
        Optional<Note> gone = known == null ? Optional.empty() : Optional.ofNullable(known.remove(kind));
        gone.ifPresent(note -> {
            expiries.remove(new Expiry(note.expiresMillis(), host, kind));
            if (known.isEmpty()) {
                notes.remove(host);
            }
            if (kind == Kind.SUSPENDED) {
                suspended.remove(host);
            }
            changed(kind, new HostRow.Change.Gone(host.toString(), kind));
        });
        return gone.isPresent();
    }

    // ---- plain records, for the spool and for other nodes

    /// Everything, in order of hosts.
    public List<HostRow> export(long nowMillis) {
        List<HostRow> rows = new ArrayList<>();
        notes.keySet().stream().sorted().forEach(host -> notes.get(host).forEach((kind, note) -> {
            if (note.expiresMillis() > nowMillis) {
                rows.add(row(host, kind, note));
            }
        }));
        return rows;
    }

    /// What changed since this was last called, one change for each host and kind. Closed hosts are left out.
    public List<HostRow.Change> changes() {
        List<HostRow.Change> all = List.copyOf(changes.values());
        changes.clear();
        return all;
    }

    public boolean hasChanges() {
        return !changes.isEmpty();
    }

    private void changed(Kind kind, HostRow.Change change) {
        if (kind != Kind.CLOSED) {
            String host = switch (change) {
                case HostRow.Change.Put(HostRow row) -> row.host();
                case HostRow.Change.Gone gone -> gone.host();
            };
            changes.put(kind + " " + host, change);
        }
    }

    /// Takes a record from the spool or from another node. One that is older than what is known here, or makes no
    /// sense, is passed over. It is no change to be passed on.
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

    // A clock that went back would leave the host alone for as long as it went.
    private static boolean isAheadOfTheClock(HostState state, long nowMillis) {
        return state instanceof HostState.Retry retry && retry.sinceMillis() > nowMillis;
    }

    private static HostRow row(HostKey host, Kind kind, Note note) {
        String key = host.toString();
        return switch (note.state()) {
            case HostState.Closed s ->
                new HostRow(key, note.name(), kind, s.openedMillis(), s.closedMillis(), 0, "", "");
            case HostState.Retry s -> new HostRow(key, note.name(), kind, s.sinceMillis(), s.untilMillis(),
                    s.failures(), text(s.last()), "");
            case HostState.Suspended s ->
                new HostRow(key, note.name(), kind, s.sinceMillis(), s.untilMillis(), 0, s.why(), s.author());
            case HostState.OneAtATime s ->
                new HostRow(key, note.name(), kind, s.sinceMillis(), Long.MAX_VALUE, 0, s.what(), "");
            case HostState.Active _,HostState.Idle _,HostState.Unused _,HostState.Crowded _ ->
                throw new IllegalStateException("no record: " + note);
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
