package org.slipstream.admin;

import org.slipstream.core.order.OrderForm;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The response to a request: a status, a body that becomes JSON, and optional headers.
///
/// @param body a record, a map or a list of such; never absent, so clients can parse every response
/// the same way. The content of a message is sent as it is; that of an error is an [ApiProblem]
public record ApiResponse(int status, Object body, Map<String, String> headers) {
    public ApiResponse {
        Objects.requireNonNull(body);
        headers = Map.copyOf(headers);
    }

    static ApiResponse ok(Object body) {
        return new ApiResponse(200, body, Map.of());
    }

    @FunctionalInterface
    interface OrderAction<T> {
        ApiResponse apply(T order) throws IOException;
    }

    /// The answer to an order that was read; the sentence of a wrong argument otherwise.
    static <T> ApiResponse reading(OrderForm.OrderRead<T> read, OrderAction<T> action) throws IOException {
        return switch (read) {
            case OrderForm.OrderRead.Made<T>(T order) -> action.apply(order);
            case OrderForm.OrderRead.Wrong<T>(_, String sentence) -> badRequest(sentence);
        };
    }

    /// An error with one sentence for the caller.
    public static ApiResponse error(int status, String sentence) {
        return error(status, sentence, Map.of());
    }

    static ApiResponse error(int status, String sentence, Map<String, String> headers) {
        return new ApiResponse(status, ApiProblem.of(status, sentence, Optional.empty()), headers);
    }

    static ApiResponse wrongParameter(String name, String sentence) {
        return new ApiResponse(400, ApiProblem.of(400, sentence, Optional.of(name)), Map.of());
    }

    static ApiResponse badRequest(String sentence) {
        return error(400, sentence);
    }

    static ApiResponse notFound(String sentence) {
        return error(404, sentence);
    }

    /// RFC 9110 section 15.5.6: the response lists the allowed methods.
    static ApiResponse methodNotAllowed(String method, List<String> allowed) {
        return error(405, "method " + method + " not allowed; allowed: " + String.join(", ", allowed),
                Map.of("Allow", String.join(", ", allowed)));
    }
}
