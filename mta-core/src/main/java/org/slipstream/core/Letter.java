package org.slipstream.core;

import java.io.IOException;
import java.io.InputStream;

/// The content of a message: header and body, every line ended by CRLF, dots not stuffed, read as often as needed.
///
/// Whoever stores it decides where it lies; readers see a stream. An [IOException] is local trouble: it defers, and never
/// bounces.
public interface Letter {
    long sizeBytes();

    /// A fresh stream from the first byte. The reader closes it.
    InputStream open() throws IOException;
}
