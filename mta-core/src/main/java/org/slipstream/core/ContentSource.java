package org.slipstream.core;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;

/// Where the bytes of a content lie, for a sender that hands them to the network from there, without a copy of its own. The bytes do
/// not change any more.
public sealed interface ContentSource extends Closeable {
    long sizeBytes();

    /// A part of an array.
    record InMemory(byte[] bytes, int offset, int length) implements ContentSource {
        @Override
        public long sizeBytes() {
            return length;
        }

        @Override
        public void close() {
            // The collector's.
        }
    }

    /// A part of a file whose checksum was verified when the file was opened.
    record InFile(FileChannel file, long offset, long sizeBytes) implements ContentSource {
        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
