package org.slipstream.smtpout;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.DeliveryResult.OwnFailure;
import org.slipstream.core.queue.DeliveryResult.Unanswered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// All events of connections in their order, as records or as the [DeliveryResult] itself; waits
/// for those that a test expects.
final class EventLog implements CarrierEvents {
    private static final long TIMEOUT_SECONDS = 90;

    // Guarded by this.
    private final List<Object> events = new ArrayList<>();
    private int taken;

    record Ready(long connection) {}

    record Failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis) {}

    record Lost(long connection, String reason) {}

    record Depth(long connection, int deliveries) {}

    record Badly(long connection, String what) {}

    @Override
    public void ready(long connection) {
        add(new Ready(connection));
    }

    @Override
    public void failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis,
            Optional<QueuePhase.Code> phase) {
        add(new Failed(connection, reason, remote, ours, retryAfterMillis));
    }

    @Override
    public void done(DeliveryResult result) {
        add(result);
    }

    @Override
    public void lost(long connection, String reason) {
        add(new Lost(connection, reason));
    }

    @Override
    public void depth(long connection, int deliveries) {
        add(new Depth(connection, deliveries));
    }

    @Override
    public void pipelinesBadly(long connection, String what) {
        add(new Badly(connection, what));
    }

    private synchronized void add(Object event) {
        events.add(event);
        notifyAll();
    }

    // ---- one after the other

    /// The next event; waits for it.
    synchronized Object next() {
        await(() -> events.size() > taken);
        return events.get(taken++);
    }

    /// The next event of this kind; others are passed over.
    <T> T next(Class<T> kind) {
        while (true) {
            Object event = next();
            if (kind.isInstance(event)) {
                return kind.cast(event);
            }
        }
    }

    // ---- any of them

    /// The first event of this kind, whenever it comes.
    synchronized <T> T first(Class<T> kind, Predicate<T> which) {
        await(() -> find(kind, which).isPresent());
        return find(kind, which).orElseThrow();
    }

    private <T> Optional<T> find(Class<T> kind, Predicate<T> which) {
        return events.stream().filter(kind::isInstance).map(kind::cast).filter(which).findFirst();
    }

    Ready ready() {
        return first(Ready.class, _ -> true);
    }

    Ready awaitReady(long connection) {
        return first(Ready.class, ready -> ready.connection() == connection);
    }

    Failed failed() {
        return first(Failed.class, _ -> true);
    }

    Failed failed(long connection) {
        return first(Failed.class, failed -> failed.connection() == connection);
    }

    Lost lost() {
        return first(Lost.class, _ -> true);
    }

    DeliveryResult result(long delivery) {
        return first(DeliveryResult.class, result -> result.delivery() == delivery);
    }

    Answered answered(long delivery) {
        return as(Answered.class, result(delivery));
    }

    Unanswered unanswered(long delivery) {
        return as(Unanswered.class, result(delivery));
    }

    OwnFailure ownFailure(long delivery) {
        return as(OwnFailure.class, result(delivery));
    }

    private static <T> T as(Class<T> kind, DeliveryResult result) {
        if (!kind.isInstance(result)) {
            throw new AssertionError("expected " + kind.getSimpleName() + " but got " + result);
        }
        return kind.cast(result);
    }

    /// The outcome of the only recipient.
    Outcome outcome(long delivery) {
        Answered answered = answered(delivery);
        if (answered.outcomes().size() != 1) {
            throw new AssertionError(answered);
        }
        return answered.outcomes().getFirst().outcome();
    }

    Reply reply(long delivery) {
        return outcome(delivery).reply();
    }

    /// All results, once there are this many.
    synchronized List<DeliveryResult> results(int count) {
        await(() -> results().size() >= count);
        return results();
    }

    synchronized List<DeliveryResult> results() {
        return all(DeliveryResult.class);
    }

    synchronized <T> List<T> all(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    synchronized List<Object> all() {
        return List.copyOf(events);
    }

    /// All but the depth.
    List<Object> news() {
        return all().stream().filter(event -> !(event instanceof Depth)).toList();
    }

    private interface Condition {
        boolean holds();
    }

    private void await(Condition condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        try {
            while (!condition.holds()) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new AssertionError("nothing more happens after " + events);
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
