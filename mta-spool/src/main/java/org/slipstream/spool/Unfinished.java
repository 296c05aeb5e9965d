package org.slipstream.spool;

import org.slipstream.core.QueueId;
import org.slipstream.spool.log.LogRecord;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Drops the records of messages that a list both adds and removes, because the index does not need
/// them. The removal stays, because the index may have had the message before.
final class Unfinished {
    private Unfinished() {}

    static List<LogRecord> of(List<LogRecord> records) {
        Set<QueueId> entered = new HashSet<>();
        Set<Object> finished = new HashSet<>();
        for (LogRecord record : records) {
            switch (record) {
                case LogRecord.Stored stored -> entered.add(stored.id());
                case LogRecord.Remove(QueueId id) when entered.contains(id) -> finished.add(id);
                default -> {
                }
            }
        }
        return finished.isEmpty()
                ? records
                : records.stream()
                        .filter(record -> record instanceof LogRecord.Remove || !finished.contains(record.subject()))
                        .toList();
    }
}
