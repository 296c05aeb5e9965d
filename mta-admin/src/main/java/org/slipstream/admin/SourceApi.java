package org.slipstream.admin;

import org.slipstream.admin.operations.SourceOperations;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.order.SourceVerb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The resources `sources` and the orders for one of them.
record SourceApi(Optional<SourceOperations> operations) {
    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>();
        all.add(ApiResource.get("sources", Right.READ,
                "The sources of outgoing connections, with their suspensions and their warm-up.",
                _ -> operations.isEmpty() ? none() : ApiResponse.ok(operations.get().sources())));
        OrderForm.of(SourceVerb.class).forEach(form -> all.add(ApiResource.order("sources/{name}/" + form.word(),
                form, List.of(), query -> ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                        order -> give(query.get("name").orElse(""), order, form.word())))));
        return all;
    }

    private static ApiResponse none() {
        return ApiResponse.error(501, "this server has no sources");
    }

    private ApiResponse give(String name, SourceVerb order, String word) {
        if (operations.isEmpty()) {
            return none();
        }
        try {
            return operations.get().order(name, order)
                    ? ApiResponse.ok(Map.of("done", word, "source", name))
                    : ApiResponse.notFound("no such source, or it is not suspended: " + name);
        } catch (IllegalArgumentException wrong) {
            return ApiResponse.badRequest(String.valueOf(wrong.getMessage()));
        }
    }
}
