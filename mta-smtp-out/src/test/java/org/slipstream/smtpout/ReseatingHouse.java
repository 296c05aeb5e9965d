package org.slipstream.smtpout;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Stands for a house with a placement: it takes parcels back.
final class ReseatingHouse implements CarrierEvents {
    private static final long PATIENCE_SECONDS = 30;

    private final BlockingQueue<News> inbox = new LinkedBlockingQueue<>();
    private final List<News> heard = new ArrayList<>();

    sealed interface News {
        long connection();
    }

    record Ready(long connection) implements News {}

    record Failed(long connection, Reply reason) implements News {}

    record Done(long delivery, long connection, List<RecipientOutcome> outcomes, boolean usable) implements News {}

    record Lost(long connection, String reason) implements News {}

    record Returned(long delivery, long connection, Reply reason, boolean mayHaveArrived) implements News {}

    record Depth(long connection, int parcels) implements News {}

    record Badly(long connection, String what) implements News {}

    @Override
    public boolean reseats() {
        return true;
    }

    @Override
    public void ready(long connection) {
        inbox.add(new Ready(connection));
    }

    @Override
    public void failed(long connection, Reply reason, String remote) {
        inbox.add(new Failed(connection, reason));
    }

    @Override
    public void done(long delivery, long connection, List<RecipientOutcome> outcomes, boolean usable,
            boolean siteTrouble) {
        inbox.add(new Done(delivery, connection, outcomes, usable));
    }

    @Override
    public void lost(long connection, String reason) {
        inbox.add(new Lost(connection, reason));
    }

    @Override
    public void returned(long delivery, long connection, Reply reason, String remote, boolean mayHaveArrived) {
        inbox.add(new Returned(delivery, connection, reason, mayHaveArrived));
    }

    @Override
    public void depth(long connection, int parcels) {
        inbox.add(new Depth(connection, parcels));
    }

    @Override
    public void pipelinesBadly(long connection, String what) {
        inbox.add(new Badly(connection, what));
    }

    /// The next news; waits for it.
    News next() {
        try {
            News news = inbox.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (news == null) {
                throw new AssertionError("nothing more happens after " + heard);
            }
            heard.add(news);
            return news;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// Waits for news of this kind; others are heard on the way.
    <T extends News> T await(Class<T> kind, Predicate<T> which) {
        while (true) {
            News news = next();
            if (kind.isInstance(news) && which.test(kind.cast(news))) {
                return kind.cast(news);
            }
        }
    }

    void awaitReady(long connection) {
        await(Ready.class, ready -> ready.connection() == connection);
    }

    /// Waits until so many parcels have been answered or returned since the beginning.
    void awaitAnswers(int count) {
        while (heard.stream().filter(n -> n instanceof Done || n instanceof Returned).count() < count) {
            next();
        }
    }

    /// All that was heard so far.
    List<News> heard() {
        return List.copyOf(heard);
    }

    /// All that was heard and all that lies in the inbox.
    List<News> everything() {
        inbox.drainTo(heard);
        return heard();
    }
}
