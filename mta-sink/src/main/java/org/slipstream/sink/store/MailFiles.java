package org.slipstream.sink.store;

import java.io.IOException;

/// Where messages are written beside memory.
public interface MailFiles {
    /// Returns when the message is written.
    void write(CaughtMessage message) throws IOException;

    /// No files.
    MailFiles NONE = _ -> {};
}
