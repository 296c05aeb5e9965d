package org.slipstream.server.shard;

import org.slipstream.config.ShardSettings;
import org.slipstream.config.StoredShard;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.qmgr.shard.ShardRules;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The shards of a start: which ones are opened, and which of them are closed again because they are
/// empty.
///
/// The settings say how many shards a server has at least, the file of shards says where mail may
/// be. Mail is in the shards that the last run had open, so all of them are opened.
final class ShardStart {
    private final ShardSettings settings;
    private final Path spool;

    /// @param spool the folder of the spool
    ShardStart(ShardSettings settings, Path spool) {
        this.settings = settings;
        this.spool = spool;
    }

    /// The shards to open, by number. A retired shard counts as one, since an operator's order is
    /// stronger than a number in the settings.
    List<StoredShard> toOpen(List<StoredShard> stored) {
        Map<Integer, StoredShard> known = byNumber(stored);
        List<StoredShard> open = new ArrayList<>(stored.stream().filter(each -> !each.closed()).map(this::inPlace)
                .toList());
        long retired = stored.stream().filter(StoredShard::isRetired).count();
        for (int number = settings.start(); open.size() + retired < settings.count()
                && number < settings.start() + settings.maximum(); number++) {
            Optional<StoredShard> before = Optional.ofNullable(known.get(number));
            if (isFree(before)) {
                open.add(inPlace(before.map(StoredShard::opened).orElse(created(number))));
            }
        }
        open.sort(Comparator.comparingInt(StoredShard::number));
        return open;
    }

    /// A shard that has never been open.
    StoredShard created(int number) {
        return new StoredShard(number, ShardMode.NORMAL, false, settings.folder(spool, number));
    }

    /// Shard 1 is where the settings say, so that an operator can move the folder of the spool.
    private StoredShard inPlace(StoredShard shard) {
        return shard.number() == 1 ? shard.at(spool) : shard;
    }

    /// The shards that are closed at a start, before any delivery: a drained one without mail, and
    /// from the top those without mail as long as the set number stays (IM-08). The first stays
    /// always, and a disabled or held one as well, because its mode is an operator's order.
    Set<Integer> toClose(List<ShardLoad> opened) {
        Set<Integer> closed = new HashSet<>();
        int first = opened.stream().mapToInt(ShardLoad::shard).min().orElse(0);
        opened.stream().filter(each -> each.mode() == ShardMode.DRAINED && each.empty() && each.shard() != first)
                .forEach(each -> closed.add(each.shard()));
        List<ShardLoad> rest = opened.stream().filter(each -> !closed.contains(each.shard()))
                .map(ShardStart::withItsMode).toList();
        ShardRules.removable(rest).stream().limit(Math.max(0, rest.size() - settings.count())).forEach(closed::add);
        return closed;
    }

    private static ShardLoad withItsMode(ShardLoad load) {
        return new ShardLoad(load.shard(), load.local(), load.remote(), load.mode(),
                load.empty() && load.mode() != ShardMode.DISABLED && load.mode() != ShardMode.HELD);
    }

    /// The shard that is opened next: above the highest that is open, else the lowest free number. A
    /// retired shard is not opened again without an operator's order. Empty when all are open.
    Optional<StoredShard> next(List<StoredShard> stored) {
        Map<Integer, StoredShard> known = byNumber(stored);
        int highest = stored.stream().filter(each -> !each.closed()).mapToInt(StoredShard::number).max()
                .orElse(settings.start() - 1);
        int end = settings.start() + settings.maximum();
        return IntStream.concat(IntStream.range(highest + 1, end), IntStream.range(settings.start(), highest))
                .filter(number -> isFree(Optional.ofNullable(known.get(number)))).mapToObj(
                        number -> inPlace(Optional.ofNullable(known.get(number)).map(StoredShard::opened)
                                .orElse(created(number))))
                .findFirst();
    }

    private static boolean isFree(Optional<StoredShard> shard) {
        return shard.isEmpty() || shard.get().closed() && !shard.get().isRetired();
    }

    private static Map<Integer, StoredShard> byNumber(List<StoredShard> stored) {
        return stored.stream().collect(Collectors.toMap(StoredShard::number, Function.identity()));
    }
}
