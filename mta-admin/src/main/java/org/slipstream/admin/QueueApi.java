package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.Operations;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.queue.QueueFilter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

    private static final String FLUSH = "flush";
    private static final ApiParameter AFTER = ApiParameter.of("after", "`next` of the answer before");
    private static final ApiParameter LIMIT = ApiParameter.of("limit", "messages of one answer, from 1 to "
            + HIGHEST_LIMIT);

    private final Operations operations;

    QueueApi(Operations operations) {
        this.operations = operations;
    }

    /// Crockford's base 32 has no `o`, `l` or `u`, so no queue id equals the word of an order.
    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>(List.of(
                ApiResource.get("queue", Right.READ, "The messages that match a filter.", with(AFTER, LIMIT),
                        this::list),
                ApiResource.get("queue/count", Right.READ, "The number of messages that match a filter.", with(AFTER),
                        this::count),
                ApiResource.get("queue/{id}", Right.READ, "One message.", query -> show(id(query))),
                ApiResource.get("queue/{id}/content", Right.ADMINISTRATE,
                        "The content of a message: message/rfc822, not JSON.",
                        query -> TraceApi.content(operations, id(query)))));
        for (OrderForm<MessageOrder> form : OrderForm.of(MessageOrder.class)) {
            ApiResource one = ApiResource.order("queue/{id}/" + form.word(), form, List.of(),
                    query -> give(form, id(query), query));
            all.add(one);
            all.add(ApiResource.order("queue/" + form.word(), form, with(AFTER, LIMIT,
                    ApiParameter.of("all", "`true`: the whole queue"),
                    ApiParameter.of("dry-run", "`true`: only counts the messages")), query -> give(form, query)));
            if (form.word().equals("delete")) {
                all.add(new ApiResource("DELETE", "queue/{id}", one.right(), one.does(), one.parameters(),
                        one.action()));
            }
        }
        return all;
    }

    private static String id(Query query) {
        return query.get("id").orElseThrow();
    }

    private static List<ApiParameter> with(ApiParameter... further) {
        List<ApiParameter> all = new ArrayList<>(FilterText.PARAMETERS);
        all.add(ShardParameter.PARAMETER);
        all.addAll(List.of(further));
        return all;
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
        Optional<Integer> limit = query.number("limit", defaultLimit, 1, HIGHEST_LIMIT);
        if (limit.isEmpty()) {
            return ApiResponse.badRequest("limit is not a number from 1 to " + HIGHEST_LIMIT);
        }
        return switch (FilterText.read(query.parameters())) {
            case FilterText.Read.Filter(QueueFilter filter) -> piece.answer(queue.get(), filter, after, limit.get());
            case FilterText.Read.Wrong(String name, String sentence) ->
                ApiResponse.wrongParameter(name, name + ": " + sentence);
        };
    }

    private ApiResponse give(OrderForm<MessageOrder> form, Query query) throws IOException {
        Optional<Boolean> all = flag(query, "all");
        Optional<Boolean> dryRun = flag(query, "dry-run");
        if (all.isEmpty() || dryRun.isEmpty()) {
            return ApiResponse.badRequest((all.isEmpty() ? "all" : "dry-run") + " is neither true nor false");
        }
        boolean isFlush = form.word().equals(FLUSH);
        if (isFlush && isOneStatement(query)) {
            return flushAll(query);
        }
        return ApiResponse.reading(form.read(query.parameters(), operations::nextHop),
                order -> piece(query, DEFAULT_ORDERS,
                        (queue, filter, after, limit) -> isMeant(isFlush, filter, all.get())
                                ? ApiResponse.ok(dryRun.get()
                                        ? queue.wouldOrder(order, filter, after)
                                        : queue.order(order, filter, after, limit))
                                : ApiResponse.badRequest(filter.isAny() || all.get()
                                        ? form.word() + " needs a filter, or all=true for the whole queue"
                                        : "this filter matches the whole queue; " + form.word()
                                                + " needs another one, or all=true (--all) alone")));
    }

    /// The whole queue is meant only when the request says so. A flush changes nothing for good.
    private static boolean isMeant(boolean isFlush, QueueFilter filter, boolean all) {
        return all ? filter.isAny() : isFlush ? !filter.isAny() : !filter.matchesEverything();
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
        return ApiResponse.ok(Map.of("done", FLUSH));
    }

    private ApiResponse show(String text) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return noId(text);
        }
        return operations.show(id.get()).map(ApiResponse::ok).orElseGet(() -> noMessage(id.get()));
    }

    private ApiResponse give(OrderForm<MessageOrder> form, String text, Query query) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return noId(text);
        }
        return ApiResponse.reading(form.read(query.parameters(), operations::nextHop),
                order -> operations.order(order, id.get())
                        ? ApiResponse.ok(Map.of("id", id.get().toString(), "done", form.word()))
                        : noMessage(id.get()));
    }

    private static ApiResponse noId(String text) {
        return ApiResponse.badRequest("not a queue id: " + text);
    }

    private static ApiResponse noMessage(QueueId id) {
        return ApiResponse.notFound("no such message in the queue: " + id);
    }
}
