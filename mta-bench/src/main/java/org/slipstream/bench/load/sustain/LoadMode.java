package org.slipstream.bench.load.sustain;

import java.nio.charset.StandardCharsets;

/// The mode of the client, and the extensions of the sink: the same on both sides of the server.
public enum LoadMode {
    /// Each command awaited.
    TURN(1, ""),
    /// RFC 2920: MAIL, RCPT and DATA together, then the content.
    PIPELINED(1, "250-PIPELINING\r\n"),
    /// RFC 3030: whole messages one behind the other, up to eight of those that are due.
    CHUNKED(8, "250-PIPELINING\r\n250-CHUNKING\r\n");

    /// Messages without a reply.
    final int ahead;
    private final String extensions;

    LoadMode(int ahead, String extensions) {
        this.ahead = ahead;
        this.extensions = extensions;
    }

    byte[] answerToEhlo() {
        return ("250-sink.example\r\n" + extensions + "250 8BITMIME\r\n").getBytes(StandardCharsets.US_ASCII);
    }
}
