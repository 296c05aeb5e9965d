package org.slipstream.server.operate;

import org.slipstream.core.QueueId;
import org.slipstream.server.operate.ShardReplies.ShardReply;
import org.slipstream.spool.index.QueueIndex.Found;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The ids that several shards have found, in order, as if there were one queue.
///
/// Each shard has examined its queue as far as its own `next`. The result ends at the first of these,
/// because behind it a message of that shard may follow. An id that two shards have, while its message
/// moves, is there once.
///
/// @param owners of the ids, in order of id
/// @param next where the next part begins; absent at the end of all queues
record MergedIds(Map<QueueId, ShardPart> owners, Optional<QueueId> next) {
    /// @param limit of ids in the result
    static MergedIds of(List<ShardReply<Found>> found, int limit) {
        Optional<QueueId> end = found.stream().flatMap(reply -> reply.value().next().stream())
                .min(Comparator.naturalOrder());
        TreeMap<QueueId, ShardPart> owners = new TreeMap<>();
        for (ShardReply<Found> reply : found) {
            for (QueueId id : reply.value().ids()) {
                if (end.isEmpty() || id.compareTo(end.get()) <= 0) {
                    owners.merge(id, reply.shard(), (one, other) -> other.number() == id.shard() ? other : one);
                }
            }
        }
        if (owners.size() <= limit) {
            return new MergedIds(owners, end);
        }
        Map<QueueId, ShardPart> first = new LinkedHashMap<>();
        owners.entrySet().stream().limit(limit).forEach(each -> first.put(each.getKey(), each.getValue()));
        return new MergedIds(first, Optional.of(owners.keySet().stream().skip(limit - 1L).findFirst().orElseThrow()));
    }

    /// The shards that have ids.
    List<ShardPart> shards() {
        return owners.values().stream().distinct().toList();
    }

    /// The ids of a shard, in order.
    List<QueueId> of(ShardPart shard) {
        List<QueueId> ids = new ArrayList<>();
        owners.forEach((id, owner) -> {
            if (owner == shard) {
                ids.add(id);
            }
        });
        return ids;
    }

    Optional<String> nextText() {
        return next.map(QueueId::toString);
    }
}
