package org.slipstream.spool.log;

/// The record of a remote host. The spool does not interpret it.
///
/// @param host its key
/// @param kind of the record; a host has at most one of each
/// @param name last known name
/// @param failures in a row
/// @param words a reply, or an operator's reason
/// @param author the operator who gave the reason; empty for a reply
public record HostRecord(String host, String kind, String name, long sinceMillis, long untilMillis, int failures,
        String words, String author) {}
