package org.slipstream.spool.log;

/// What is kept of another host. The spool does not know what it means.
///
/// @param host its key
/// @param kind of the record; a host has at most one of each
/// @param name what it was called last
/// @param failures in a row
/// @param words a reply, or what an operator said
/// @param author of the words, where it was an operator
public record HostRecord(String host, String kind, String name, long sinceMillis, long untilMillis, int failures,
        String words, String author) {}
