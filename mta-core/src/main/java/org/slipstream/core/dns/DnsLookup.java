package org.slipstream.core.dns;

/// Asks DNS for the records of a name, as text. An asker with a budget of time answers
/// [TextAnswer.Trouble] when it is used up; the judges of answers have no clock.
@FunctionalInterface
public interface DnsLookup {
    /// @param name absolute, with or without the final dot; a text that cannot be a name of DNS does
    /// not exist
    TextAnswer ask(String name, RecordType type);
}
