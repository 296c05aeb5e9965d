package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.TraceOperations;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The resource `trace`, and the content of a message.
final class TraceApi {
    private static final int DEFAULT_LIMIT = 20;
    private static final int HIGHEST_LIMIT = 1000;

    private final TraceOperations traces;

    TraceApi(TraceOperations traces) {
        this.traces = traces;
    }

    List<ApiResource> resources() {
        return List.of(ApiResource.get("trace", Right.READ, "The stories of messages.", List.of(
                ApiParameter.of("of", "a queue id, a Message-ID, an address, or `@domain`").needed(),
                ApiParameter.of("limit", "messages at most, from 1 to " + HIGHEST_LIMIT)), this::trace));
    }

    private ApiResponse trace(Query query) throws IOException {
        Optional<String> wanted = query.get("of").filter(text -> !text.isBlank());
        Optional<Integer> limit = query.number("limit", DEFAULT_LIMIT, 1, HIGHEST_LIMIT);
        if (wanted.isEmpty()) {
            return ApiResponse.badRequest("missing parameter: ?of=, a queue id, a Message-ID or an address");
        }
        if (limit.isEmpty()) {
            return ApiResponse.badRequest("limit is not a number from 1 to " + HIGHEST_LIMIT);
        }
        return ApiResponse.ok(traces.trace(wanted.get(), limit.get()));
    }

    /// The content of a message as it lies in the spool.
    static ApiResponse content(TraceOperations traces, String text) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return ApiResponse.badRequest("not a queue id: " + text);
        }
        Optional<Content> content = traces.content(id.get());
        return content.map(ApiResponse::ok)
                .orElseGet(() -> ApiResponse.notFound("no such message in the queue: " + id.get()));
    }
}
