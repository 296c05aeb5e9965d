package org.slipstream.events.stream;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/// The events of a shard: the side that writes.
///
/// Those of the log are appended by one thread.
public final class ShardEvents implements AutoCloseable {
    @FunctionalInterface
    interface FilesOpening {
        EventFiles open(EventCursor begin) throws IOException;
    }

    /// Events that are missing, until a line says so.
    private record Loss(long count, String reason) {}

    private final int shard;
    private final FilesOpening opening;
    private final Runnable appended;
    private final LongSupplier clockMillis;
    private volatile Optional<EventFiles> files = Optional.empty();
    private Optional<Loss> loss = Optional.empty();
    private volatile long lost;
    private volatile Optional<String> trouble = Optional.empty();

    ShardEvents(int shard, FilesOpening opening, Runnable appended, LongSupplier clockMillis) {
        this.shard = shard;
        this.opening = opening;
        this.appended = appended;
        this.clockMillis = clockMillis;
    }

    public int shard() {
        return shard;
    }

    /// Opens the files.
    ///
    /// @param begin the place of the first event when there are none
    /// @return the place of the latest event
    public EventCursor open(EventCursor begin) throws IOException {
        EventFiles opened = opening.open(begin);
        files = Optional.of(opened);
        if (opened.isDamaged()) {
            lost(0, "a part of a file of events is damaged");
        }
        return opened.last();
    }

    /// Appends events, in order; those that are here already are left out.
    public void append(List<MailEvent> events) throws IOException {
        EventFiles open = files.orElseThrow();
        try {
            if (loss.isPresent() && open.last().hasPlaceBehind()) {
                open.append(List.of(MailEvent.lost(open.last().behind(), loss.get().count(), loss.get().reason(),
                        clockMillis.getAsLong())));
                loss = Optional.empty();
            }
            open.append(events);
            trouble = Optional.empty();
        } catch (IOException e) {
            trouble = Optional.of(String.valueOf(e.getMessage()));
            throw e;
        }
        appended.run();
    }

    /// Any thread.
    void tell(UnloggedEvent event) throws IOException {
        files.orElseThrow(() -> new IOException("shard " + shard + " writes no events")).tell(event::line);
        appended.run();
    }

    /// Events are missing. The next ones come behind a line that says so.
    public void lost(long count, String reason) {
        lost += count;
        loss = Optional.of(new Loss(loss.map(Loss::count).orElse(0L) + count, reason));
    }

    public void sync() throws IOException {
        if (files.isPresent()) {
            files.get().sync();
        }
    }

    @Override
    public void close() throws IOException {
        if (files.isPresent()) {
            files.get().close();
        }
    }

    /// The reason why events cannot be written now.
    public Optional<String> trouble() {
        return trouble;
    }

    /// Events that were not written, or deleted unread, since the start.
    public long dropped() {
        return lost + files.map(EventFiles::dropped).orElse(0L);
    }
}
