package org.slipstream.spool;

import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;

import java.nio.file.Path;
import java.util.Optional;

/// The settings of a spool: the section `[spool]`.
///
/// @param directory holds the index, the lock, and with the engine `files` segments, large messages and corrupt
///     mail; made when missing
/// @param engine place of the log of a new spool; a spool that has a log keeps its place
/// @param database the JDBC URL of the PostgreSQL for the engine `postgresql`
/// @param databaseLost what becomes of new mail while the database does not answer
/// @param segmentSize a segment is full at this size
/// @param inlineSize messages above this size get a file of their own
/// @param minimumFree below this much free space messages are refused; empty for 256 MiB, or 5 % of
///     a disk below 5 GiB
@SettingsSection(value = "spool", restart = "the spool is open")
public record SpoolConfig(
        @Setting(value = "spool",
                doc = "Directory of the queue, relative to the home folder.") Path directory,
        @Setting(value = "files",
                doc = "Place of the messages. `files`: in the directory. `postgresql`: in spool.database, so that"
                        + " another machine can go on with them. A shard that has messages keeps its"
                        + " place.") LogEngine engine,
        @Setting(value = "", form = "database",
                doc = "The PostgreSQL of the engine `postgresql`, a URL such as"
                        + " jdbc:postgresql://db1,db2/slipstream?user=slipstream.") Optional<String> database,
        @Setting(value = "refuse",
                doc = "New mail while spool.database does not answer. `refuse`: clients get 451 and try again."
                        + " `keep-here`: the messages are kept on the disk of this server, in one copy, delivered from"
                        + " there, and moved when the database answers. The same on all nodes of a"
                        + " cluster.") DatabaseLost databaseLost,
        @Setting(value = "64MiB", min = "64KiB", expert = true,
                doc = "A segment file is full at this size.") DataSize segmentSize,
        @Setting(value = "128KiB", max = "2147483647", expert = true,
                doc = "Larger messages get a file of their own.") DataSize inlineSize,
        @Setting(value = "auto", none = "auto",
                doc = "With less free space on the disk no mail is accepted. `auto`: 256 MiB, or 5 % of a disk below"
                        + " 5 GiB.") Optional<DataSize> minimumFree) {
    public SpoolConfig(Path directory, DataSize segmentSize, DataSize inlineSize, DataSize minimumFree) {
        this(directory, LogEngine.FILES, Optional.empty(), DatabaseLost.REFUSE, segmentSize, inlineSize,
                Optional.of(minimumFree));
    }

    public static SpoolConfig at(Path directory) {
        return SettingsRecords.with(SettingsRecords.defaults(SpoolConfig.class), "directory", directory);
    }
}
