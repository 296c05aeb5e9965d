package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.SuppressionOperations;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.order.SuppressionVerb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The resources of addresses that get no mail: `suppressions` and its orders.
record SuppressionListApi(Optional<SuppressionOperations> operations) {
    private static final int PART = 1_000;

    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>();
        all.add(ApiResource.get("suppressions", Right.READ, "Addresses that get no mail, in their order.",
                List.of(ApiParameter.of("after", "the next of the answer before"),
                        ApiParameter.of("text", "a part of the address"),
                        ApiParameter.of("limit", "addresses of one answer, from 1 to " + PART)),
                this::list));
        OrderForm.of(SuppressionVerb.class).forEach(form -> all.add(ApiResource.order("suppressions/" + form.word(),
                form, List.of(), query -> ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                        order -> give(order, form.word())))));
        return all;
    }

    private ApiResponse list(Query query) throws IOException {
        Optional<Integer> limit = query.number("limit", PART, 1, PART);
        if (limit.isEmpty()) {
            return ApiResponse.badRequest("limit is not a number from 1 to " + PART);
        }
        return operations.isEmpty()
                ? none()
                : ApiResponse.ok(operations.get().suppressions(query.get("after"), query.get("text").orElse(""),
                        limit.get()));
    }

    private ApiResponse give(SuppressionVerb order, String word) throws IOException {
        if (operations.isEmpty()) {
            return none();
        }
        try {
            List<String> done = operations.get().order(order);
            return done.isEmpty()
                    ? ApiResponse.notFound("no such suppression: " + order.recipients())
                    : ApiResponse.ok(Map.of("done", word, "recipients", done));
        } catch (IllegalArgumentException wrong) {
            return ApiResponse.badRequest(String.valueOf(wrong.getMessage()));
        }
    }

    private static ApiResponse none() {
        return ApiResponse.error(501, "this server has no list of suppressions");
    }
}
