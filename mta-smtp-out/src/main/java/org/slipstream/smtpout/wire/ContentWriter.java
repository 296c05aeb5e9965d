package org.slipstream.smtpout.wire;

import java.io.IOException;

/// Writes a letter in the form of DATA. That framing is only as good as both sides' idea of a line: see [CleanLines].
final class ContentWriter {
    private ContentWriter() {}

    /// Takes framed content.
    interface Sink {
        /// @param last true when these bytes hold the final dot
        /// @return false to stop
        boolean write(byte[] bytes, int length, boolean last);
    }

    /// Writes all of the letter and the final dot, the dot never without the whole letter.
    ///
    /// @throws IOException when the letter could not be read; no dot has been written
    static void write(Chunks content, Sink sink) throws IOException {
        do {
            content.read();
        } while (sink.write(content.bytes(), content.length(), content.isLast()) && !content.isLast());
    }
}
