package org.slipstream.spool.work;

import org.slipstream.core.QueueId;
import org.slipstream.spool.log.LogRecord;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Drops the records of messages that a list both adds and removes, because the index does not need
/// them. The removal stays, because the index may have had the message before.
final class Unfinished {
    private Unfinished() {}

    static List<LogRecord> of(List<LogRecord> records) {
        Set<QueueId> entered = new HashSet<>();
        Map<Object, Integer> finished = new HashMap<>();
        for (int i = 0; i < records.size(); i++) {
            switch (records.get(i)) {
                case LogRecord.Stored stored -> entered.add(stored.id());
                case LogRecord.Remove(QueueId id) when entered.contains(id) -> finished.put(id, i);
                default -> {
                }
            }
        }
        if (finished.isEmpty()) {
            return records;
        }
        List<LogRecord> left = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            LogRecord record = records.get(i);
            // Records after the removal belong to a message that came back from another spool.
            if (record instanceof LogRecord.Remove || i > finished.getOrDefault(record.subject(), -1)) {
                left.add(record);
            }
        }
        return left;
    }
}
