package org.slipstream.lab.scenario;

import org.slipstream.core.HostKey;
import org.slipstream.picture.RunRecord.ConnectionRecord;
import org.slipstream.picture.RunRecord.HostSample;
import org.slipstream.picture.RunRecord.Phase;
import org.slipstream.picture.RunRecord.Span;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostState;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/// Records the phases of connections and the states of their hosts.
final class ConnectionRecorder {
    private static final int SMTP_PORT = 25;
    private static final String UNKNOWN = "";

    private static final class TrackedConnection {
        final int number;
        final String host;
        final List<Span> spans = new ArrayList<>();
        Phase phase = Phase.OPENING;
        long sinceMillis;
        long answeredMillis;
        int underWay;
        int deliveries;
        String end = "";

        TrackedConnection(int number, String host, long now) {
            this.number = number;
            this.host = host;
            this.sinceMillis = now;
        }

        void enter(Phase next, long now) {
            if (next != phase) {
                close(now);
                phase = next;
                sinceMillis = now;
            }
        }

        void close(long now) {
            if (now > sinceMillis || spans.isEmpty()) {
                spans.add(new Span(sinceMillis, now, phase));
            }
        }
    }

    private final List<TrackedConnection> all = new ArrayList<>();
    private final Map<Long, TrackedConnection> open = new TreeMap<>();
    private final ConnectionNumbers numbers = new ConnectionNumbers();
    private final SequencedMap<String, List<HostSample>> hosts = new LinkedHashMap<>();

    /// @return its number, see [ConnectionNumbers]
    int opens(long connection, String host, long now) {
        TrackedConnection tracked = new TrackedConnection(numbers.take(), host, now);
        all.add(tracked);
        open.put(connection, tracked);
        hosts.computeIfAbsent(host, _ -> new ArrayList<>());
        return tracked.number;
    }

    /// The number of a connection; empty if it has ended.
    Optional<Integer> number(long connection) {
        return find(connection).map(tracked -> tracked.number);
    }

    private Optional<TrackedConnection> find(long connection) {
        return Optional.ofNullable(open.get(connection));
    }

    void isReady(long connection, long now) {
        find(connection).ifPresent(tracked -> tracked.enter(Phase.IDLE, now));
    }

    void takes(long connection, long now) {
        find(connection).ifPresent(tracked -> {
            tracked.underWay++;
            tracked.enter(Phase.BUSY, now);
        });
    }

    /// Ends a delivery with its reply. Returns the time from which the delivery was the first of its
    /// connection; before that time the connection was busy with other deliveries.
    long answers(long connection, long startedMillis, long now) {
        Optional<TrackedConnection> tracked = find(connection);
        long since = tracked.map(each -> Math.max(startedMillis, each.answeredMillis)).orElse(startedMillis);
        tracked.ifPresent(each -> {
            each.answeredMillis = now;
            each.deliveries++;
            if (--each.underWay == 0) {
                each.enter(Phase.IDLE, now);
            }
        });
        return since;
    }

    void ends(long connection, String how, long now) {
        Optional.ofNullable(open.remove(connection)).ifPresent(tracked -> {
            tracked.close(now);
            tracked.end = how;
            numbers.free(tracked.number);
        });
    }

    void endAll(LongPredicate which, String how, long now) {
        List.copyOf(open.keySet()).stream().filter(which::test).forEach(connection -> ends(connection, how, now));
    }

    /// Records the state of each host if the state has changed.
    void recordHosts(DestDb known, long now) {
        hosts.forEach((name, samples) -> {
            String state = state(known, HostKey.of(name, SMTP_PORT), now);
            if (!state.equals(samples.isEmpty() ? UNKNOWN : samples.getLast().state())) {
                samples.add(new HostSample(now, state));
            }
        });
    }

    private static String state(DestDb known, HostKey host, long now) {
        return known.suspension(host, now).map(_ -> "suspended").or(() -> known.crowd(host, now).map(_ -> "crowded"))
                .orElseGet(() -> switch (known.mark(host, now)) {
                    case HostState.Retry retry -> retry.isDue(now) ? "due" : "retry";
                    case HostState.Closed _ -> "closed";
                    case HostState _ -> UNKNOWN;
                });
    }

    List<ConnectionRecord> records(long now) {
        open.values().forEach(tracked -> tracked.close(now));
        return all.stream()
                .map(tracked -> new ConnectionRecord(tracked.number, tracked.host, tracked.spans, tracked.deliveries,
                        tracked.end))
                .toList();
    }

    SequencedMap<String, List<HostSample>> hosts() {
        return hosts;
    }
}
