package org.slipstream.spool.log;

import java.io.IOException;
import java.io.InputStream;

/// The content of a large message while it is written, by one session thread.
public interface LargeContent extends AutoCloseable {
    void write(byte[] bytes, int offset, int length) throws IOException;

    /// Everything that was written.
    InputStream open() throws IOException;

    /// Replaces the first bytes, and moves the rest. A crash leaves a content that no message names.
    void replaceStart(int bytes, byte[] start) throws IOException;

    /// Ends the content. It is durable when a group that names it is; nothing may be written afterwards.
    NewMessage.InOwnFile finish() throws IOException;

    /// Deletes the content.
    void discard() throws IOException;

    @Override
    void close() throws IOException;
}
