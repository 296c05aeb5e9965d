package org.slipstream.admin;

import org.slipstream.admin.operations.ServerLog;
import org.slipstream.core.order.Right;

import java.util.Map;

/// The resource `log`.
record ServerLogApi(ServerLog log) {
    ApiResource resource() {
        return ApiResource.get("log", Right.READ, "The latest starts, reloads, orders and troubles of the server.",
                _ -> ApiResponse.ok(Map.of("events", log.events())));
    }
}
