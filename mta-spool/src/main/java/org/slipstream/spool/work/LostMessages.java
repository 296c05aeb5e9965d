package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.RecordPlace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Messages whose contents a start misses. Each is set aside and reported: by a warning, by records in the message log
/// that have its sender and recipients, and by a line in a file for the operator. A whole disk may be lost, so they are
/// read and written a page at a time.
public final class LostMessages {
    /// The list in `corrupt/`. Its messages are counted as set aside, so the file itself is not counted.
    static final String LIST = "lost-messages.txt";

    private static final Logger log = LoggerFactory.getLogger(LostMessages.class);
    /// Messages that are read with all their rows, and written with one sync.
    public static final int PAGE = 200;

    private final MessageLog messageLog;
    private final QueueIndex index;
    private final IndexMaking making;
    private final List<LogRecord> records = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private final Map<QueueId, String> told = new LinkedHashMap<>();

    public LostMessages(MessageLog messageLog, QueueIndex index, IndexMaking making) {
        this.messageLog = messageLog;
        this.index = index;
        this.making = making;
    }

    /// @param later changes that are newer than `message`
    public void add(MessageDetails message, RecordPlace place, List<LogRecord> later, String reason) {
        List<LogRecord> known = KnownState.ofLost(message, place);
        List<LogRecord> all = new ArrayList<>(known.subList(0, known.size() - 1));
        all.addAll(later);
        all.add(known.getLast());
        records.addAll(all);
        told.put(message.summary().id(), reason);
        lines.add("Message " + message.summary().id() + Spool.SetAside.envelope(message) + ": "
                + reason);
    }

    /// Messages that the index names. Returns when all are written.
    void add(Collection<QueueId> ids, String reason) throws IOException {
        List<QueueId> all = List.copyOf(ids);
        for (int from = 0; from < all.size(); from += PAGE) {
            List<QueueId> page = all.subList(from, Math.min(all.size(), from + PAGE));
            var places = index.locate(page);
            QueueIndex.MessagePage known = index.whole(page);
            for (MessageDetails message : known.messages()) {
                QueueIndex.Located there = places.get(message.summary().id());
                if (there != null) {
                    add(message, there.place(), List.of(), reason);
                }
            }
            for (QueueIndex.DamagedMessage each : known.damaged()) {
                told.put(each.id(), reason);
                records.add(new LogRecord.SetAside(each.id()));
            }
            write();
        }
    }

    /// Returns when what was added is durable in the log, and in the index.
    public void write() throws IOException {
        if (!records.isEmpty()) {
            // A log that has another owner by now does not take them.
            making.write(records);
            told.forEach((id, reason) -> log.warn(
                    "event=message-set-aside queue={} reason=\"{}\" next=\"mta spool corrupt list\"", id,
                    LogText.text(reason)));
            told.clear();
            QueueIndex.Standing standing = index.standing();
            index.apply(records, standing.position(), standing.lastId());
            messageLog.note(LIST, lines);
            records.clear();
            lines.clear();
        }
    }
}
