package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The resources `destinations` and `queue/shape`.
final class ViewApi {
    private final Operations operations;

    ViewApi(Operations operations) {
        this.operations = operations;
    }

    List<ApiResource> resources() {
        return List.of(
                ApiResource.get("destinations", Right.READ, "The busiest destinations, with rates and windows.",
                        _ -> ApiResponse.ok(operations.activity())),
                ApiResource.get("destination", Right.READ, "The windows and the latest errors of one destination.",
                        List.of(ApiParameter.of("name", "a next hop or domain").needed()), this::destination),
                ApiResource.get("providers", Right.READ, "The known providers, with their mail and limits.",
                        _ -> ApiResponse.ok(Map.of("providers", operations.providers()))),
                ApiResource.get("counters", Right.READ, "The counters of the load alone, which cost nothing to read.",
                        _ -> ApiResponse.ok(operations.counters())),
                ApiResource.get("scheduler", Right.READ, "The first jobs of each transport in their order of service.",
                        _ -> ApiResponse.ok(operations.scheduler())),
                ApiResource.get("queue/shape", Right.READ,
                        "The ages of waiting mail, by destination, provider or sender.",
                        List.of(new ApiParameter("by", "the rows", false, List.of("destination", "provider", "sender")),
                                ApiParameter.of("after", "`next` of the answer before"), ShardParameter.PARAMETER),
                        this::shape));
    }

    private ApiResponse destination(Query query) throws IOException {
        Optional<String> name = query.get("name");
        return name.isEmpty()
                ? ApiResponse.badRequest("missing parameter: ?name=far.example")
                : ApiResponse.ok(operations.destination(name.get()));
    }

    private ApiResponse shape(Query query) throws IOException {
        Optional<ShapeBy> by = switch (query.get("by").orElse("destination")) {
            case "destination" -> Optional.of(ShapeBy.DESTINATION);
            case "provider" -> Optional.of(ShapeBy.PROVIDER);
            case "sender" -> Optional.of(ShapeBy.SENDER);
            default -> Optional.empty();
        };
        if (by.isEmpty()) {
            return ApiResponse.badRequest("by is neither destination nor provider nor sender");
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
