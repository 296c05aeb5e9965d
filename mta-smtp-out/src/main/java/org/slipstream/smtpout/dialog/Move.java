package org.slipstream.smtpout.dialog;

/// What a [Pipeline] wants written next.
public sealed interface Move {
    /// One command or a group of them, ended by CRLF.
    record Write(String commands) implements Move {}

    /// The content of this delivery, dots stuffed, and the final dot; then [Pipeline#contentWritten].
    record WriteContent(long delivery) implements Move {}

    /// The next chunk of this delivery's content, as BDAT; [Pipeline#chunk] before it is written.
    record WriteChunk(long delivery) implements Move {}

    /// Nothing, until something is heard or another transaction begins.
    record Wait() implements Move {}
}
