package org.slipstream.admin;

import org.slipstream.admin.operations.ShardOperations;
import org.slipstream.admin.operations.ShardOperations.ShardAnswer;
import org.slipstream.admin.operations.ShardOperations.UseView;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The resources of shards: `shards` and the orders for one of them.
final class ShardApi {
    /// `2/10`, or `45` for 45 %.
    private static final Pattern USE = Pattern.compile("([0-9]{1,6})(?:/([0-9]{1,6}))?");
    private static final String MEASURED = "auto";
    private static final int PERCENT = 100;

    private final Optional<ShardOperations> operations;

    /// @param operations empty: the server has no shards to operate
    ShardApi(Optional<ShardOperations> operations) {
        this.operations = operations;
    }

    /// @param path begins with `shards`
    Optional<Api.Resource> find(List<String> path) {
        if (path.size() == 1) {
            return resource(Set.of(), "GET",
                    Right.READ.to(_ -> with(shards -> ApiResponse.ok(Map.of("shards", shards.shards())))));
        }
        if (path.equals(List.of("shards", "add"))) {
            return resource(Set.of(), "POST",
                    Right.ADMINISTRATE.to(_ -> with(shards -> answer("add", shards.add()))));
        }
        return path.size() == 3 && path.get(1).matches("[0-9]{1,4}")
                ? order(Integer.parseInt(path.get(1)), path.getLast())
                : Optional.empty();
    }

    private Optional<Api.Resource> order(int shard, String order) {
        return switch (order) {
            case "drain" -> resource(Set.of("force"), "POST", Right.ADMINISTRATE.to(query -> with(
                    shards -> answer(order, shards.drain(shard, isForced(query))))));
            case "disable" -> resource(Set.of("force"), "POST", Right.OPERATE.to(query -> with(
                    shards -> answer(order, shards.disable(shard, isForced(query))))));
            case "enable" -> resource(Set.of(), "POST", Right.OPERATE.to(_ -> with(
                    shards -> answer(order, shards.enable(shard)))));
            case "load" -> resource(Set.of("local", "remote"), "POST", Right.OPERATE.to(query -> with(
                    shards -> load(shards, shard, query))));
            default -> Optional.empty();
        };
    }

    private static Optional<Api.Resource> resource(Set<String> parameters, String method, Api.PermittedAction action) {
        return Optional.of(new Api.Resource(parameters, Map.of(method, action)));
    }

    @FunctionalInterface
    private interface ShardOrder {
        ApiResponse give(ShardOperations shards) throws IOException;
    }

    private ApiResponse with(ShardOrder order) throws IOException {
        return operations.isEmpty()
                ? ApiResponse.error(501, "this server has no orders for shards")
                : order.give(operations.get());
    }

    private static boolean isForced(Query query) {
        return query.get("force").filter("true"::equals).isPresent();
    }

    private static ApiResponse load(ShardOperations shards, int shard, Query query) throws IOException {
        Optional<String> local = query.get("local");
        Optional<String> remote = query.get("remote");
        if (local.isEmpty() || remote.isEmpty() || !isUse(local.get()) || !isUse(remote.get())) {
            return ApiResponse
                    .badRequest("local and remote must be use and limit such as 2/10, a percentage such as 45, or "
                            + MEASURED);
        }
        return answer("load", shards.load(shard, use(local.get()), use(remote.get())));
    }

    private static boolean isUse(String text) {
        return text.equals(MEASURED) || use(text).isPresent();
    }

    private static Optional<UseView> use(String text) {
        Matcher use = USE.matcher(text);
        if (!use.matches()) {
            return Optional.empty();
        }
        int limit = Optional.ofNullable(use.group(2)).map(Integer::parseInt).orElse(PERCENT);
        return Optional.of(new UseView(Integer.parseInt(use.group(1)), limit));
    }

    private static ApiResponse answer(String done, ShardAnswer answer) {
        return switch (answer) {
            case ShardAnswer.Done(var shard) -> ApiResponse.ok(Map.of("done", done, "shard", shard));
            case ShardAnswer.UnknownShard(int shard) -> ApiResponse.notFound("no such shard: " + shard);
            case ShardAnswer.Refused(String reason) -> ApiResponse.error(409, reason);
        };
    }
}
