package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.WireInput;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The inbox of a carrier: orders and replies from the wire, in one queue. The carrier waits only
/// here.
///
/// An inbox ends once. From then on it accepts nothing, and a post returns false.
///
/// The watchdog ends a wait: a timed wait of a virtual thread wakes the thread of the scheduler's
/// timers twice, to add the timer and to remove it, which costs more than everything else here.
final class CarrierInbox {
    private final WireWatchdog.Post watchdog;
    /// Used by the reader's thread only.
    private long waits;

    // Guarded by this.
    private final Deque<Item> items = new ArrayDeque<>();
    private Optional<Thread> reader = Optional.empty();
    private long expiredWait;
    private boolean ended;

    sealed interface Item {}

    record Deliver(Transfer transfer) implements Item {}

    record Close() implements Item {}

    record FromWire(WireInput heard) implements Item {}

    CarrierInbox(WireWatchdog watchdog) {
        this.watchdog = watchdog.new Post();
    }

    /// False when the inbox has ended.
    boolean post(Item item) {
        return post(List.of(item));
    }

    /// Posts a delivery. A carrier that ends meanwhile sees it expected and posted, or neither, so
    /// no delivery counts as a failure of this server because of the moment.
    synchronized boolean deliver(Transfer transfer, Runnable expect) {
        if (ended) {
            return false;
        }
        expect.run();
        return post(new Deliver(transfer));
    }

    /// Posts several items and wakes the reader once.
    synchronized boolean post(List<? extends Item> several) {
        if (ended) {
            return false;
        }
        items.addAll(several);
        wake();
        return true;
    }

    private void wake() {
        reader.ifPresent(LockSupport::unpark);
        reader = Optional.empty();
    }

    /// The next item within the time; there is one reader.
    Optional<Item> take(long nanos) {
        Optional<Item> here = poll();
        if (here.isPresent() || nanos <= 0) {
            return here;
        }
        long wait = ++waits;
        if (nanos == Long.MAX_VALUE) {
            return await(wait);
        }
        try (var _ = watchdog.guard(nanos, TimeUnit.NANOSECONDS, () -> expire(wait))) {
            return await(wait);
        }
    }

    private Optional<Item> await(long wait) {
        while (true) {
            synchronized (this) {
                Item next = items.poll();
                if (next != null || expiredWait == wait) {
                    reader = Optional.empty();
                    return Optional.ofNullable(next);
                }
                reader = Optional.of(Thread.currentThread());
            }
            LockSupport.park(this);
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("a carrier must not be interrupted");
            }
        }
    }

    // May run after that wait has ended, and must not end the next one.
    private synchronized void expire(long wait) {
        expiredWait = wait;
        wake();
    }

    /// The next item without waiting.
    synchronized Optional<Item> poll() {
        return Optional.ofNullable(items.poll());
    }

    /// Ends the inbox. Returns the deliveries that were not taken.
    synchronized List<Transfer> end() {
        ended = true;
        List<Transfer> left = new ArrayList<>();
        for (Item item : items) {
            if (item instanceof Deliver(Transfer transfer)) {
                left.add(transfer);
            }
        }
        items.clear();
        return left;
    }

    /// Releases the watchdog when the reader has ended.
    void close() {
        watchdog.close();
    }
}
