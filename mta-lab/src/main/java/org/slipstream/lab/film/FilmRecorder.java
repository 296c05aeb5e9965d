package org.slipstream.lab.film;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.lab.WorldObserver;
import org.slipstream.lab.film.Frame.FrameCounts;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.QueueQueries.DeliveryCounts;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.trace.DestinationFigures;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/// Takes the frames of a film while a queue manager runs: one for each moment of an interval.
///
/// The state between two events is that after the first of them. So the frames of all moments that
/// have passed are taken when the next event is about to happen. The recorder asks the questions that
/// operators ask of the running server, which change nothing.
public final class FilmRecorder implements WorldObserver {
    /// As many as the live picture of the scheduler shows.
    public static final int MOST_JOBS = 40;
    static final int MOST_DESTINATIONS = 15;
    static final int MOST_CONNECTIONS = 40;
    private static final Comparator<DestinationFigures> BUSIEST_FIRST = Comparator
            .comparingLong((DestinationFigures each) -> (long) each.running() + each.waiting()).reversed()
            .thenComparing(DestinationFigures::transport).thenComparing(DestinationFigures::nextHop);

    private final Supplier<QueueQueries> queries;
    private final FilmInterval interval;
    private final Optional<QueueId> about;
    private final LongConsumer reached;
    private final List<Frame> frames = new ArrayList<>();
    private long delivered;
    private long deferred;
    private long failed;

    /// @param queries of the queue manager that runs at the time
    /// @param about a message whose state each frame has
    public FilmRecorder(Supplier<QueueQueries> queries, FilmInterval interval, Optional<QueueId> about) {
        this(queries, interval, about, _ -> {});
    }

    /// @param reached receives the time of each event
    public FilmRecorder(Supplier<QueueQueries> queries, FilmInterval interval, Optional<QueueId> about,
            LongConsumer reached) {
        this.reached = reached;
        this.queries = queries;
        this.interval = interval;
        this.about = about;
    }

    @Override
    public void happened(long nowMillis, QmgrEvent event) {
        reached.accept(nowMillis);
        take(nowMillis);
    }

    @Override
    public void pumps(long nowMillis) {
        take(nowMillis);
    }

    @Override
    public void ordered(long nowMillis, QmgrOrder order) {
        if (order instanceof QmgrOrder.RecordOutcome record) {
            record.outcomes().stream().map(RecipientOutcome::outcome).forEach(this::count);
        }
    }

    private void count(Outcome outcome) {
        switch (outcome) {
            case Outcome.Delivered _ -> delivered++;
            case Outcome.Deferred _ -> deferred++;
            case Outcome.Failed _ -> failed++;
        }
    }

    /// The film until this time, at which the run is as it was after the latest event.
    public Film end(long untilMillis) {
        take(untilMillis + 1);
        return new Film(interval, frames);
    }

    /// True when no further frame is taken.
    public boolean isFull() {
        return frames.size() > interval.steps();
    }

    /// The time of the next frame.
    public long nextMillis() {
        return interval.atMillis(Math.min(frames.size(), interval.steps()));
    }

    private void take(long nowMillis) {
        while (!isFull() && nextMillis() < nowMillis) {
            frames.add(frame(nextMillis()));
        }
    }

    private Frame frame(long atMillis) {
        QueueQueries now = queries.get();
        List<DestinationFigures> all = now.destinationFigures();
        DeliveryCounts counts = now.deliveryCounts();
        long waiting = counts.open() + counts.waiting().values().stream().mapToLong(Long::longValue).sum();
        return new Frame(atMillis, now.jobs(MOST_JOBS),
                all.stream().sorted(BUSIEST_FIRST).limit(MOST_DESTINATIONS).toList(),
                Math.max(0, all.size() - MOST_DESTINATIONS), now.connections(MOST_CONNECTIONS),
                new FrameCounts(now.active(), waiting, counts.running(), delivered, deferred, failed),
                about.flatMap(id -> now.about(id, atMillis)));
    }
}
