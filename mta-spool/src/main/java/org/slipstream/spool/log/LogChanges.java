package org.slipstream.spool.log;

/// Takes the changes of messages from the log without their contents, in order.
public interface LogChanges {
    /// A message came, or the cleaner copied it to this place.
    ///
    /// @param dueMillis its first attempt
    /// @param notBeforeMillis the time that its sender named, or 0
    void stored(long id, RecordPlace place, long sizeBytes, long dueMillis, long notBeforeMillis);

    /// A message whose record is lost; only the record at `at` says what is known of it.
    void lost(long id, RecordPlace place, long sizeBytes, Position at);

    /// A record about the message, which has to be read to know more.
    void told(long id, Position at);

    void nextAttempt(long id, long atMillis);

    void removed(long id);

    /// Another record that is complete: whether a message is held, what is known of a host.
    void changed(LogRecord record);
}
