package org.slipstream.core;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// The content of a message: header and body, every line ended by CRLF, dots not stuffed, read as often as needed.
///
/// Whoever stores it decides where it lies; readers see a stream. An [IOException] is local trouble: it defers, and never
/// bounces.
public interface Content {
    long sizeBytes();

    /// A fresh stream from the first byte. The reader closes it.
    InputStream open() throws IOException;

    /// Where the bytes lie, when a sender can take them from there; empty when [#open] is the only way. The sender closes it.
    default Optional<ContentSource> source() throws IOException {
        return Optional.empty();
    }

    /// What intake learned of it; empty when nothing is known.
    default Optional<ContentFacts> facts() throws IOException {
        return Optional.empty();
    }
}
