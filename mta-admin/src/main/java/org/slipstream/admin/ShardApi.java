package org.slipstream.admin;

import org.slipstream.admin.operations.ShardOperations;
import org.slipstream.admin.operations.ShardOperations.ClusterView;
import org.slipstream.admin.operations.ShardOperations.ShardAnswer;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.order.ShardOrder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The resources of shards: `shards`, the orders for one of them, and `cluster`, their owners.
final class ShardApi {
    private final Optional<ShardOperations> operations;

    /// @param operations empty: the server has no shards to operate
    ShardApi(Optional<ShardOperations> operations) {
        this.operations = operations;
    }

    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>();
        all.add(ApiResource.get("shards", Right.READ, "The shards of the server.",
                _ -> with(shards -> ApiResponse.ok(Map.of("shards", shards.shards())))));
        all.add(ApiResource.get("cluster", Right.READ, "The servers over one database, and which of them owns a shard.",
                _ -> with(shards -> shards.cluster().map(ApiResponse::ok)
                        .orElse(ApiResponse.ok(ClusterView.ALONE)))));
        for (OrderForm<ShardOrder> form : OrderForm.of(ShardOrder.class)) {
            String path = form.word().equals("add") ? "shards/add" : "shards/{number}/" + form.word();
            all.add(ApiResource.order(path, form, List.of(), query -> with(shards -> give(shards, form, query))));
        }
        return all;
    }

    @FunctionalInterface
    private interface ShardQuestion {
        ApiResponse answer(ShardOperations shards) throws IOException;
    }

    private ApiResponse with(ShardQuestion question) throws IOException {
        return operations.isEmpty()
                ? ApiResponse.error(501, "this server has no orders for shards")
                : question.answer(operations.get());
    }

    private static ApiResponse give(ShardOperations shards, OrderForm<ShardOrder> form, Query query)
            throws IOException {
        String number = query.get("number").orElse("0");
        return number.matches("[0-9]{1,4}")
                ? ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                        order -> answer(form.word(), shards.order(Integer.parseInt(number), order)))
                : ApiResponse.notFound("no such shard: " + number);
    }

    private static ApiResponse answer(String done, ShardAnswer answer) {
        return switch (answer) {
            case ShardAnswer.Done(var shard) -> ApiResponse.ok(Map.of("done", done, "shard", shard));
            case ShardAnswer.UnknownShard(int shard) -> ApiResponse.notFound("no such shard: " + shard);
            case ShardAnswer.Refused(String reason) -> ApiResponse.error(409, reason);
        };
    }
}
