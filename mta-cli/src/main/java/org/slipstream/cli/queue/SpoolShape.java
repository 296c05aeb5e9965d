package org.slipstream.cli.queue;

import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.config.Config;
import org.slipstream.config.ShardStore;
import org.slipstream.core.FailureWords;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.tools.SpoolTools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;

/// The shape of the queue of a stopped server, from the indexes of its shards.
final class SpoolShape {
    private SpoolShape() {}

    /// The rows of each shard after those of the one before.
    ///
    /// @param shard only this one
    static List<ShapeRow> of(MtaCommand mta, ShapeBy by, Optional<Integer> shard) {
        Config config = LoadedConfig.read(mta.settings(), List.of());
        List<ShapeRow> rows = new ArrayList<>();
        List<Spool.CommonRecords> common = new ArrayList<>();
        try {
            SortedMap<Integer, SpoolConfig> spools = ShardStore.spools(config);
            SpoolConfig keeper = Objects.requireNonNull(
                    spools.get(ShardStore.in(config.home()).keeper().orElse(spools.firstKey())));
            SpoolTools.view(keeper, System::currentTimeMillis, spool -> common.add(spool.commonRecords()));
            List<SpoolConfig> asked = new ArrayList<>();
            spools.forEach((number, spool) -> {
                if (shard.isEmpty() || shard.get().equals(number)) {
                    asked.add(spool);
                }
            });
            if (shard.isEmpty()) {
                ShardStore.keptHere(config).ifPresent(asked::add);
            }
            for (SpoolConfig each : asked) {
                SpoolTools.view(each, System::currentTimeMillis,
                        spool -> rows.addAll(mta.world().stopped().shape(spool, by, common.getFirst())));
            }
            return rows;
        } catch (SpoolException refused) {
            throw new CommandFailure(Exit.CANNOT_START, String.valueOf(refused.getMessage()), refused);
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.CANNOT_START, "mta: the queue cannot be read: " + FailureWords.of(trouble),
                    trouble);
        }
    }
}
