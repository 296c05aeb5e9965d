package org.slipstream.admin;

import org.slipstream.admin.Operations.Order;
import org.slipstream.core.QueueFilter;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The resources of the mail queue: `queue` with its pages, `queue/count`, orders for one message,
/// and orders for all messages that match a filter.
///
/// Each request does a bounded amount of work. Larger selections continue with `next`, as the pages
/// of a list do.
final class QueueApi {
    static final int DEFAULT_LIMIT = 100;
    /// A page is in memory as objects and as text, so its size is bounded.
    static final int HIGHEST_LIMIT = 1000;
    /// The number of orders that one request waits for.
    static final int DEFAULT_ORDERS = 500;

    private final Operations operations;

    QueueApi(Operations operations) {
        this.operations = operations;
    }

    /// @param path begins with `queue`
    Optional<Api.Resource> find(List<String> path) {
        return switch (path.size()) {
            case 1 -> resource(with("after", "limit"), Map.of("GET", Right.READ.to(this::list)));
            case 2 -> ofAll(path.get(1));
            case 3 -> order(path.get(2)).flatMap(order -> resource(Set.of(),
                    Map.of("POST", right(order).to(_ -> give(path.get(1), order)))));
            default -> Optional.empty();
        };
    }

    private Optional<Api.Resource> ofAll(String name) {
        if (name.equals("count")) {
            return resource(with("after"), Map.of("GET", Right.READ.to(this::count)));
        }
        Optional<Order> order = name.equals("delete") ? Optional.of(Order.DELETE) : order(name);
        // Crockford's base 32 has no `o`, `l` or `u`, so no queue id equals one of these words.
        return order.isPresent()
                ? resource(with("after", "limit", "all", "dry-run"), Map.of("POST", right(order.get()).to(query -> give(order.get(), query))))
                : resource(Set.of(), Map.of("GET", Right.READ.to(_ -> show(name)), "DELETE",
                        right(Order.DELETE).to(_ -> give(name, Order.DELETE))));
    }

    private static Optional<Api.Resource> resource(Set<String> parameters, Map<String, Api.PermittedAction> actions) {
        return Optional.of(new Api.Resource(parameters, actions));
    }

    private static Right right(Order order) {
        return switch (order) {
            case FLUSH, HOLD, RELEASE -> Right.OPERATE;
            case DELETE -> Right.ADMINISTRATE;
        };
    }

    private static Set<String> with(String... further) {
        Set<String> names = new HashSet<>(FilterText.NAMES);
        names.addAll(List.of(further));
        return names;
    }

    private static Optional<Order> order(String name) {
        return switch (name) {
            case "flush" -> Optional.of(Order.FLUSH);
            case "hold" -> Optional.of(Order.HOLD);
            case "release" -> Optional.of(Order.RELEASE);
            default -> Optional.empty();
        };
    }

    @FunctionalInterface
    private interface Piece {
        ApiResponse answer(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException;
    }

    private ApiResponse list(Query query) throws IOException {
        return piece(query, DEFAULT_LIMIT,
                (filter, after, limit) -> ApiResponse.ok(operations.list(filter, after, limit)));
    }

    private ApiResponse count(Query query) throws IOException {
        return piece(query, DEFAULT_LIMIT, (filter, after, _) -> ApiResponse.ok(operations.count(filter, after)));
    }

    private static ApiResponse piece(Query query, int defaultLimit, Piece piece) throws IOException {
        Optional<QueueId> after = query.get("after").flatMap(QueueId::parse);
        if (query.get("after").isPresent() && after.isEmpty()) {
            return ApiResponse.badRequest("after is not a queue id: " + query.get("after").get());
        }
        Optional<Integer> limit = limit(query.get("limit"), defaultLimit);
        if (limit.isEmpty()) {
            return ApiResponse.badRequest("limit is not a number from 1 to " + HIGHEST_LIMIT);
        }
        return switch (FilterText.read(query.parameters())) {
            case FilterText.Read.Filter(QueueFilter filter) -> piece.answer(filter, after, limit.get());
            case FilterText.Read.Wrong(String name, String sentence) ->
                new ApiResponse(400, Map.of("error", name + ": " + sentence, "parameter", name), Map.of());
        };
    }

    private static Optional<Integer> limit(Optional<String> text, int otherwise) {
        if (text.isEmpty()) {
            return Optional.of(otherwise);
        }
        try {
            int limit = Integer.parseInt(text.get());
            return limit >= 1 && limit <= HIGHEST_LIMIT ? Optional.of(limit) : Optional.empty();
        } catch (NumberFormatException noNumber) {
            return Optional.empty();
        }
    }

    private ApiResponse give(Order order, Query query) throws IOException {
        Optional<Boolean> all = flag(query, "all");
        Optional<Boolean> dryRun = flag(query, "dry-run");
        if (all.isEmpty() || dryRun.isEmpty()) {
            return ApiResponse.badRequest((all.isEmpty() ? "all" : "dry-run") + " is neither true nor false");
        }
        if (order == Order.FLUSH && isOneStatement(query)) {
            return flushAll(query);
        }
        return piece(query, DEFAULT_ORDERS, (filter, after, limit) -> filter.isAny() == all.get()
                ? ApiResponse.ok(dryRun.get()
                        ? operations.wouldOrder(order, filter, after)
                        : operations.order(order, filter, after, limit))
                : ApiResponse.badRequest(word(order) + " needs a filter, or all=true for the whole queue"));
    }

    private static Optional<Boolean> flag(Query query, String name) {
        return switch (query.get(name).orElse("false")) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    /// The whole queue or one domain is one statement of the queue index, however long the queue
    /// is.
    private static boolean isOneStatement(Query query) {
        Map<String, String> rest = new HashMap<>(query.parameters());
        Optional<String> domain = Optional.ofNullable(rest.remove("domain"));
        return rest.isEmpty() && domain.filter(pattern -> pattern.contains("*")).isEmpty();
    }

    private ApiResponse flushAll(Query query) throws IOException {
        Optional<String> domain = query.get("domain");
        if (domain.filter(String::isBlank).isPresent()) {
            return ApiResponse.badRequest("domain is empty");
        }
        operations.flushAll(domain);
        return ApiResponse.ok(Map.of("done", "flush"));
    }

    private ApiResponse show(String text) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return noId(text);
        }
        return operations.show(id.get()).map(ApiResponse::ok).orElseGet(() -> noMessage(id.get()));
    }

    private ApiResponse give(String text, Order order) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return noId(text);
        }
        return operations.order(order, id.get())
                ? ApiResponse.ok(Map.of("id", id.get().toString(), "done", word(order)))
                : noMessage(id.get());
    }

    private static String word(Order order) {
        return order.name().toLowerCase(java.util.Locale.ROOT);
    }

    private static ApiResponse noId(String text) {
        return ApiResponse.badRequest("not a queue id: " + text);
    }

    private static ApiResponse noMessage(QueueId id) {
        return ApiResponse.notFound("no such message in the queue: " + id);
    }
}
