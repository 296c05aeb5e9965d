package org.slipstream.core;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;

/// The storage of a content's bytes, from which a sender transfers them to the network without a
/// copy. The bytes are immutable.
public sealed interface ContentSource extends Closeable {
    long sizeBytes();

    /// A range of an array.
    record InMemory(byte[] bytes, int offset, int length) implements ContentSource {
        @Override
        public long sizeBytes() {
            return length;
        }

        @Override
        public void close() {
            // Nothing to release.
        }
    }

    /// A range of a file whose checksum was verified when the file was opened.
    record InFile(FileChannel file, long offset, long sizeBytes) implements ContentSource {
        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
