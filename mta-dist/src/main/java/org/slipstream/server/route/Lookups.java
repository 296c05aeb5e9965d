package org.slipstream.server.route;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.place.Owner;
import org.slipstream.qmgr.place.RouteQueue;
import org.slipstream.qmgr.place.WorkerBudget;

import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/// Looks up routes on virtual threads, `dns-<n>`, as many at once as there are workers, in the
/// order of a [RouteQueue].
///
/// Callers on any thread never wait. Each question gets one answer: the result of `find` or, when
/// that throws, of `defect`.
public final class Lookups<A> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Lookups.class);

    private final Function<String, A> find;
    private final BiConsumer<String, A> answers;
    private final Function<String, A> defect;

    // Guarded by this.
    private final RouteQueue queue;
    private long threads;
    private boolean closed;

    /// @param workers lookups at once
    /// @param shares of one message
    /// @param find the answer for a domain; may block
    /// @param defect the answer for a domain when `find` threw
    public Lookups(int workers, WorkerBudget.Shares shares, Function<String, A> find, BiConsumer<String, A> answers,
            Function<String, A> defect) {
        this.queue = new RouteQueue(new WorkerBudget(workers, shares, shares));
        this.find = find;
        this.answers = answers;
        this.defect = defect;
    }

    /// @param message whose recipients wait for the answer
    public void ask(QueueId message, String domain) {
        change(q -> q.add(new Owner.Message(message), domain));
    }

    /// Lookups that have not started yet get no answer.
    @Override
    public synchronized void close() {
        closed = true;
    }

    private synchronized void change(Consumer<RouteQueue> event) {
        event.accept(queue);
        while (!closed) {
            Optional<RouteQueue.RouteQuestion> job = queue.next();
            if (job.isEmpty()) {
                return;
            }
            Thread.ofVirtual().name("dns-" + threads++).start(() -> look(job.get()));
        }
    }

    private void look(RouteQueue.RouteQuestion job) {
        try {
            answers.accept(job.domain(), answer(job.domain()));
        } finally {
            change(q -> q.done(job));
        }
    }

    private A answer(String domain) {
        try {
            return find.apply(domain);
        } catch (RuntimeException broken) {
            log.error("event=route-lookup-failed domain={}", LogText.word(domain), broken);
            return defect.apply(domain);
        }
    }
}
