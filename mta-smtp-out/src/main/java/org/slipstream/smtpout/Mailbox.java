package org.slipstream.smtpout;

import org.slipstream.smtpout.wire.Heard;

import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The one place where a carrier waits: for orders from the house and for replies from the wire.
///
/// While a carrier is in the middle of a transaction it takes replies only, and orders keep their turn. A mailbox ends once;
/// from then on it takes nothing, so that whoever posts knows that nobody will read it.
final class Mailbox {
    private final LinkedBlockingQueue<Item> items = new LinkedBlockingQueue<>();
    /// Orders that were taken out of `items` while a reply was looked for. In order of arrival.
    private final Queue<Order> waiting = new ConcurrentLinkedQueue<>();
    private boolean ended;

    sealed interface Item {}

    /// What the house wants.
    sealed interface Order extends Item {}

    record Deliver(Parcel parcel) implements Order {}

    record Close() implements Order {}

    /// From the wire of one session. A carrier may have had another one before.
    record FromWire(Session session, Heard heard) implements Item {}

    /// False when nobody will ever read it.
    synchronized boolean post(Item item) {
        return !ended && items.add(item);
    }

    /// The next of anything.
    Item take() {
        Order order = waiting.poll();
        return order != null ? order : poll(Long.MAX_VALUE).orElseThrow();
    }

    /// The next from this session's wire within the time, orders left waiting.
    Optional<Heard> hear(Session session, long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (true) {
            Optional<Item> item = poll(deadline - System.nanoTime());
            if (item.isEmpty()) {
                return Optional.empty();
            }
            switch (item.get()) {
                case Order order -> waiting.add(order);
                case FromWire(Session from, Heard heard) -> {
                    if (from == session) {
                        session.consumed();
                        return Optional.of(heard);
                    }
                }
            }
        }
    }

    /// Ends the mailbox unless there is an order in it.
    synchronized boolean endUnlessOrdered() {
        ended = waiting.isEmpty() && items.stream().noneMatch(Order.class::isInstance);
        return ended;
    }

    /// Ends the mailbox. Returns the parcels that nobody took.
    synchronized List<Parcel> end() {
        ended = true;
        for (Item item : items) {
            if (item instanceof Order order) {
                waiting.add(order);
            }
        }
        items.clear();
        List<Parcel> left = waiting.stream().filter(Deliver.class::isInstance).map(o -> ((Deliver) o).parcel())
                .toList();
        waiting.clear();
        return left;
    }

    private Optional<Item> poll(long nanos) {
        try {
            return Optional.ofNullable(items.poll(nanos, TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts a carrier", e);
        }
    }
}
