package org.slipstream.config;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.qmgr.shard.ShardRules;
import org.slipstream.qmgr.shard.ShardRules.Growth;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// The section `[shard]`: how many shards the server has, and where they are.
///
/// The defaults are one shard in the folder of the spool, which is a server without shards.
///
/// @param start the number of the first shard (IM-01)
/// @param count shards at the first start
/// @param load average load in percent above which a shard is added
/// @param interval between two looks at the loads (IM-09)
/// @param localLanes deliveries at once of one shard to local mailboxes; empty: no limit of its own
/// @param remoteLanes the same for each transport to other servers
/// @param folders of all shards but shard 1; empty: beside the folder of the spool
@SettingsSection(value = "shard", restart = "the shards are open; `mta shard` changes their number at once")
public record ShardSettings(
        @Setting(value = "static",
                doc = "`static`: the number of shards is fixed, and a message goes to any of them. `dynamic`: shards"
                        + " are added and removed with the load, and a message goes to the least loaded."
                        + " `keep-count`: as `dynamic`, but a change of the number is only logged.") Growth mode,
        @Setting(value = "1", min = "1", max = "64", expert = true,
                doc = "Number of the first shard. Shard 1 has the directory of the spool.") int start,
        @Setting(value = "1", min = "1", max = "64",
                doc = "Shards at the first start. Later starts open those that have mail, and at least this"
                        + " number.") int count,
        @Setting(value = "20", min = "1", max = "64",
                doc = "Shards at most. `mta shard add` and `dynamic` mode stop there.") int maximum,
        @Setting(value = "90", min = "1", max = "100", expert = true,
                doc = "Average load in percent above which `dynamic` mode adds a shard.") int load,
        @Setting(value = "60s", min = "1s", expert = true,
                doc = "Time between two looks at the loads, in `dynamic` and `keep-count` mode.") Duration interval,
        @Setting(value = "auto", none = "auto", max = "100000", expert = true,
                doc = "Deliveries at once of one shard to mailboxes of this server, within the limit of all shards."
                        + " 0: its local mail waits. `auto`: no limit of its own. With one shard it has no"
                        + " effect.") Optional<Integer> localLanes,
        @Setting(value = "auto", none = "auto", max = "100000", expert = true,
                doc = "The same for each transport that does not deliver to"
                        + " mailboxes. Both keys also stand in the section of one shard, such as `[shard.\"2\"]`, for"
                        + " that shard.") Optional<Integer> remoteLanes,
        @Setting(value = "",
                doc = "Folders for all shards but shard 1, used in turn, usually one on each disk. Empty: beside the"
                        + " directory of the spool, such as `spool-2`.") List<Path> folders) {
    /// The last number that a shard can have. Ids of messages have six bits for it.
    public static final int LAST_NUMBER = 64;

    public ShardSettings {
        folders = List.copyOf(folders);
    }

    public ShardRules rules() {
        return new ShardRules(mode, maximum, load);
    }

    /// The limit against which the use of a shard is its load: its own, or its share of the server's.
    ///
    /// @param server limit of all shards together
    /// @param own empty: none
    /// @param shards that are open
    public static int share(int server, Optional<Integer> own, int shards) {
        return shards == 1 ? server : Math.min(server, own.orElse(Math.ceilDiv(server, shards)));
    }

    /// The numbers of the shards of a first start.
    public List<Integer> first() {
        return IntStream.range(start, start + count).boxed().toList();
    }

    /// The folder of a shard that has none yet.
    ///
    /// @param spool the folder of the spool
    public Path folder(Path spool, int shard) {
        if (shard == 1) {
            return spool;
        }
        String name = spool.getFileName() + "-" + shard;
        return folders.isEmpty()
                ? spool.resolveSibling(name)
                : folders.get(Math.floorMod(shard - 2, folders.size())).resolve(name);
    }
}
