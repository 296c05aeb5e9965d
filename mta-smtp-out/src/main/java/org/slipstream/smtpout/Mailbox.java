package org.slipstream.smtpout;

import org.slipstream.smtpout.wire.Heard;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The one place where a carrier waits: for orders from the house and for replies from the wire.
///
/// A mailbox ends once; from then on it takes nothing, so that whoever posts knows that nobody will read it.
final class Mailbox {
    private final LinkedBlockingQueue<Item> items = new LinkedBlockingQueue<>();
    private boolean ended;

    sealed interface Item {}

    record Deliver(Parcel parcel) implements Item {}

    record Close() implements Item {}

    record FromWire(Heard heard) implements Item {}

    /// False when nobody will ever read it.
    synchronized boolean post(Item item) {
        return !ended && items.add(item);
    }

    /// The next of anything within the time.
    Optional<Item> take(long nanos) {
        try {
            return Optional.ofNullable(items.poll(nanos, TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts a carrier", e);
        }
    }

    /// What is there already.
    Optional<Item> poll() {
        return Optional.ofNullable(items.poll());
    }

    /// Ends the mailbox. Returns the parcels that nobody took.
    synchronized List<Parcel> end() {
        ended = true;
        List<Parcel> left = new ArrayList<>();
        for (Item item : items) {
            if (item instanceof Deliver(Parcel parcel)) {
                left.add(parcel);
            }
        }
        items.clear();
        return left;
    }
}
