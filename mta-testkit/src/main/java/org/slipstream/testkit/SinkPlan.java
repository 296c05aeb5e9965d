package org.slipstream.testkit;

/// The behaviour of an [SmtpSink] on a connection: react to each command by a [SinkScript], or
/// follow a [Transcript] line by line.
public sealed interface SinkPlan permits SinkScript, Transcript {}
