package org.slipstream.monitor.alarm;

import org.slipstream.monitor.alarm.AlarmNotice.NoticeKind;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Which troubles are told, and when: a function of the list of troubles and the time.
///
/// A trouble is told when it has lasted for [#SETTLED], and its end when it has been away for [#CALM].
/// A trouble that comes and goes is told once in [#PAUSE], and all together at most [#MOST_PER_HOUR]
/// times an hour. A trouble that was not told for that reason is told later if it still lasts, so no
/// lasting trouble is lost; and each trouble that was told has an end that is told.
final class AlarmBook {
    static final Duration SETTLED = Duration.ofSeconds(20);
    static final Duration CALM = Duration.ofMinutes(2);
    static final Duration PAUSE = Duration.ofMinutes(15);
    static final int MOST_PER_HOUR = 30;
    /// The kinds of troubles times the shards.
    static final int MOST_CAUSES = 1_000;
    private static final Duration HOUR = Duration.ofHours(1);

    private final Map<String, Known> known = new LinkedHashMap<>();
    private final Deque<Instant> raised = new ArrayDeque<>();

    private static final class Known {
        private AlarmCause cause;
        /// Empty while it is away and was not told.
        private Optional<Instant> first;
        private Instant last;
        private boolean open;
        private Optional<Instant> told = Optional.empty();

        Known(AlarmCause cause, Instant now) {
            this.cause = cause;
            this.first = Optional.of(now);
            this.last = now;
        }

        boolean isNear(Instant now) {
            return told.filter(at -> at.plus(PAUSE).isAfter(now)).isPresent();
        }
    }

    /// @param causes the troubles at this moment
    /// @return what is to be told now, in order
    List<AlarmNotice> look(List<AlarmCause> causes, Instant now) {
        List<AlarmNotice> notices = new ArrayList<>();
        raised.removeIf(at -> !at.plus(HOUR).isAfter(now));
        for (AlarmCause cause : causes) {
            Known before = known.get(cause.name());
            if (before == null && known.size() < MOST_CAUSES) {
                before = new Known(cause, now);
                known.put(cause.name(), before);
            }
            if (before != null) {
                seen(before, cause, now).ifPresent(notices::add);
            }
        }
        Iterator<Known> all = known.values().iterator();
        while (all.hasNext()) {
            Known each = all.next();
            if (each.last.equals(now)) {
                continue;
            }
            if (each.open && !each.last.plus(CALM).isAfter(now)) {
                each.open = false;
                notices.add(new AlarmNotice(NoticeKind.RECOVERED, each.cause, now));
            }
            if (!each.open) {
                each.first = Optional.empty();
            }
            if (!each.open && !each.isNear(now)) {
                all.remove();
            }
        }
        return notices;
    }

    private Optional<AlarmNotice> seen(Known each, AlarmCause cause, Instant now) {
        Instant first = each.first.orElse(now);
        each.first = Optional.of(first);
        each.cause = cause;
        each.last = now;
        if (each.open || each.isNear(now) || now.isBefore(first.plus(SETTLED))
                || raised.size() >= MOST_PER_HOUR) {
            return Optional.empty();
        }
        each.open = true;
        each.told = Optional.of(now);
        raised.addLast(now);
        return Optional.of(new AlarmNotice(NoticeKind.RAISED, cause, now));
    }

    /// Troubles that were told and have not ended.
    int open() {
        return (int) known.values().stream().filter(each -> each.open).count();
    }
}
