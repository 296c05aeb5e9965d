package org.slipstream.admin;

import org.slipstream.admin.operations.EventOperations;
import org.slipstream.core.order.Right;

import java.util.Map;

/// The resource `events`.
record EventApi(EventOperations operations) {
    ApiResource resource() {
        return ApiResource.get("events", Right.READ, "The latest starts, reloads, orders and troubles of the server.",
                _ -> ApiResponse.ok(Map.of("events", operations.events())));
    }
}
