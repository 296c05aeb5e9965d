package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The one place where a carrier waits: for orders and for replies from the wire.
///
/// A mailbox ends once. From then on it takes nothing, and a post returns false.
///
/// A wait has an end, and the end is the watchdog's to keep: a timed wait of a virtual thread wakes the thread that keeps the
/// scheduler's timers, once to note it and once to strike it out, which costs more than all else that is done here.
final class CarrierInbox {
    private final WireWatchdog.Post watchdog;
    /// The reader's.
    private long waits;

    // Guarded by this.
    private final Deque<Item> items = new ArrayDeque<>();
    private Optional<Thread> reader = Optional.empty();
    private long waitedInVain;
    private boolean ended;

    sealed interface Item {}

    record Deliver(Transfer transfer) implements Item {}

    record Close() implements Item {}

    record FromWire(Heard heard) implements Item {}

    CarrierInbox(WireWatchdog watchdog) {
        this.watchdog = watchdog.new Post();
    }

    /// False when the mailbox has ended.
    boolean post(Item item) {
        return post(List.of(item));
    }

    /// What comes together wakes the reader once.
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

    /// The next of anything within the time; there is one reader.
    Optional<Item> take(long nanos) {
        Optional<Item> here = poll();
        if (here.isPresent() || nanos <= 0) {
            return here;
        }
        long wait = ++waits;
        if (nanos == Long.MAX_VALUE) {
            return await(wait);
        }
        try (var _ = watchdog.guard(nanos, TimeUnit.NANOSECONDS, () -> timeIsUp(wait))) {
            return await(wait);
        }
    }

    private Optional<Item> await(long wait) {
        while (true) {
            synchronized (this) {
                Item next = items.poll();
                if (next != null || waitedInVain == wait) {
                    reader = Optional.empty();
                    return Optional.ofNullable(next);
                }
                reader = Optional.of(Thread.currentThread());
            }
            LockSupport.park(this);
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("nobody interrupts a carrier");
            }
        }
    }

    // May come a moment after that wait has ended otherwise, and must not end the next one.
    private synchronized void timeIsUp(long wait) {
        waitedInVain = wait;
        wake();
    }

    /// What is there already.
    synchronized Optional<Item> poll() {
        return Optional.ofNullable(items.poll());
    }

    /// Ends the mailbox. Returns the deliveries that were not taken.
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

    /// The reader will not come again.
    void close() {
        watchdog.close();
    }
}
