package org.slipstream.lab.scene;

import org.slipstream.core.HostKey;
import org.slipstream.lab.scene.Course.CourseConnection;
import org.slipstream.lab.scene.Course.HostMark;
import org.slipstream.lab.scene.Course.Phase;
import org.slipstream.lab.scene.Course.Span;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostState;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/// Records the phases of connections and what is known of their hosts.
final class SceneConnections {
    private static final int SMTP_PORT = 25;
    private static final String NOTHING_KNOWN = "";

    private static final class Page {
        final int slot;
        final String host;
        final List<Span> spans = new ArrayList<>();
        Phase phase = Phase.OPENING;
        long sinceMillis;
        long answeredMillis;
        int underWay;
        int deliveries;
        String end = "";

        Page(int slot, String host, long now) {
            this.slot = slot;
            this.host = host;
            this.sinceMillis = now;
        }

        void turns(Phase next, long now) {
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

    private final List<Page> pages = new ArrayList<>();
    private final Map<Long, Page> open = new TreeMap<>();
    private final Slots free = new Slots();
    private final SequencedMap<String, List<HostMark>> hosts = new LinkedHashMap<>();

    /// @return its slot
    int opens(long connection, String host, long now) {
        Page page = new Page(free.take(), host, now);
        pages.add(page);
        open.put(connection, page);
        hosts.computeIfAbsent(host, _ -> new ArrayList<>());
        return page.slot;
    }

    /// The slot of a connection; empty when it has ended.
    Optional<Integer> slot(long connection) {
        return find(connection).map(page -> page.slot);
    }

    private Optional<Page> find(long connection) {
        return Optional.ofNullable(open.get(connection));
    }

    void isReady(long connection, long now) {
        find(connection).ifPresent(page -> page.turns(Phase.IDLE, now));
    }

    void takes(long connection, long now) {
        find(connection).ifPresent(page -> {
            page.underWay++;
            page.turns(Phase.BUSY, now);
        });
    }

    /// A delivery is answered. Since when it was the first one there: earlier than that the
    /// connection was busy with others.
    long answers(long connection, long startedMillis, long now) {
        Optional<Page> page = find(connection);
        long since = page.map(each -> Math.max(startedMillis, each.answeredMillis)).orElse(startedMillis);
        page.ifPresent(each -> {
            each.answeredMillis = now;
            each.deliveries++;
            if (--each.underWay == 0) {
                each.turns(Phase.IDLE, now);
            }
        });
        return since;
    }

    void ends(long connection, String how, long now) {
        Optional.ofNullable(open.remove(connection)).ifPresent(page -> {
            page.close(now);
            page.end = how;
            free.leave(page.slot);
        });
    }

    /// Asks what is known of each host, and remembers where it is something else than before.
    void looks(DestDb known, long now) {
        hosts.forEach((name, marks) -> {
            String state = state(known, HostKey.of(name, SMTP_PORT), now);
            if (!state.equals(marks.isEmpty() ? NOTHING_KNOWN : marks.getLast().state())) {
                marks.add(new HostMark(now, state));
            }
        });
    }

    private static String state(DestDb known, HostKey host, long now) {
        return known.suspension(host, now).map(_ -> "suspended").or(() -> known.crowd(host, now).map(_ -> "crowded"))
                .orElseGet(() -> switch (known.mark(host, now)) {
                    case HostState.Retry retry -> retry.isDue(now) ? "due" : "retry";
                    case HostState.Closed _ -> "closed";
                    case HostState _ -> NOTHING_KNOWN;
                });
    }

    List<CourseConnection> links(long now) {
        open.values().forEach(page -> page.close(now));
        return pages.stream()
                .map(page -> new CourseConnection(page.slot, page.host, page.spans, page.deliveries, page.end))
                .toList();
    }

    SequencedMap<String, List<HostMark>> hosts() {
        return hosts;
    }
}
