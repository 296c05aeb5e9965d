package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Outcome;
import org.slipstream.lab.DayScenario.TroubledDestination;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostState;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Counts the decisions of the queue manager during a day, and samples the queue.
final class DayRecorder implements WorldObserver {
    /// The state at the end of an hour.
    ///
    /// @param accepted recipients of clients' mail and of reports, since midnight
    /// @param deferred recipients deferred after an attempt, since midnight
    /// @param untried recipients deferred without an attempt, since midnight
    /// @param oldestMillis age of the oldest message in the queue
    record HourSample(long atMillis, AcceptedMail.MailAccount totals, long deferred, long untried, int messages,
            long oldestMillis) {}

    /// The queue before the server is killed.
    record KillSample(long atMillis, int messages, int active, int running) {}

    /// The figures of a troubled destination.
    static final class Trouble {
        int dead;
        int deferred;
        int untried;
        int minutesLeftAlone;
        long firstMillis = -1;
        long lastMillis = -1;
    }

    final Map<TroubledDestination, Trouble> troubles = new LinkedHashMap<>();
    final List<HourSample> hours = new ArrayList<>();
    final List<KillSample> kills = new ArrayList<>();
    final List<Integer> queue = new ArrayList<>();
    long deferred;
    long untried;
    int connections;
    int failedConnections;
    int deliveries;
    int scans;
    int lookups;
    int reports;
    int mostActive;
    private DestDb hosts = new DestDb(PlaceRules.defaults().memory());

    DayRecorder(List<TroubledDestination> all) {
        all.forEach(each -> troubles.put(each, new Trouble()));
    }

    private void with(String domain, Consumer<Trouble> change) {
        troubles.forEach((name, trouble) -> {
            if (name.includes(domain)) {
                change.accept(trouble);
            }
        });
    }

    @Override
    public void happened(long nowMillis, QmgrEvent event) {
        failedConnections += event instanceof QmgrEvent.ConnectionFailed ? 1 : 0;
    }

    @Override
    public void ordered(long nowMillis, QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Open _ -> connections++;
            case QmgrOrder.Deliver _ -> deliveries++;
            case QmgrOrder.Scan _ -> scans++;
            case QmgrOrder.FindRoute _ -> lookups++;
            case QmgrOrder.Notify _ -> reports++;
            case QmgrOrder.RecordOutcome record when record.attempt() -> recorded(record);
            default -> {
                // The other orders are not counted.
            }
        }
    }

    private void recorded(QmgrOrder.RecordOutcome record) {
        for (int i = 0; i < record.outcomes().size(); i++) {
            if (record.outcomes().get(i).outcome() instanceof Outcome.Deferred) {
                deferred++;
                with(record.recipients().get(i).address().domainKey(), trouble -> trouble.deferred++);
            }
        }
    }

    @Override
    public void deferredWithoutAttempt(QueueId id, DestinationQueue destination, List<Recipient> recipients) {
        untried += recipients.size();
        with(destination.key(), trouble -> trouble.untried += recipients.size());
    }

    @Override
    public void feedback(DestinationQueue destination, FeedbackEvent event, int running,
            Destination.FlowFigures figures) {
        if (event == FeedbackEvent.FAIL_DEAD) {
            with(destination.key(), trouble -> trouble.dead++);
        }
    }

    @Override
    public void settled(long nowMillis, DestDb known) {
        hosts = known;
    }

    // ---- samples

    void minute(World world, long nowMillis) {
        queue.add(world.spool().rows.size());
        mostActive = Math.max(mostActive, world.snapshot().active());
        troubles.forEach((name, trouble) -> {
            if (hosts.list(nowMillis).entrySet().stream().anyMatch(host -> name.includesHost(host.getKey().address())
                    && host.getValue().stream().anyMatch(state -> isLeftAlone(state, nowMillis)))) {
                trouble.minutesLeftAlone++;
                trouble.firstMillis = trouble.firstMillis < 0 ? nowMillis : trouble.firstMillis;
                trouble.lastMillis = nowMillis;
            }
        });
    }

    private static boolean isLeftAlone(HostState state, long nowMillis) {
        return state instanceof HostState.Retry retry && !retry.isDue(nowMillis);
    }

    void hour(World world, long nowMillis) {
        long oldest = world.spool().rows.values().stream().mapToLong(row -> row.mail.arrivalMillis()).min()
                .orElse(nowMillis);
        hours.add(new HourSample(nowMillis, world.totals(), deferred, untried, world.spool().rows.size(),
                nowMillis - oldest));
    }

    void beforeKill(World world, long atMillis) {
        int running = world.snapshot().destinations().stream().mapToInt(each -> each.running()).sum();
        kills.add(new KillSample(atMillis, world.spool().rows.size(), world.snapshot().active(), running));
    }
}
