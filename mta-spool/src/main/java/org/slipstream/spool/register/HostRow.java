package org.slipstream.spool.register;

/// What is known of one host of the destination database, as its owner wrote it; kept and not interpreted.
///
/// @param key names the record; at most one row per key
/// @param author who wanted it so; empty for the server itself
/// @param untilMillis `Long.MAX_VALUE` for no end
/// @param data whatever else the owner wants to find again
public record HostRow(String key, String state, String reason, String author, long untilMillis, long sinceMillis,
        String data) {}
