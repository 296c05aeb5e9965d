package org.slipstream.events.stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// The events of a server: those of its shards, and the programs that read them. May be called by any thread.
public final class EventStream {
    private static final Logger log = LoggerFactory.getLogger(EventStream.class);
    private static final long TOLD_MILLIS = TimeUnit.HOURS.toMillis(1);

    private final EventSettings settings;
    private final LongSupplier clockMillis;
    private final Subscribers subscribers;
    private final Map<Integer, Path> folders = new HashMap<>();
    private final Map<Integer, ShardEvents> shards = new HashMap<>();
    private long appended;
    private long droppedBefore;
    private long droppedMillis;

    /// @param spool the folder of the first shard; it has the places of the subscribers
    public EventStream(EventSettings settings, Path spool, LongSupplier clockMillis) throws IOException {
        this.settings = settings;
        this.clockMillis = clockMillis;
        subscribers = new Subscribers(EventFiles.folder(spool).resolve("subscribers"));
    }

    public boolean isOn() {
        return settings.isOn();
    }

    public EventSettings settings() {
        return settings;
    }

    /// The events of a shard that is being opened. Without a time to keep, earlier events are deleted.
    ///
    /// @param spool the folder of the shard
    public synchronized ShardEvents shard(int number, Path spool) {
        Path folder = EventFiles.folder(spool);
        folders.put(number, folder);
        ShardEvents events = new ShardEvents(number, begin -> EventFiles.open(folder, settings, begin, clockMillis,
                () -> subscribers.slowest(number)), this::appended, clockMillis);
        shards.put(number, events);
        return events;
    }

    /// Appends an event that the log does not have; it is on disk when this returns. Without events, nothing happens.
    public void tell(UnloggedEvent event) throws IOException {
        if (!isOn()) {
            return;
        }
        IOException trouble = new IOException("no shard writes events");
        for (ShardEvents each : inOrder()) {
            try {
                each.tell(event);
                return;
            } catch (IOException failed) {
                trouble = failed;
            }
        }
        throw trouble;
    }

    private synchronized List<ShardEvents> inOrder() {
        return shards.values().stream().sorted(Comparator.comparingInt(ShardEvents::shard)).toList();
    }

    /// Deletes the events of a shard, because none are written any more.
    public static void delete(Path spool) {
        try {
            EventFiles.deleteAll(EventFiles.folder(spool));
        } catch (IOException e) {
            log.warn("event=events-not-deleted error=\"{}\"", LogText.text(FailureWords.of(e)));
        }
    }

    public synchronized EventReader reader() {
        return new EventReader(Map.copyOf(folders), clockMillis);
    }

    public Subscribers subscribers() {
        return subscribers;
    }

    /// Events that were not written, or deleted unread, since the start.
    synchronized long dropped() {
        return shards.values().stream().mapToLong(ShardEvents::dropped).sum();
    }

    /// The reason why programs miss events now, or missed some within the last hour.
    public synchronized Optional<String> trouble() {
        Optional<String> failing = shards.values().stream()
                .flatMap(each -> each.trouble().map(why -> "shard " + each.shard() + ": " + why).stream()).findFirst();
        long count = dropped();
        if (count > droppedBefore) {
            droppedBefore = count;
            droppedMillis = clockMillis.getAsLong();
        }
        return failing.or(() -> Optional.of(count + " events were passed over or deleted unread since the start")
                .filter(_ -> count > 0 && clockMillis.getAsLong() - droppedMillis < TOLD_MILLIS));
    }

    private synchronized void appended() {
        appended++;
        notifyAll();
    }

    /// The next events behind a place; waits when there are none.
    ///
    /// @param limit from 1 to [EventReader#MOST]
    public EventReader.EventPage read(StreamCursor after, int limit, long waitMillis)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
        while (true) {
            long seen = count();
            EventReader.EventPage page = reader().read(after, limit);
            long rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (!page.lines().isEmpty() || rest <= 0) {
                return page;
            }
            await(seen, rest);
        }
    }

    private synchronized long count() {
        return appended;
    }

    private synchronized void await(long seen, long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long rest = millis; appended == seen && rest > 0; rest = TimeUnit.NANOSECONDS
                .toMillis(end - System.nanoTime())) {
            wait(rest);
        }
    }

    /// The subscribers by name, with their places.
    public List<Map.Entry<String, StreamCursor>> readers() {
        return subscribers.all().entrySet().stream().sorted(Map.Entry.comparingByKey()).toList();
    }
}
