package org.slipstream.spool.log;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The contents of large messages, beside the log and named by their queue ids. Used by any thread.
public interface LargeContents {
    LargeContent create(QueueId id) throws IOException;

    /// Makes durable that these contents are there, at the latest with the commit of the group that follows.
    ///
    /// @param named by messages of the group
    void sync(Set<QueueId> named) throws IOException;

    /// @throws java.nio.file.NoSuchFileException when the place of the contents is there and this one is not
    InputStream open(QueueId id) throws IOException;

    /// The content as a file that the kernel can send; empty when it lies elsewhere.
    Optional<FileChannel> file(QueueId id) throws IOException;

    boolean has(QueueId id) throws IOException;

    List<QueueId> list() throws IOException;

    void delete(QueueId id) throws IOException;

    /// Keeps a content for the operator, out of the way.
    void setAside(QueueId id) throws IOException;

    /// @return false when no such content is set aside
    boolean isAside(QueueId id) throws IOException;

    /// Takes a content back that was set aside. Durable when this returns.
    void restore(QueueId id) throws IOException;
}
