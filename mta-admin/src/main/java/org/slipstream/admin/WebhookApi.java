package org.slipstream.admin;

import org.slipstream.admin.operations.WebhookOperations;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.order.WebhookVerb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The resources `webhooks` and the orders for one of them.
record WebhookApi(Optional<WebhookOperations> operations) {
    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>();
        all.add(ApiResource.get("webhooks", Right.READ, "The web servers that get events, and how far they are.",
                _ -> operations.isEmpty() ? EventsApi.none() : ApiResponse.ok(operations.get().webhooks())));
        OrderForm.of(WebhookVerb.class).forEach(form -> all.add(ApiResource.order("webhooks/{name}/" + form.word(),
                form, List.of(), query -> ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                        order -> give(query.get("name").orElse(""), order, form.word())))));
        return all;
    }

    private ApiResponse give(String name, WebhookVerb order, String word) throws IOException {
        if (operations.isEmpty()) {
            return EventsApi.none();
        }
        try {
            return operations.get().order(name, order)
                    .map(failure -> ApiResponse.ok(Map.of("done", word, "webhook", name, "failure", failure)))
                    .orElseGet(() -> ApiResponse.notFound("no such webhook: " + name));
        } catch (IllegalArgumentException wrong) {
            return ApiResponse.badRequest(String.valueOf(wrong.getMessage()));
        }
    }
}
