package org.slipstream.smtpout.dialog;

/// The next output of a [Pipeline].
public sealed interface PipelineStep {
    /// One command or a group of them, ended by CRLF.
    record Write(String commands) implements PipelineStep {}

    /// The content of this delivery, dots stuffed, and the final dot; then
    /// [Pipeline#contentWritten].
    record WriteContent(long delivery) implements PipelineStep {}

    /// The next chunk of this delivery's content as BDAT; call [Pipeline#chunk] before writing it.
    record WriteChunk(long delivery) implements PipelineStep {}

    /// Nothing, until a reply arrives or another transaction begins.
    record Wait() implements PipelineStep {}
}
