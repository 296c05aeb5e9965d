package org.slipstream.qmgr.journal;

import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.journal.JournalRecord.HostKeyed;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.trace.QmgrObserver;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// Makes journal records of what a queue manager is told and what it decides. Used on the queue
/// manager's thread; the receiver of the records only enqueues. A simulation extends it by its own
/// callbacks.
public class JournalObserver implements QmgrObserver {
    private final Consumer<JournalRecord> journal;
    private final QmgrTrace also;
    private long nowMillis;

    /// @param also receives the decisions too
    public JournalObserver(Consumer<JournalRecord> journal, QmgrTrace also) {
        this.journal = journal;
        this.also = also;
    }

    /// The same keys; each answer is a record.
    public HostKeys recorded(HostKeys keys) {
        return new HostKeys() {
            @Override
            public HostKey of(Route.Smtp route, Route.Host host) {
                HostKey key = keys.of(route, host);
                journal.accept(new HostKeyed(route.transport(), route.nextHop(), host, key));
                return key;
            }

            @Override
            public HostKey of(Route route) {
                return keys.of(route);
            }
        };
    }

    // ---- inputs

    @Override
    public void happened(long now, QmgrEvent event) {
        nowMillis = now;
        journal.accept(new JournalRecord.QueueEvent(now, event));
    }

    @Override
    public void pumps(long now) {
        nowMillis = now;
        journal.accept(new JournalRecord.Pump(now));
    }

    // ---- decisions and orders

    @Override
    public void ordered(long now, QmgrOrder order) {
        journal.accept(OrderText.of(now, order));
    }

    @Override
    public void selected(Entry entry) {
        also.selected(entry);
        journal.accept(new JournalRecord.Pick(nowMillis, entry.message().id(), entry.queue().toString(),
                entry.recipients().size()));
    }

    @Override
    public void preempted(Message current, Message stepping, String transport, int level, int slots) {
        also.preempted(current, stepping, transport, level, slots);
        journal.accept(
                new JournalRecord.Preempting(nowMillis, stepping.id(), current.id(), transport, level, slots));
    }

    @Override
    public void read(Message message, int recipients) {
        also.read(message, recipients);
    }

    @Override
    public void feedback(DestinationQueue queue, FeedbackEvent event, int running, Destination.FlowFigures figures) {
        also.feedback(queue, event, running, figures);
        journal.accept(new JournalRecord.WindowChange(nowMillis, queue.toString(), event, running, figures));
    }

    @Override
    public void deferredWithoutAttempt(QueueId id, DestinationQueue queue, List<Recipient> recipients) {
        also.deferredWithoutAttempt(id, queue, recipients);
        journal.accept(new JournalRecord.DeferredUntried(nowMillis, id, queue.toString(), recipients.size()));
    }

    @Override
    public void startHeld(DestinationQueue queue, long now, long turnMillis) {
        also.startHeld(queue, now, turnMillis);
        journal.accept(new JournalRecord.StartHeld(now, queue.toString(), turnMillis));
    }

    @Override
    public void placed(long delivery, Entry entry, Seat seat) {
        also.placed(delivery, entry, seat);
        journal.accept(step(delivery, entry, seat));
    }

    @Override
    public void woke(DestinationQueue queue, List<String> domains) {
        also.woke(queue, domains);
        journal.accept(new JournalRecord.Wake(nowMillis, queue.toString(), domains));
    }

    private JournalRecord.PlacementStep step(long delivery, Entry entry, Seat seat) {
        return switch (seat) {
            case Seat.Queue queue ->
                step(delivery, entry, "queue", OptionalLong.of(queue.connection()), queue.host().toString(), seat);
            case Seat.Reuse reuse ->
                step(delivery, entry, "reuse", OptionalLong.of(reuse.connection()), reuse.host().toString(), seat);
            case Seat.Open open -> step(delivery, entry, "open", OptionalLong.empty(), open.host().toString(), seat);
            case Seat.Wait _,Seat.Defer _ -> step(delivery, entry, "defer", OptionalLong.empty(), "", seat);
        };
    }

    private JournalRecord.PlacementStep step(long delivery, Entry entry, String step, OptionalLong connection,
            String host, Seat seat) {
        return new JournalRecord.PlacementStep(nowMillis, delivery, entry.message().id(), entry.queue().toString(),
                step, connection, Optional.of(host).filter(name -> !name.isEmpty()), seat.reason());
    }
}
