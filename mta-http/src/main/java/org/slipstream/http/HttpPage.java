package org.slipstream.http;

import java.io.IOException;
import java.time.Duration;

/// Answers the requests below one path of an [HttpListener].
public interface HttpPage {
    /// @throws IOException as a body is read; the listener answers a malformed or too long one itself
    HttpAnswer answer(HttpRequest request) throws IOException;

    /// Length of the longest body.
    long mostOctets();

    /// For one request, from the end of its head to the last octet of the answer. Silence ends it earlier.
    Duration mostTime();
}
