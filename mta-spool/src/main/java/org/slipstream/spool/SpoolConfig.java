package org.slipstream.spool;

import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;

import java.nio.file.Path;
import java.util.Optional;

/// The settings of a spool: the section `[spool]`.
///
/// @param directory holds segments, large messages, the index, corrupt mail and the lock; made when
///     missing
/// @param index the JDBC URL of a PostgreSQL that holds the index; empty for a file in the
///     directory
/// @param segmentSize a segment is full at this size
/// @param inlineSize messages above this size get a file of their own
/// @param minimumFree below this much free space messages are refused; empty for 256 MiB, or 5 % of
///     a disk below 5 GiB
@SettingsSection(value = "spool", restart = "the spool is open")
public record SpoolConfig(
        @Setting(value = "spool",
                doc = "Directory of the queue, relative to the home folder.") Path directory,
        @Setting(value = "", form = "database",
                doc = "Place of the queue index. Empty: a file beside the messages. A URL such as"
                        + " jdbc:postgresql://127.0.0.1/slipstream?user=slipstream: that"
                        + " PostgreSQL.") Optional<String> index,
        @Setting(value = "64MiB", min = "64KiB", expert = true,
                doc = "A segment file is full at this size.") DataSize segmentSize,
        @Setting(value = "128KiB", max = "2147483647", expert = true,
                doc = "Larger messages get a file of their own.") DataSize inlineSize,
        @Setting(value = "auto", none = "auto",
                doc = "With less free space on the disk no mail is accepted. `auto`: 256 MiB, or 5 % of a disk below"
                        + " 5 GiB.") Optional<DataSize> minimumFree) {
    public SpoolConfig(Path directory, DataSize segmentSize, DataSize inlineSize, DataSize minimumFree) {
        this(directory, Optional.empty(), segmentSize, inlineSize, Optional.of(minimumFree));
    }

    public static SpoolConfig at(Path directory) {
        return SettingsRecords.with(SettingsRecords.defaults(SpoolConfig.class), "directory", directory);
    }
}
