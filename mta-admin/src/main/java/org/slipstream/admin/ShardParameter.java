package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.Operations;

import java.util.Optional;

/// The parameter `shard=`: a request is about the queue of this shard alone.
final class ShardParameter {
    static final String NAME = "shard";
    static final ApiParameter PARAMETER = ApiParameter.of(NAME, "the number of a shard: only its queue");

    private ShardParameter() {}

    /// Empty when there is no such shard.
    static Optional<Operations> choose(Operations all, Query query) {
        Optional<String> text = query.get(NAME);
        return text.isEmpty()
                ? Optional.of(all)
                : text.filter(number -> number.matches("[0-9]{1,3}")).map(Integer::valueOf).flatMap(all::ofShard);
    }

    static ApiResponse unknown(Query query) {
        return ApiResponse.wrongParameter(NAME,
                "no such shard: " + query.get(NAME).orElse("") + "; mta shard list shows them");
    }
}
