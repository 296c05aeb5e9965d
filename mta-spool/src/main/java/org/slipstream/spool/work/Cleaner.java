package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.DamagedMessageException;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.MessageLog.ScannedRecord;
import org.slipstream.spool.log.NewMessage;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Keeps the size of the log in proportion to the queue. Belongs to the index thread.
///
/// Segments are deleted from the log's beginning only, because a record must outlive the message
/// that it is about. A segment is deleted when no message is stored in it and the index is synced
/// beyond it. So one message that waits for days would keep all later segments. When the log has
/// more than twice the segments that the queue would fill (and at least four), the messages that
/// are still queued in the first segment are appended once more at the end, with their current
/// state, and the first segment is empty.
///
/// A message is copied at most once while the log turns over, and the log turns over once for each
/// queue's size of new mail. So the cost is at most one byte copied per byte received, and close to
/// nothing while the queue is short. This is the cleaner of a log-structured file system (Rosenblum
/// and Ousterhout 1992), restricted to the oldest segment.
public final class Cleaner {
    private static final Logger log = LoggerFactory.getLogger(Cleaner.class);
    static final int AT_ONCE = 256;
    private static final long BYTES_AT_ONCE = 4 << 20;
    private static final long SPARE_SEGMENTS = 4;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// Makes the index durable.
    interface Sync {
        void run() throws IndexException;
    }

    /// A reader beside the queue.
    @FunctionalInterface
    public interface Follower {
        /// Segments before this one may go when the index has no message in them.
        ///
        /// @param applied up to there the index knows what is queued
        /// @param oldest segment of the log
        long firstToKeep(Position applied, long oldest);
    }

    private final MessageLog messageLog;
    private final long segmentBytes;
    private volatile Follower follower = (_, _) -> Long.MAX_VALUE;
    private final Deque<Placed> waiting = new ArrayDeque<>();
    private Optional<QueueIndex> started = Optional.empty();
    private Predicate<Task> writer = _ -> false;
    private Runnable again = () -> {};
    private volatile boolean underWay;
    /// The greatest segment that was copied; messages that changed during the copy are left out and
    /// copied the next time.
    private long copied;
    private long copiedNanos = System.nanoTime() - 2 * AGAIN_NANOS;
    private boolean copying;
    /// All records of hosts and of lost messages are in this segment or later ones.
    private long factsSegment;
    private Optional<Keeping> keeping = Optional.empty();
    private long looked;
    /// Segments that a warning has named.
    private List<Long> told = List.of();
    private long lookNanos = System.nanoTime();

    public Cleaner(MessageLog messageLog, long segmentBytes) {
        this.messageLog = messageLog;
        this.segmentBytes = segmentBytes;
    }

    /// Records of lost messages are being copied.
    ///
    /// @param segment from there on all facts are when this is done
    /// @param after the messages up to this one are done
    private record Keeping(long segment, Optional<QueueId> after) {}

    private record Placed(QueueId id, RecordPlace place, long sizeBytes) {}

    /// @param index has the whole log
    /// @param writer executes a task; false when it takes no more
    /// @param again runs on the log thread when [#step] may continue
    void start(QueueIndex index, Predicate<Task> writer, Runnable again) {
        this.writer = writer;
        this.again = again;
        started = Optional.of(index);
    }

    /// Any thread: deletes nothing that the follower needs. It is asked for the position up to which the index was
    /// applied, because it may ask for each message that the index had then.
    public void waitFor(Follower reader) {
        follower = reader;
    }

    /// Until the next [#start].
    void stop() {
        started = Optional.empty();
        waiting.clear();
        keeping = Optional.empty();
    }

    private QueueIndex index() {
        return started.orElseThrow();
    }

    /// @param position up to which the index has been applied
    void step(Position position, Sync sync) throws IOException {
        long applied = position.segment();
        if (underWay || started.isEmpty()) {
            return;
        }
        if (keeping.isPresent()) {
            keepLost(keeping.get());
            return;
        }
        if (waiting.isEmpty() && (copying || applied != looked || System.nanoTime() - lookNanos >= 0)) {
            copying = false;
            looked = applied;
            lookNanos = System.nanoTime() + LOOK_NANOS;
            look(position, sync);
        }
        if (!waiting.isEmpty()) {
            carry();
        }
    }

    private void look(Position position, Sync sync) throws IOException {
        long applied = position.segment();
        QueueIndex.Named named = index().named();
        Map<Long, Long> live = named.messages();
        SortedSet<Long> unread = new TreeSet<>(messageLog.segments()).headSet(messageLog.deletedUpTo() + 1);
        unread.removeIf(segment -> live.getOrDefault(segment, 0L) <= named.setAside().getOrDefault(segment, 0L));
        if (!unread.isEmpty()) {
            // A repair found messages in segments that were put back. No scan reads so far back, so nothing
            // is deleted before the messages have a place behind it.
            if (lookNanos - copiedNanos > AGAIN_NANOS) {
                beginUnread(unread.getFirst());
            }
            return;
        }
        SortedSet<Long> closed = new TreeSet<>(messageLog.segments());
        if (hasVanished(named, closed, applied)) {
            return;
        }
        // Segments before that were put back by hand.
        closed.removeIf(segment -> segment < messageLog.deletedUpTo() || segment >= applied);
        if (closed.isEmpty()) {
            return;
        }
        Set<Long> returned = messageLog.returned();
        List<Long> empty = closed.stream()
                .takeWhile(segment -> live.getOrDefault(segment, 0L) == 0 && !returned.contains(segment)).toList();
        if (!empty.isEmpty()) {
            long keep = follower.firstToKeep(position, closed.getFirst());
            List<Long> free = empty.stream().filter(segment -> segment < keep).toList();
            if (!free.isEmpty()) {
                delete(free, applied, sync);
            }
            return;
        }
        long most = SPARE_SEGMENTS + 2 * index().totals().sizeBytes() / segmentBytes;
        // A copied segment is deleted when the index has applied the copies; the next segment need
        // not wait for that.
        SortedSet<Long> left = closed.tailSet(copied + 1);
        if (left.size() > most) {
            begin(left.getFirst());
        } else if (closed.size() > most && lookNanos - copiedNanos > AGAIN_NANOS) {
            begin(closed.getFirst());
        }
    }

    /// A segment with queued mail is gone. A deletion behind it would say that the mail was finished, so nothing is
    /// deleted until the mail is set aside: by a reader that meets it, or by the next start.
    private boolean hasVanished(QueueIndex.Named named, Set<Long> present, long applied) {
        List<Long> vanished = named.messages().entrySet().stream()
                .filter(each -> each.getValue() > named.setAside().getOrDefault(each.getKey(), 0L))
                .map(Map.Entry::getKey)
                .filter(segment -> segment > messageLog.deletedUpTo() && segment < applied
                        && !present.contains(segment))
                .sorted().toList();
        vanished.stream().filter(segment -> !told.contains(segment)).forEach(segment -> log.warn(
                "event=segment-vanished segment={} count={} next=\"put it back, or its messages are set aside\"",
                segment, named.messages().get(segment)));
        told = vanished;
        return !vanished.isEmpty();
    }

    private void delete(List<Long> empty, long applied, Sync sync) throws IOException {
        if (factsSegment <= empty.getLast()) {
            keepFacts(applied);
            return;
        }
        sync.run();
        for (long segment : empty) {
            messageLog.delete(segment);
            log.debug("event=segment-deleted segment={}", segment);
        }
    }

    /// Copies records that would be deleted with their segments: those of hosts, standing orders, and messages
    /// whose own segment is missing. A host in the tail is left out: its latest record is beyond the
    /// index's position. There may be as many lost messages as a disk had, so they follow a page at a time.
    private void keepFacts(long applied) throws IOException {
        keeping = Optional.of(new Keeping(applied, Optional.empty()));
        append(Stream.<LogRecord>concat(index().hosts().stream().map(LogRecord.KeepHost::new),
                index().orders().stream().map(LogRecord.KeepOrder::new))
                .map(record -> new Task.Carried(record.subject(), Optional.empty(), List.of(record))).toList());
    }

    private void keepLost(Keeping from) throws IOException {
        QueueIndex.MessagePage page = index().setAside(from.after(), AT_ONCE);
        Optional<QueueId> last = Stream.concat(page.messages().stream().map(each -> each.summary().id()),
                page.damaged().stream().map(QueueIndex.DamagedMessage::id)).max(Comparator.naturalOrder());
        if (last.isEmpty()) {
            factsSegment = from.segment();
            keeping = Optional.empty();
            lookNanos = System.nanoTime();
            return;
        }
        Set<Long> present = messageLog.segments();
        Map<QueueId, QueueIndex.Located> places = index()
                .locate(page.messages().stream().map(each -> each.summary().id()).toList());
        List<Task.Carried> kept = new ArrayList<>();
        for (MessageDetails message : page.messages()) {
            QueueIndex.Located there = places.get(message.summary().id());
            if (there != null && !present.contains(there.place().segment())) {
                kept.add(new Task.Carried(message.summary().id(), Optional.empty(),
                        KnownState.ofLost(message, there.place())));
            }
        }
        keeping = Optional.of(new Keeping(from.segment(), last));
        append(kept);
    }

    private void append(List<Task.Carried> carried) {
        underWay = true;
        if (!writer.test(new Task.Carry(carried, this::appended))) {
            underWay = false;
        }
    }

    private void appended() {
        underWay = false;
        again.run();
    }

    private void begin(long segment) throws IOException {
        copying = true;
        copied = Math.max(copied, segment);
        copiedNanos = System.nanoTime();
        messageLog.scan(new Position(segment, 0), new Position(segment, Long.MAX_VALUE), found -> {
            if (found instanceof ScannedRecord.Sound(LogRecord.Stored stored, Position _)) {
                waiting.add(new Placed(stored.id(), stored.place(),
                        stored.place().ownFile() ? 0 : stored.message().sizeBytes()));
            }
        });
        log.debug("event=segment-cleaned segment={} count={}", segment, waiting.size());
    }

    private void beginUnread(long segment) throws IOException {
        copying = true;
        copiedNanos = System.nanoTime();
        index().locate(List.copyOf(index().inSegment(segment))).forEach((id, there) -> waiting
                .add(new Placed(id, there.place(), there.place().ownFile() ? 0 : there.sizeBytes())));
        log.debug("event=segment-cleaned segment={} count={}", segment, waiting.size());
    }

    private void carry() throws IOException {
        List<Placed> next = new ArrayList<>();
        long bytes = 0;
        while (next.size() < AT_ONCE && bytes < BYTES_AT_ONCE && !waiting.isEmpty()) {
            next.add(waiting.poll());
            bytes += next.getLast().sizeBytes();
        }
        Map<QueueId, QueueIndex.Located> located = index()
                .locate(next.stream().map(Placed::id).toList());
        List<Task.Carried> carried = new ArrayList<>();
        for (Placed stored : next) {
            QueueIndex.Located there = located.get(stored.id());
            if (there != null && there.place().equals(stored.place())) {
                carried(stored).ifPresent(carried::add);
            }
        }
        append(carried);
    }

    private Optional<Task.Carried> carried(Placed stored) throws IOException {
        try {
            NewMessage content = messageLog.read(stored.id(), stored.place());
            return Optional
                    .of(new Task.Carried(stored.id(), Optional.of(content), KnownState.of(index(), stored.id())));
        } catch (DamagedMessageException e) {
            // The message keeps its segment and all later ones until a reader meets it and sets it
            // aside.
            log.warn("event=message-not-copied queue={} reason=\"{}\"", stored.id(), e.getMessage());
            return Optional.empty();
        }
    }
}
