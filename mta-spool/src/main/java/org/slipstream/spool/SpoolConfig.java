package org.slipstream.spool;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/// @param directory holds segments, large letters, the register, corrupt mail and the lock; made when missing
/// @param segmentBytes a segment is full at this size
/// @param inlineBytes letters above this size get a file of their own
/// @param minimumFreeBytes below this much free space drafts are refused; empty for 256 MiB, or 5 % of a disk below 5 GiB
/// @param segmentGraceMillis a segment that no row names is deleted this long after
/// @param database the JDBC URL of a PostgreSQL that keeps the register; empty for a file in the directory
public record SpoolConfig(Path directory, long segmentBytes, int inlineBytes, OptionalLong minimumFreeBytes,
        long segmentGraceMillis, Optional<String> database) {
    public SpoolConfig(Path directory, long segmentBytes, int inlineBytes, long minimumFreeBytes,
            long segmentGraceMillis) {
        this(directory, segmentBytes, inlineBytes, OptionalLong.of(minimumFreeBytes), segmentGraceMillis,
                Optional.empty());
    }

    public static SpoolConfig at(Path directory) {
        return new SpoolConfig(directory, 64L << 20, 128 << 10, OptionalLong.empty(), 60_000, Optional.empty());
    }
}
