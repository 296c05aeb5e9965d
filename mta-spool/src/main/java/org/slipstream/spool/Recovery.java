package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Tail.Unapplied;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.MessageLog.ScannedRecord;
import org.slipstream.spool.log.Position;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
/// recipients until an operator decides.
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
    private static final int BATCH = 2000;

    private final MessageLog log;
    private final QueueIndex index;
    private final Unapplied unapplied;
    private final boolean fromBeginning;
    private final List<LogRecord> waiting = new ArrayList<>();
    private Position reached;
    private long lastId;
    private int entered;

    private Recovery(MessageLog log, QueueIndex index, Unapplied unapplied, QueueIndex.Standing standing) {
        this.log = log;
        this.index = index;
        this.unapplied = unapplied;
        reached = standing.position();
        fromBeginning = reached.equals(Position.START);
        lastId = standing.lastId();
    }

    /// At a start: applies the records that the index does not have.
    ///
    /// @param end of the log
    /// @return the greatest queue id
    static long run(MessageLog log, QueueIndex index, Position end) throws IOException {
        return run(log, index, new Unapplied(end, end, Map.of()));
    }

    /// In a running server: applies the records that neither the index nor the tail has.
    ///
    /// @return the greatest queue id
    static long run(MessageLog log, QueueIndex index, Unapplied unapplied) throws IOException {
        Recovery recovery = new Recovery(log, index, unapplied, index.standing());
        try {
            log.scan(recovery.reached, unapplied.end(), recovery::meet);
            recovery.apply(unapplied.end());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        if (recovery.entered > 0) {
            LOG.info("event=log-applied count={}", recovery.entered);
        }
        return recovery.lastId;
    }

    private void meet(ScannedRecord found) {
        switch (found) {
            case ScannedRecord.Sound(LogRecord record, Position at) -> meet(record, at);
            case ScannedRecord.Withdrawn(long first, long last) ->
                waiting.removeIf(each -> each instanceof LogRecord.Stored stored
                        && stored.message().seq() >= first && stored.message().seq() <= last);
            case ScannedRecord.Damaged(long segment, long offset, long bytes, String copy) ->
                LOG.warn("event=record-set-aside segment={} offset={} bytes={} copy={}", segment, offset, bytes, copy);
            case ScannedRecord.Headless(long segment, String copy) ->
                LOG.warn("event=segment-header-damaged segment={} copy={} next=\"its records are read nevertheless\"",
                        segment,
                        copy);
            case ScannedRecord.Torn(long segment, long offset, long bytes) ->
                LOG.info("event=log-ends-inside-record segment={} offset={} bytes={}", segment, offset, bytes);
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
        if (record instanceof LogRecord.Stored stored) {
            lastId = Math.max(lastId, stored.id().value());
            entered++;
        }
        waiting.add(record);
    }

    /// Applies collected records. Messages that came and left since the index's last position never
    /// get rows.
    private void apply(Position upTo) {
        try {
            Position position = upTo.compareTo(unapplied.position()) < 0 ? upTo : unapplied.position();
            index.apply(Unfinished.of(waiting), position, lastId);
            waiting.clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sets aside messages whose content is missing, and deletes content files that no message
    /// names.
    static void settle(MessageLog log, QueueIndex index) throws IOException {
        QueueIndex.Named named = index.named();
        Set<Long> present = log.segments();
        List<LogRecord> changes = new ArrayList<>();
        Set<QueueId> finished = new HashSet<>();
        for (Map.Entry<Long, Long> each : named.messages().entrySet()) {
            long segment = each.getKey();
            if (present.contains(segment) || each.getValue() <= named.setAside().getOrDefault(segment, 0L)) {
                continue;
            }
            if (segment <= log.deletedUpTo()) {
                finished.addAll(index.inSegment(segment));
            } else {
                setAside(index.inSegment(segment), "segment " + segment + " is missing", changes);
            }
        }
        drop(finished, changes);
        Set<QueueId> files = log.ownFiles();
        List<QueueId> withoutFile = named.ownFiles().stream()
                .filter(id -> !files.contains(id) && !finished.contains(id)).toList();
        setAside(index.queued(withoutFile), "its file in large/ is missing", changes);
        if (!changes.isEmpty()) {
            QueueIndex.Standing standing = index.standing();
            index.apply(changes, standing.position(), standing.lastId());
        }
        Set<QueueId> unnamed = new HashSet<>(files);
        unnamed.removeAll(named.ownFiles());
        for (QueueId id : unnamed) {
            log.deleteOwnFile(id);
        }
    }

    private static void drop(Set<QueueId> ids, List<LogRecord> changes) {
        if (!ids.isEmpty()) {
            LOG.info("event=old-rows-dropped count={} reason=\"their segments were deleted, so they were finished\"",
                    ids.size());
        }
        ids.forEach(id -> changes.add(new LogRecord.Remove(id)));
    }

    private static void setAside(Set<QueueId> ids, String reason, List<LogRecord> changes) {
        for (QueueId id : ids) {
            LOG.warn("event=message-set-aside queue={} reason=\"{}\" next=\"mta spool corrupt list\"", id,
                    LogText.text(reason));
            changes.add(new LogRecord.SetAside(id));
        }
    }
}
