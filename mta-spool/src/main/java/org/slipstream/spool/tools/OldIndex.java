package org.slipstream.spool.tools;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.QueueIndex.Located;
import org.slipstream.spool.index.UnusableIndexException;
import org.slipstream.spool.log.Directories;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.MessageLog.ScannedRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.work.IndexMaking;
import org.slipstream.spool.work.LostMessages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// An index that is not trusted any more, as the witness of what the log has lost. It names senders and recipients of
/// messages whose records are missing, and the index that is made from the log cannot know them.
///
/// **What is lost.** A message that the old index names, and that the log has neither stored nor finished. Three facts
/// prove that a message was finished: a removal in the log behind its place, a place in a segment that was deleted in
/// order, or the lack of a row. The first one is needed because the old index is some seconds behind the log. A lost
/// message is written into the log with its state, as set aside ([LogRecord.Lost]), so that the next kill does not
/// forget it. Records behind the old index's position are newer than its rows and follow them.
///
/// **When.** The file keeps its name `old-….mv.db` until the lost messages are durable in the log. A start that is
/// killed before is repeated with the same witness, because the half-made index beside it knows less.
final class OldIndex implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OldIndex.class);
    private static final String PENDING = "old-";
    private static final String SUFFIX = ".mv.db";
    /// Ids of one question.
    private static final int PAGE = 2_000;
    /// Messages that the log is searched for at a time: some 10 MiB.
    private static final int MOST_UNKNOWN = 50_000;

    private final Path file;
    private final QueueIndex rows;
    private final Position position;

    private OldIndex(Path file, QueueIndex rows, Position position) {
        this.file = file;
        this.rows = rows;
        this.position = position;
    }

    /// Sets the index of the spool aside as a witness.
    ///
    /// @param name the name of its file afterwards, when it has been asked
    static void keep(Path directory, String name) throws IOException {
        Path index = directory.resolve(IndexDatabase.FILE_NAME);
        if (Files.exists(directory.resolve(PENDING + name))) {
            // The start that made this index from the log did not come to its end.
            Files.delete(index);
        } else {
            Files.move(index, directory.resolve(PENDING + name));
        }
        Directories.sync(directory);
    }

    /// The witnesses that have not been asked.
    static List<Path> pending(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(PENDING)
                    && file.getFileName().toString().endsWith(SUFFIX)).sorted().toList();
        }
    }

    /// @return empty when the file cannot be read
    static Optional<OldIndex> open(Path file) {
        QueueIndex rows = null;
        try {
            rows = IndexDatabase.openOld(file);
            return Optional.of(new OldIndex(file, rows, rows.standing().position()));
        } catch (UnusableIndexException | IOException | RuntimeException e) {
            if (rows != null) {
                rows.close();
            }
            notRead(file, e);
            return Optional.empty();
        }
    }

    private static void notRead(Path file, Exception e) {
        log.warn("event=old-index-not-read file={} error=\"{}\" next=\"messages that only it names are not known\"",
                file, LogText.text(e.toString()));
    }

    /// The log reached it.
    Position position() {
        return position;
    }

    /// Writes the messages that only this index knows into log and index, as set aside.
    ///
    /// @return false when not all rows could be read
    boolean ask(MessageLog messageLog, QueueIndex index, IndexMaking making) throws IOException {
        boolean complete = true;
        Unknown found = new Unknown(Map.of(), Optional.empty());
        do {
            try {
                found = unknown(messageLog, index, found.next());
            } catch (IOException | RuntimeException e) {
                notRead(file, e);
                return false;
            }
            complete &= found.places().isEmpty() || setAside(messageLog, index, making, found.places());
        } while (found.next().isPresent());
        return complete;
    }

    private boolean setAside(MessageLog messageLog, QueueIndex index, IndexMaking making,
            Map<QueueId, Located> unknown) throws IOException {
        Map<QueueId, List<LogRecord>> later = dropFinished(messageLog, unknown);
        boolean complete = true;
        List<QueueId> ids = List.copyOf(unknown.keySet());
        for (int from = 0; from < ids.size(); from += LostMessages.PAGE) {
            List<QueueId> page = ids.subList(from, Math.min(ids.size(), from + LostMessages.PAGE));
            QueueIndex.MessagePage known;
            try {
                known = rows.whole(page);
            } catch (IOException | RuntimeException e) {
                notRead(file, e);
                known = new QueueIndex.MessagePage(List.of(), page.stream()
                        .map(id -> new QueueIndex.DamagedMessage(id, String.valueOf(e.getMessage()))).toList());
                complete = false;
            }
            LostMessages lost = new LostMessages(messageLog, index, making);
            for (MessageDetails message : known.messages()) {
                QueueId id = message.summary().id();
                lost.add(message, Objects.requireNonNull(unknown.get(id)).place(), later.getOrDefault(id, List.of()),
                        "only the old index knows it");
            }
            lost.write();
            for (QueueIndex.DamagedMessage each : known.damaged()) {
                log.warn("event=message-lost queue={} reason=\"{}\"", each.id(), LogText.text(each.what()));
                messageLog.note("message-" + each.id() + "-lost.txt", List.of("Message " + each.id()
                        + " is lost. Only the old index knows it, and its rows are damaged: " + each.what()));
            }
        }
        return complete;
    }

    /// Messages of this index that the other one does not have.
    ///
    /// @param next where to continue
    private record Unknown(Map<QueueId, Located> places, Optional<QueueId> next) {}

    private Unknown unknown(MessageLog messageLog, QueueIndex index, Optional<QueueId> from) throws IOException {
        Map<QueueId, Located> unknown = new TreeMap<>();
        Optional<QueueId> after = from;
        for (List<QueueId> page = rows.ids(after, PAGE); !page.isEmpty(); page = rows.ids(after, PAGE)) {
            List<QueueId> left = new ArrayList<>(page);
            left.removeAll(index.locate(page).keySet());
            if (!left.isEmpty()) {
                rows.locate(left).forEach((id, there) -> {
                    if (there.place().segment() > messageLog.deletedUpTo()) {
                        unknown.put(id, there);
                    }
                });
            }
            after = Optional.of(page.getLast());
            if (unknown.size() >= MOST_UNKNOWN) {
                return new Unknown(unknown, after);
            }
        }
        return new Unknown(unknown, Optional.empty());
    }

    /// Takes away what a removal behind its place finished, and wrong rows: another message is at
    /// their place. Two passes: nearly all removals are behind this index's position, in the last
    /// seconds of the log.
    ///
    /// @return changes that this index does not have
    private Map<QueueId, List<LogRecord>> dropFinished(MessageLog messageLog, Map<QueueId, Located> unknown)
            throws IOException {
        Map<QueueId, List<LogRecord>> later = new HashMap<>();
        Map<Position, QueueId> places = new HashMap<>();
        unknown.forEach((id, there) -> places.put(position(there), id));
        Position end = new Position(Long.MAX_VALUE, 0);
        messageLog.scan(position, end, found -> {
            if (found instanceof ScannedRecord.Sound(LogRecord.OfMessage record, Position at)
                    && isOpen(record, at, places, unknown) && !(record instanceof LogRecord.Stored)) {
                later.computeIfAbsent(record.id(), _ -> new ArrayList<>()).add(record);
            }
        });
        Optional<Long> first = unknown.values().stream().map(each -> each.place().segment()).min(Long::compare);
        if (first.isPresent()) {
            messageLog.scan(new Position(first.get(), 0), position, found -> {
                if (found instanceof ScannedRecord.Sound(LogRecord.OfMessage record, Position at)) {
                    isOpen(record, at, places, unknown);
                }
            });
        }
        return later;
    }

    /// @return true when the record is about one of the messages that are still unknown to the log
    private static boolean isOpen(LogRecord.OfMessage record, Position at, Map<Position, QueueId> places,
            Map<QueueId, Located> unknown) {
        QueueId claimed = places.get(at);
        if (claimed != null && !claimed.equals(record.id())) {
            unknown.remove(claimed);
        }
        Located there = unknown.get(record.id());
        if (there != null && record instanceof LogRecord.Remove && at.compareTo(position(there)) > 0) {
            unknown.remove(record.id());
        }
        return unknown.containsKey(record.id());
    }

    private static Position position(Located there) {
        return new Position(there.place().segment(), there.place().offset());
    }

    @Override
    public void close() {
        rows.close();
    }

    /// The witness was asked, and the log has what it said.
    static void asked(Path directory, Path file) throws IOException {
        Path kept = directory.resolve(file.getFileName().toString().substring(PENDING.length()));
        Files.deleteIfExists(kept);
        Files.move(file, kept);
        Directories.sync(directory);
    }
}
