package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.ConsoleOperations;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The resource `console/link`. A link has a right of its own, so only a caller with all rights makes
/// one.
record ConsoleApi(Optional<ConsoleOperations> console) {
    private static final String RIGHT = "right";

    ApiResource resource() {
        return ApiResource.post("console/link", Right.ADMINISTRATE, "Makes a link that opens the console once.",
                List.of(new ApiParameter(RIGHT, "of the visitor; administrate if absent", false,
                        Arrays.stream(Right.values()).map(Right::word).toList()),
                        ApiParameter.of(OrderForm.AUTHOR, "who ordered it")),
                this::link);
    }

    private ApiResponse link(Query query) {
        Optional<Right> right = Right.of(query.get(RIGHT).orElse(Right.ADMINISTRATE.word()));
        if (right.isEmpty()) {
            return ApiResponse.badRequest(RIGHT + " is not read, operate or administrate");
        }
        return console
                .map(open -> ApiResponse.ok(open.link(right.get(), query.get(OrderForm.AUTHOR).orElse("owner"))))
                .orElseGet(() -> ApiResponse.error(501,
                        "the console is off; set listen.console = \"127.0.0.1:8025\" and restart the server"));
    }
}
