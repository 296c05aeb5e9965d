package org.slipstream.spool;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/// @param directory holds segments, large messages, the index, corrupt mail and the lock; created when missing
/// @param segmentBytes a segment is full at this size
/// @param inlineBytes messages above this size get a file of their own
/// @param minimumFreeBytes below this much free space drafts are refused; empty for 256 MiB, or 5 % of a
/// disk below 5 GiB
/// @param database the JDBC URL of a PostgreSQL that holds the index; empty for a file in the directory
public record SpoolConfig(Path directory, long segmentBytes, int inlineBytes, OptionalLong minimumFreeBytes,
        Optional<String> database) {
    public SpoolConfig(Path directory, long segmentBytes, int inlineBytes, long minimumFreeBytes) {
        this(directory, segmentBytes, inlineBytes, OptionalLong.of(minimumFreeBytes), Optional.empty());
    }

    public static SpoolConfig at(Path directory) {
        return new SpoolConfig(directory, 64L << 20, 128 << 10, OptionalLong.empty(), Optional.empty());
    }
}
