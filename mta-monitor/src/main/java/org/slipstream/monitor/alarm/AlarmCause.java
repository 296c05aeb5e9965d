package org.slipstream.monitor.alarm;

/// A failure that lasts, as the server's list of troubles has it.
///
/// @param what its kind: `index`
/// @param subject the part of the server that has it: `shard 2`; empty for the whole server
/// @param since ISO 8601 in UTC; empty when it is not known
/// @param meaning the effect on mail
/// @param reason the error text of the system
public record AlarmCause(String what, String subject, String since, String meaning, String reason) {
    /// Two causes with the same name are the same trouble, although their texts may differ.
    String name() {
        return subject.isEmpty() ? what : what + " of " + subject;
    }
}
