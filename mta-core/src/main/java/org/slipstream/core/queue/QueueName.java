package org.slipstream.core.queue;

/// The two queues in which a message waits, as in Postfix.
public enum QueueName {
    /// New mail, before its first attempt.
    INCOMING,
    /// Mail that waits for its next attempt.
    DEFERRED
}
