package org.slipstream.server.operate;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/// The answers of several shards to the same question, in the order in which they were asked.
///
/// @param faults the reasons of those that did not answer
record ShardReplies<T>(List<ShardReply<T>> replies, List<ShardFault> faults) {
    record ShardReply<T>(ShardPart shard, T value) {}

    record ShardFault(int shard, Exception reason) {
        String text() {
            return "shard " + shard + ": " + reason.getMessage();
        }
    }

    List<T> values() {
        return replies.stream().map(ShardReply::value).toList();
    }

    <R> List<R> values(Function<T, R> part) {
        return replies.stream().map(reply -> part.apply(reply.value())).toList();
    }

    List<String> faultTexts() {
        return faults.stream().map(ShardFault::text).toList();
    }

    /// @throws IOException when no shard has answered
    ShardReplies<T> orFail() throws IOException {
        if (replies.isEmpty()) {
            throw failure(String.join("; ", faultTexts()));
        }
        return this;
    }

    /// For an order that must reach each shard.
    ///
    /// @throws IOException when a shard has not answered
    ShardReplies<T> orFailIncomplete() throws IOException {
        if (!faults.isEmpty()) {
            throw failure(String.join("; ", faultTexts())
                    + (replies.isEmpty() ? "" : "; the order is carried out in the other shards"));
        }
        return this;
    }

    private IOException failure(String text) {
        return faults.isEmpty() ? new IOException("no shard runs") : new IOException(text, faults.getFirst().reason());
    }
}
