package org.slipstream.admin;

import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.Operations.MessageOrder;
import org.slipstream.admin.operations.Operations.Order;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueueFilter;

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
/// A filter may name a shard ([ShardParameter]). Each request does a bounded amount of work. Larger
/// selections continue with `next`, as the pages of a list do.
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
            case 3 -> path.get(2).equals("content")
                    ? resource(Set.of(), Map.of("GET",
                            Right.ADMINISTRATE.to(_ -> TraceApi.content(operations, path.get(1)))))
                    : order(path.get(2)).flatMap(order -> resource(
                            parameters(order),
                            Map.of("POST", right(order).to(query -> give(path.get(1), order, query)))));
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
                ? resource(ofFilter(order.get()),
                        Map.of("POST", right(order.get()).to(query -> give(order.get(), query))))
                : resource(Set.of(), Map.of("GET", Right.READ.to(_ -> show(name)), "DELETE",
                        right(Order.DELETE).to(query -> give(name, Order.DELETE, query))));
    }

    /// The parameter that belongs to the order.
    private static Optional<String> argument(Order order) {
        return switch (order) {
            case BOUNCE, HOLD -> Optional.of("reason");
            case REROUTE -> Optional.of("to");
            case PRIORITY -> Optional.of("value");
            case DELETE, RELEASE, FLUSH, REQUEUE, EXPIRE -> Optional.empty();
        };
    }

    private static Set<String> parameters(Order order) {
        return order == Order.HOLD ? Set.of("reason", Api.AUTHOR) : argument(order).map(Set::of).orElse(Set.of());
    }

    private static Set<String> ofFilter(Order order) {
        Set<String> names = with("after", "limit", "all", "dry-run");
        names.addAll(parameters(order));
        return names;
    }

    private static MessageOrder order(Order order, Query query) {
        return new MessageOrder(order, argument(order).flatMap(query::get).orElse(""),
                query.get(Api.AUTHOR).orElse(""));
    }

    private static Optional<Api.Resource> resource(Set<String> parameters, Map<String, Api.PermittedAction> actions) {
        return Optional.of(new Api.Resource(parameters, actions));
    }

    private static Right right(Order order) {
        return switch (order) {
            case FLUSH, HOLD, RELEASE, REQUEUE, PRIORITY -> Right.OPERATE;
            case DELETE, BOUNCE, EXPIRE, REROUTE -> Right.ADMINISTRATE;
        };
    }

    private static Set<String> with(String... further) {
        Set<String> names = new HashSet<>(FilterText.NAMES);
        names.addAll(List.of(further));
        names.add(ShardParameter.NAME);
        return names;
    }

    private static Optional<Order> order(String name) {
        return switch (name) {
            case "flush" -> Optional.of(Order.FLUSH);
            case "hold" -> Optional.of(Order.HOLD);
            case "release" -> Optional.of(Order.RELEASE);
            case "requeue" -> Optional.of(Order.REQUEUE);
            case "bounce" -> Optional.of(Order.BOUNCE);
            case "expire" -> Optional.of(Order.EXPIRE);
            case "reroute" -> Optional.of(Order.REROUTE);
            case "priority" -> Optional.of(Order.PRIORITY);
            default -> Optional.empty();
        };
    }

    @FunctionalInterface
    private interface Piece {
        ApiResponse answer(Operations queue, QueueFilter filter, Optional<QueueId> after, int limit) throws IOException;
    }

    private ApiResponse list(Query query) throws IOException {
        return piece(query, DEFAULT_LIMIT,
                (queue, filter, after, limit) -> ApiResponse.ok(queue.list(filter, after, limit)));
    }

    private ApiResponse count(Query query) throws IOException {
        return piece(query, DEFAULT_LIMIT, (queue, filter, after, _) -> ApiResponse.ok(queue.count(filter, after)));
    }

    private ApiResponse piece(Query query, int defaultLimit, Piece piece) throws IOException {
        Optional<Operations> queue = ShardParameter.choose(operations, query);
        if (queue.isEmpty()) {
            return ShardParameter.unknown(query);
        }
        Optional<QueueId> after = query.get("after").flatMap(QueueId::parse);
        if (query.get("after").isPresent() && after.isEmpty()) {
            return ApiResponse.badRequest("after is not a queue id: " + query.get("after").get());
        }
        Optional<Integer> limit = limit(query.get("limit"), defaultLimit);
        if (limit.isEmpty()) {
            return ApiResponse.badRequest("limit is not a number from 1 to " + HIGHEST_LIMIT);
        }
        return switch (FilterText.read(query.parameters())) {
            case FilterText.Read.Filter(QueueFilter filter) -> piece.answer(queue.get(), filter, after, limit.get());
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
        MessageOrder whole = order(order, query);
        Optional<String> refusal = operations.refusal(whole);
        if (refusal.isPresent()) {
            return ApiResponse.badRequest(refusal.get());
        }
        return piece(query, DEFAULT_ORDERS, (queue, filter, after, limit) -> isMeant(order, filter, all.get())
                ? ApiResponse.ok(dryRun.get()
                        ? queue.wouldOrder(order, filter, after)
                        : queue.order(whole, filter, after, limit))
                : ApiResponse.badRequest(filter.isAny() || all.get()
                        ? word(order) + " needs a filter, or all=true for the whole queue"
                        : "this filter matches the whole queue; " + word(order)
                                + " needs another one, or all=true (--all) alone"));
    }

    /// The whole queue is meant only when the request says so. A flush changes nothing for good.
    private static boolean isMeant(Order order, QueueFilter filter, boolean all) {
        return all ? filter.isAny() : order == Order.FLUSH ? !filter.isAny() : !filter.matchesEverything();
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
        rest.remove(ShardParameter.NAME);
        Optional<String> domain = Optional.ofNullable(rest.remove("domain"));
        return rest.isEmpty() && domain.filter(pattern -> pattern.contains("*")).isEmpty();
    }

    private ApiResponse flushAll(Query query) throws IOException {
        Optional<String> domain = query.get("domain");
        if (domain.filter(String::isBlank).isPresent()) {
            return ApiResponse.badRequest("domain is empty");
        }
        Optional<Operations> queue = ShardParameter.choose(operations, query);
        if (queue.isEmpty()) {
            return ShardParameter.unknown(query);
        }
        queue.get().flushAll(domain);
        return ApiResponse.ok(Map.of("done", "flush"));
    }

    private ApiResponse show(String text) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return noId(text);
        }
        return operations.show(id.get()).map(ApiResponse::ok).orElseGet(() -> noMessage(id.get()));
    }

    private ApiResponse give(String text, Order order, Query query) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return noId(text);
        }
        MessageOrder whole = order(order, query);
        Optional<String> refusal = operations.refusal(whole);
        if (refusal.isPresent()) {
            return ApiResponse.badRequest(refusal.get());
        }
        return operations.order(whole, id.get())
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
