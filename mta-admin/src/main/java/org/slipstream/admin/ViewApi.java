package org.slipstream.admin;

import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The resources `destinations`, `metrics` and `queue/shape`.
final class ViewApi {
    private final Operations operations;

    ViewApi(Operations operations) {
        this.operations = operations;
    }

    Optional<Api.Resource> find(List<String> path) {
        return switch (String.join("/", path)) {
            case "destinations" -> resource(Set.of(), _ -> ApiResponse.ok(operations.activity()));
            case "metrics" ->
                resource(Set.of(), _ -> ApiResponse.ok(new PlainText(Metrics.text(operations.activity()))));
            case "queue/shape" -> resource(Set.of("by", "after", ShardParameter.NAME), this::shape);
            default -> Optional.empty();
        };
    }

    private static Optional<Api.Resource> resource(Set<String> parameters, Api.ApiAction action) {
        return Optional.of(new Api.Resource(parameters, Map.of("GET", Right.READ.to(action))));
    }

    private ApiResponse shape(Query query) throws IOException {
        Optional<ShapeBy> by = switch (query.get("by").orElse("destination")) {
            case "destination" -> Optional.of(ShapeBy.DESTINATION);
            case "sender" -> Optional.of(ShapeBy.SENDER);
            default -> Optional.empty();
        };
        if (by.isEmpty()) {
            return ApiResponse.badRequest("by is neither destination nor sender");
        }
        Optional<Operations> queue = ShardParameter.choose(operations, query);
        if (queue.isEmpty()) {
            return ShardParameter.unknown(query);
        }
        Optional<QueueId> after = query.get("after").flatMap(QueueId::parse);
        return query.get("after").isPresent() && after.isEmpty()
                ? ApiResponse.badRequest("after is not a queue id: " + query.get("after").get())
                : ApiResponse.ok(queue.get().shape(by.get(), after));
    }
}
