package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.MessageLog.ScannedRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;
import org.slipstream.spool.work.Tail.Unapplied;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Gatherers;

/// Applies the rest of the log to the index: at a start, and when the index comes back older than
/// it was.
///
/// The index stores the position of the log up to which it was applied. The records after it are
/// applied in order. A new or lost index starts at the log's beginning, so it is made again. Every
/// step may be repeated: after a stop in the middle of a recovery, the next recovery starts over.
///
/// **In a running server** a part of the log waits in the [Tail]. The recovery reads the log to its
/// end nevertheless, and leaves out the records that the tail has. The position of the tail is no
/// border: behind it are records that the index had, and removals of messages that the tail has
/// forgotten because they were finished. Without these removals, finished mail would come back.
///
/// **Lost content.** A row may name a missing segment or file. If the segment was deleted in order
/// ([MessageLog#deletedUpTo]), the message was finished: the row comes from an older index, and is
/// removed. Every other message has lost its content. It is set aside with its sender and
/// recipients until an operator decides ([LostMessages]).
///
/// **Lost parts of the log.** The log knows which of its segments are missing or too short
/// ([MessageLog#gaps]). An index that was applied beyond such a part names its messages. Otherwise
/// some messages may have no name, so the part itself is reported in `corrupt/`. The index of a killed
/// server does not reach beyond the last segment, because the log went on after its position.
public final class Recovery {
    private static final Logger log = LoggerFactory.getLogger(Recovery.class);
    private static final int BATCH = 2000;

    private final MessageLog messageLog;
    private final QueueIndex index;
    private final Unapplied unapplied;
    private final IndexMaking making;
    private final boolean fromBeginning;
    private final List<LogRecord> waiting = new ArrayList<>();
    /// Messages whose loss was met, and no copy of them after it.
    private final Set<QueueId> lost = new HashSet<>();
    private Position reached;
    private long lastId;
    private int entered;
    private boolean damaged;

    private Recovery(MessageLog messageLog, QueueIndex index, Unapplied unapplied, IndexMaking making,
            QueueIndex.Standing standing) {
        this.messageLog = messageLog;
        this.index = index;
        this.unapplied = unapplied;
        this.making = making;
        reached = standing.position();
        fromBeginning = reached.equals(Position.START);
        lastId = standing.lastId();
    }

    /// @param lastId the greatest queue id
    /// @param entered messages
    /// @param damaged some of the records that were read are damaged
    public record Applied(long lastId, long entered, boolean damaged) {}

    /// Applies the records up to the end that the index does not have.
    public static Applied run(MessageLog messageLog, QueueIndex index, IndexMaking making) throws IOException {
        Position end = making.end();
        return run(messageLog, index, new Unapplied(end, end, Map.of()), making);
    }

    /// In a running server: applies the records that neither the index nor the tail has.
    static Applied run(MessageLog messageLog, QueueIndex index, Unapplied unapplied, IndexMaking making)
            throws IOException {
        Recovery recovery = new Recovery(messageLog, index, unapplied, making, index.standing());
        try {
            messageLog.scan(recovery.reached, unapplied.end(), recovery::meet);
            recovery.apply(unapplied.end());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        if (recovery.entered > 0) {
            log.info("event=log-applied count={}", recovery.entered);
        }
        return new Applied(recovery.lastId, recovery.entered, recovery.damaged);
    }

    private void meet(ScannedRecord found) {
        switch (found) {
            case ScannedRecord.Sound(LogRecord record, Position at) -> meet(record, at);
            case ScannedRecord.Damaged(long segment, long offset, long bytes, String copy) -> {
                damaged = true;
                log.warn("event=record-set-aside segment={} offset={} bytes={} copy={}", segment, offset, bytes, copy);
            }
            case ScannedRecord.Headless(long segment, String copy) ->
                log.warn("event=segment-header-damaged segment={} copy={} next=\"its records are read nevertheless\"",
                        segment,
                        copy);
            case ScannedRecord.Torn(long segment, long offset, long bytes) ->
                log.info("event=log-ends-inside-record segment={} offset={} bytes={}", segment, offset, bytes);
        }
    }

    private void meet(LogRecord record, Position at) {
        if (waiting.size() >= BATCH && !at.equals(reached)) {
            apply(at);
        }
        reached = at;
        if (fromBeginning && record instanceof LogRecord.SetAside) {
            // Whether its content can be read is checked again, because the operator may have
            // restored it.
            return;
        }
        if (unapplied.contains(record, at)) {
            return;
        }
        if (record instanceof LogRecord.Lost loss) {
            meet(loss);
            return;
        }
        if (record instanceof LogRecord.Stored stored) {
            if (lost.remove(stored.id())) {
                // A repair found it, and the cleaner copied it: the copy replaces the loss.
                waiting.add(new LogRecord.Remove(stored.id()));
            }
            lastId = Math.max(lastId, stored.id().value());
            entered++;
        }
        waiting.add(record);
    }

    /// The loss of a message was recorded. When its record is back, the log itself says what became of the message, a
    /// removal included. A segment that was deleted in order and put back is not scanned, so its message is entered.
    private void meet(LogRecord.Lost loss) {
        boolean readable = isReadable(messageLog, loss.id(), loss.place());
        if (readable && loss.place().segment() > messageLog.deletedUpTo()) {
            return;
        }
        lastId = Math.max(lastId, loss.id().value());
        waiting.add(loss);
        if (!readable) {
            lost.add(loss.id());
            waiting.add(new LogRecord.SetAside(loss.id()));
        }
    }

    private static boolean isReadable(MessageLog messageLog, QueueId id, RecordPlace place) {
        try {
            messageLog.read(id, place);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Applies collected records. Messages that came and left since the index's last position never
    /// get rows.
    private void apply(Position upTo) {
        try {
            Position position = upTo.compareTo(unapplied.position()) < 0 ? upTo : unapplied.position();
            index.apply(Unfinished.of(waiting), position, lastId);
            waiting.clear();
            making.step(entered);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sets aside messages whose content is missing, reports what is lost of the log, and clears away content
    /// files that no message names.
    ///
    /// An index that was applied up to here names all messages before.
    ///
    /// @param isEnd the log had no record behind it
    public record Known(Position position, boolean isEnd) {
        boolean covers(MessageLog.Gap gap) {
            if (gap.segment() != position.segment()) {
                return gap.segment() < position.segment();
            }
            return gap.whole() ? gap.sound() <= position.offset() : isEnd && position.offset() > 0;
        }
    }

    /// @param damaged records were lost, so a content file without a record may be that of a message
    public static void settle(MessageLog messageLog, QueueIndex index, IndexMaking making, Known known,
            boolean damaged) throws IOException {
        LostMessages lost = new LostMessages(messageLog, index, making);
        boolean lacks = damaged || messageLog.lacksSegments();
        for (MessageLog.Gap gap : messageLog.gaps()) {
            lacks = true;
            report(gap, known, messageLog);
            if (gap.bytes() > 0) {
                lost.add(unreadable(messageLog, index, gap.segment()), "segment " + gap.segment() + " is too short");
            }
            messageLog.reported(gap);
        }
        QueueIndex.Named named = index.named();
        Set<QueueId> finished = settleSegments(messageLog, index, named, lost);
        Set<QueueId> files = messageLog.ownFiles();
        List<QueueId> withoutFile = new ArrayList<>();
        for (QueueId id : named.ownFiles()) {
            if (!files.contains(id) && !finished.contains(id) && making.isQueued(id)
                    && !messageLog.hasOwnFile(id) && !messageLog.restoreOwnFile(id)) {
                withoutFile.add(id);
            }
        }
        lost.add(index.queued(withoutFile), "its file in large/ is missing");
        clear(messageLog, making.leftFiles(), making.leftFiles().unnamed(files, named.ownFiles()), lacks);
    }

    private static Set<QueueId> settleSegments(MessageLog messageLog, QueueIndex index, QueueIndex.Named named,
            LostMessages lost) throws IOException {
        Set<Long> present = messageLog.segments();
        Set<QueueId> finished = new HashSet<>();
        for (Map.Entry<Long, Long> each : named.messages().entrySet()) {
            long segment = each.getKey();
            if (present.contains(segment) || each.getValue() <= named.setAside().getOrDefault(segment, 0L)) {
                continue;
            }
            if (segment <= messageLog.deletedUpTo()) {
                finished.addAll(index.inSegment(segment));
            } else {
                lost.add(index.inSegment(segment), "segment " + segment + " is missing");
            }
        }
        drop(index, finished);
        return finished;
    }

    private static void report(MessageLog.Gap gap, Known known, MessageLog messageLog) throws IOException {
        boolean named = known.covers(gap);
        log.warn("event=segment-lost segment={} bytes={} sound={} next=\"{}\"", gap.segment(), gap.bytes(), gap.sound(),
                named ? "its messages are set aside" : "not all of its messages are known");
        if (!named) {
            messageLog.note("segment-" + gap.segment() + "-lost.txt", List.of(gap.sentence()
                    + " It may have had messages that no index names. Put it back and run `mta spool repair`,"
                    + " or delete this file when it is lost for good."));
        }
    }

    private static List<QueueId> unreadable(MessageLog messageLog, QueueIndex index, long segment) throws IOException {
        List<QueueId> unreadable = new ArrayList<>();
        for (List<QueueId> page : pages(index.inSegment(segment))) {
            index.locate(page).forEach((id, there) -> {
                if (!isReadable(messageLog, id, there.place())) {
                    unreadable.add(id);
                }
            });
        }
        return unreadable;
    }

    /// A draft that had no 250 leaves such a file at a kill. While a part of the log is missing, the file may
    /// also be the content of a message, and is kept.
    private static void clear(MessageLog messageLog, LeftFiles left, Set<QueueId> unnamed, boolean lacks)
            throws IOException {
        for (QueueId unnamedId : unnamed) {
            left.clear(unnamedId, id -> {
                if (lacks && messageLog.hasOwnFile(id)) {
                    messageLog.setOwnFileAside(id);
                } else {
                    messageLog.deleteOwnFile(id);
                }
            });
        }
        if (lacks && !unnamed.isEmpty()) {
            log.warn("event=contents-set-aside count={} reason=\"no record names them, and a part of the log is lost\"",
                    unnamed.size());
        }
    }

    private static void drop(QueueIndex index, Set<QueueId> ids) throws IOException {
        if (!ids.isEmpty()) {
            log.info("event=old-rows-dropped count={} reason=\"their segments were deleted, so they were finished\"",
                    ids.size());
            QueueIndex.Standing standing = index.standing();
            for (List<QueueId> page : pages(ids)) {
                index.apply(page.stream().<LogRecord>map(LogRecord.Remove::new).toList(), standing.position(),
                        standing.lastId());
            }
        }
    }

    private static List<List<QueueId>> pages(Set<QueueId> ids) {
        return ids.stream().gather(Gatherers.windowFixed(BATCH)).toList();
    }
}
