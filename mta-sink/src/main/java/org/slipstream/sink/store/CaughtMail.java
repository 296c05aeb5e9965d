package org.slipstream.sink.store;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/// The messages that were accepted. Memory keeps the newest ones, within a number and a size; files
/// keep all of them. Any thread may call it.
public final class CaughtMail {
    private final Bounds bounds;
    private final MailFiles files;
    private final SequencedMap<Long, CaughtMessage> messages = new LinkedHashMap<>();
    private long bytes;
    private long lastId;
    private long revision;

    /// @param messages that memory keeps at most; 0 keeps none
    /// @param bytes of content that memory keeps at most
    public record Bounds(int messages, long bytes) {
        /// A message is in memory more than once while it arrives, so the store has a quarter of the heap.
        public static final Bounds USUAL = new Bounds(10_000,
                Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 4));
        public static final Bounds NOTHING = new Bounds(0, 0);
    }

    public CaughtMail(Bounds bounds, MailFiles files) {
        this.bounds = bounds;
        this.files = files;
    }

    /// Gives the message with its number.
    ///
    /// @throws IOException when a file cannot be written; the message is then not kept
    public CaughtMessage keep(CaughtMessage message) throws IOException {
        files.write(message);
        return remember(message);
    }

    private synchronized CaughtMessage remember(CaughtMessage message) {
        CaughtMessage numbered = message.withId(++lastId);
        if (bounds.messages() == 0) {
            return numbered;
        }
        messages.put(lastId, numbered);
        bytes += numbered.content().length;
        while (messages.size() > bounds.messages() || bytes > bounds.bytes() && messages.size() > 1) {
            bytes -= messages.pollFirstEntry().getValue().content().length;
        }
        changed();
        return numbered;
    }

    private void changed() {
        revision++;
        notifyAll();
    }

    /// The messages in memory that match, newest first.
    public List<CaughtMessage> find(MessageFilter filter) {
        List<CaughtMessage> all;
        synchronized (this) {
            all = new ArrayList<>(messages.sequencedValues().reversed());
        }
        return all.stream().filter(filter).toList();
    }

    public synchronized Optional<CaughtMessage> message(long id) {
        return Optional.ofNullable(messages.get(id));
    }

    /// Files are not touched.
    public synchronized boolean delete(long id) {
        CaughtMessage gone = messages.remove(id);
        if (gone == null) {
            return false;
        }
        bytes -= gone.content().length;
        changed();
        return true;
    }

    /// Files are not touched.
    ///
    /// @return how many there were
    public synchronized int deleteAll() {
        int count = messages.size();
        messages.clear();
        bytes = 0;
        changed();
        return count;
    }

    /// Waits until so many messages match, at most this time, and gives what matches then.
    public List<CaughtMessage> await(MessageFilter filter, int count, Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        while (true) {
            long seen = revision();
            List<CaughtMessage> found = find(filter);
            long left = end - System.nanoTime();
            if (found.size() >= count || left <= 0) {
                return found;
            }
            awaitChange(seen, Duration.ofNanos(left));
        }
    }

    public synchronized long revision() {
        return revision;
    }

    /// Waits until messages come or go, at most this time.
    ///
    /// @param seen the revision that the caller knows
    /// @return the present revision
    public synchronized long awaitChange(long seen, Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        for (long left = most.toNanos(); revision == seen && left > 0; left = end - System.nanoTime()) {
            wait(left / 1_000_000, (int) (left % 1_000_000));
        }
        return revision;
    }

    public synchronized int count() {
        return messages.size();
    }

    public synchronized long bytes() {
        return bytes;
    }
}
