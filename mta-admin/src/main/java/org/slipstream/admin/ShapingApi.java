package org.slipstream.admin;

import org.slipstream.admin.operations.ShapingOperations;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.order.ShapingVerb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The resources of rules from replies: `shaping` and its orders.
record ShapingApi(Optional<ShapingOperations> operations) {
    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>();
        all.add(ApiResource.get("shaping", Right.READ, "The rules from replies in force, and what they did.",
                _ -> operations.isEmpty() ? none() : ApiResponse.ok(operations.get().shaping())));
        OrderForm.of(ShapingVerb.class).forEach(form -> all.add(ApiResource.order("shaping/" + form.word(), form,
                List.of(), query -> ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                        order -> give(order, form.word())))));
        return all;
    }

    private ApiResponse give(ShapingVerb order, String word) throws IOException {
        if (operations.isEmpty()) {
            return none();
        }
        try {
            return operations.get().order(order)
                    .map(rules -> ApiResponse.ok(Map.of("done", word, "rules", rules)))
                    .orElseGet(() -> ApiResponse.notFound("no rules were applied"));
        } catch (IllegalArgumentException wrong) {
            return ApiResponse.badRequest(String.valueOf(wrong.getMessage()));
        }
    }

    private static ApiResponse none() {
        return ApiResponse.error(501, "this server has no rules from replies");
    }
}
