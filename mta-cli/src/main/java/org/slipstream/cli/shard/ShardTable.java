package org.slipstream.cli.shard;

import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.admin.operations.ViewOperations.ShardLine;
import org.slipstream.cli.frame.Table;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/// The load of each shard and of all of them, as `qmail-qread -i` prints it.
final class ShardTable {
    private static final String UNKNOWN = "-";

    private ShardTable() {}

    /// Empty for a server with one shard.
    static List<String> lines(List<ShardLine> shards) {
        if (shards.size() < 2) {
            return List.of();
        }
        Table table = new Table("SHARD", "MODE", "LOCAL", "REMOTE", "MESSAGES", "HELD", "ACTIVE", "WAITING",
                "CONNECTIONS", "");
        shards.forEach(each -> add(table, each));
        table.add("total", "", use(shards, ShardLine::local), use(shards, ShardLine::remote),
                count(sum(shards, ShardLine::messages)), count(sum(shards, ShardLine::held)),
                total(shards, ShardLine::active), total(shards, ShardLine::waiting),
                total(shards, ShardLine::connections), "");
        return table.lines();
    }

    private static void add(Table table, ShardLine each) {
        boolean known = each.fault().isEmpty();
        table.add(Integer.toString(each.shard()), each.mode(), each.local().toString(), each.remote().toString(),
                count(each.messages()), count(each.held()), known ? Integer.toString(each.active()) : UNKNOWN,
                known ? Integer.toString(each.waiting()) : UNKNOWN,
                known ? Integer.toString(each.connections()) : UNKNOWN, each.fault());
    }

    private static String count(Optional<Long> known) {
        return known.map(Object::toString).orElse(UNKNOWN);
    }

    private static Optional<Long> sum(List<ShardLine> shards, Function<ShardLine, Optional<Long>> figure) {
        return shards.stream().map(figure).reduce(Optional.of(0L),
                (sum, part) -> sum.flatMap(known -> part.map(more -> known + more)));
    }

    private static String total(List<ShardLine> shards, ToIntFunction<ShardLine> figure) {
        return Integer.toString(shards.stream().mapToInt(figure).sum());
    }

    private static String use(List<ShardLine> shards, Function<ShardLine, UseView> side) {
        return new UseView(shards.stream().map(side).mapToInt(UseView::used).sum(),
                shards.stream().map(side).mapToInt(UseView::limit).sum()).toString();
    }
}
