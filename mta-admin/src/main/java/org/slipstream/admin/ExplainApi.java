package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.ExplainOperations;
import org.slipstream.admin.operations.ExplainOperations.Subject;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import static org.slipstream.admin.operations.ExplainOperations.MOST_EXPLAINED;

/// The resource `explain`: one message, or what waits for a destination, for a host or from a
/// sender.
final class ExplainApi {
    private static final String MOST = "most";
    private static final List<ApiParameter> SUBJECTS = List.of(ApiParameter.of("message", "a queue id"),
            ApiParameter.of("destination", "a next hop or domain"), ApiParameter.of("host", "key, address or name"),
            ApiParameter.of("sender", "an address or a domain"),
            ApiParameter.of(MOST, "messages that are read at most"));

    private final ExplainOperations explanations;

    ExplainApi(ExplainOperations explanations) {
        this.explanations = explanations;
    }

    List<ApiResource> resources() {
        return List.of(ApiResource.get("explain", Right.READ, "Why mail is still queued.", SUBJECTS, this::explain));
    }

    private ApiResponse explain(Query query) throws IOException {
        Optional<String> message = query.get("message");
        List<Map.Entry<String, String>> subjects = query.parameters().entrySet().stream()
                .filter(each -> !each.getKey().equals(MOST)).toList();
        if (subjects.size() != 1) {
            return ApiResponse.badRequest("explain needs one of message, destination, host and sender");
        }
        Optional<Integer> most = query.get(MOST).map(ExplainApi::most).orElse(Optional.of(MOST_EXPLAINED));
        if (most.isEmpty()) {
            return ApiResponse.wrongParameter(MOST, "most is not a number from 1 to " + MOST_EXPLAINED);
        }
        if (message.isPresent()) {
            return message(message.get());
        }
        Map.Entry<String, String> one = subjects.getFirst();
        return one.getValue().isBlank()
                ? ApiResponse.badRequest(one.getKey() + " is empty")
                : ApiResponse.ok(explanations.explain(Subject.valueOf(one.getKey().toUpperCase(Locale.ROOT)),
                        one.getValue(), most.get()));
    }

    private static Optional<Integer> most(String text) {
        return Optional.of(text).filter(digits -> digits.matches("[0-9]{1,4}")).map(Integer::valueOf)
                .filter(number -> number >= 1 && number <= MOST_EXPLAINED);
    }

    private ApiResponse message(String text) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return ApiResponse.badRequest("not a queue id: " + text);
        }
        return explanations.explain(id.get()).map(ApiResponse::ok)
                .orElseGet(() -> ApiResponse.notFound("no such message in the queue: " + id.get()));
    }
}
