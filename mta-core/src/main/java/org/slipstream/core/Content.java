package org.slipstream.core;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// The content of a message: header and body, with CRLF line ends and without dot-stuffing. It can
/// be read any number of times.
///
/// The implementation decides on the storage; readers see a stream. An [IOException] is a local
/// failure: it defers the message and never bounces it.
public interface Content {
    /// A content in memory.
    ///
    /// @param bytes are not changed any more
    static Content of(byte[] bytes) {
        return new Content() {
            @Override
            public long sizeBytes() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        };
    }

    long sizeBytes();

    /// A new stream from the first byte. The reader closes it.
    InputStream open() throws IOException;

    /// The storage of the bytes, for a sender that transfers them from there; empty when [#open] is
    /// the only way. The sender closes it.
    default Optional<ContentSource> source() throws IOException {
        return Optional.empty();
    }

    /// Facts that the SMTP server recorded during DATA; empty when they are unknown.
    default Optional<ContentFacts> facts() throws IOException {
        return Optional.empty();
    }
}
