package org.slipstream.core;

/// The two queues of Postfix in which a message waits for its turn.
public enum QueueName {
    /// New mail: never tried, never put off.
    INCOMING,
    /// Mail with a next attempt.
    DEFERRED
}
