package org.slipstream.admin;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The resources under `/api/v1` and what can be done with them; knows nothing of HTTP beyond method, path and query.
///
/// | Path | Methods |
/// |---|---|
/// | `status` | GET |
/// | `queue?after=&limit=` | GET |
/// | `queue/flush?domain=` | POST |
/// | `queue/{id}` | GET, DELETE |
/// | `queue/{id}/flush`, `hold`, `release` | POST |
/// | `destdb` | GET |
/// | `destdb/host?name=` | GET |
/// | `destdb/forget?name=`, `destdb/resume?name=` | POST |
/// | `destdb/suspend?name=&reason=&author=&until=` | POST |
final class Api {
    static final String ROOT = "/api/v1/";
    static final int DEFAULT_LIMIT = 100;
    /// A page is held in memory as objects and as text; nobody reads more than this at once.
    static final int HIGHEST_LIMIT = 1000;

    private final Operations operations;
    private final HostApi hosts;

    Api(Operations operations, HostOperations hosts) {
        this.operations = operations;
        this.hosts = new HostApi(hosts);
    }

    Answer answer(String method, String path, String rawQuery) throws IOException {
        Optional<Resource> resource = path.startsWith(ROOT)
                ? find(Arrays.asList(path.substring(ROOT.length()).split("/", -1)))
                : Optional.empty();
        if (resource.isEmpty()) {
            return Answer.notFound("there is nothing at " + path);
        }
        Action action = resource.get().actions().get(method);
        if (action == null) {
            return Answer.methodNotAllowed(method, resource.get().actions().keySet().stream().sorted().toList());
        }
        Optional<Query> query = Query.parse(rawQuery);
        if (query.isEmpty()) {
            return Answer.badRequest("the query cannot be read: " + rawQuery);
        }
        Optional<String> unknown = query.get().unknown(resource.get().parameters());
        if (unknown.isPresent()) {
            return Answer.badRequest("unknown parameter " + unknown.get());
        }
        return action.apply(query.get());
    }

    @FunctionalInterface
    interface Action {
        Answer apply(Query query) throws IOException;
    }

    record Resource(Set<String> parameters, Map<String, Action> actions) {}

    @FunctionalInterface
    private interface Order {
        boolean give(QueueId id) throws IOException;
    }

    private Optional<Resource> find(List<String> path) {
        if (path.equals(List.of("status"))) {
            return resource(Set.of(), Map.of("GET", _ -> Answer.ok(operations.status())));
        }
        if (path.equals(List.of("queue"))) {
            return resource(Set.of("after", "limit"), Map.of("GET", this::list));
        }
        if (path.equals(List.of("queue", "flush"))) {
            return resource(Set.of("domain"), Map.of("POST", this::flushAll));
        }
        if (path.getFirst().equals("destdb")) {
            return hosts.find(path);
        }
        if (path.size() == 2 && path.getFirst().equals("queue")) {
            return resource(Set.of(), Map.of("GET", _ -> show(path.get(1)), "DELETE",
                    _ -> give(path.get(1), "delete", operations::delete)));
        }
        if (path.size() == 3 && path.getFirst().equals("queue")) {
            return order(path.get(2)).flatMap(
                    order -> resource(Set.of(), Map.of("POST", _ -> give(path.get(1), path.get(2), order))));
        }
        return Optional.empty();
    }

    private static Optional<Resource> resource(Set<String> parameters, Map<String, Action> actions) {
        return Optional.of(new Resource(parameters, actions));
    }

    private Optional<Order> order(String name) {
        return switch (name) {
            case "flush" -> Optional.of(operations::flush);
            case "hold" -> Optional.of(operations::hold);
            case "release" -> Optional.of(operations::release);
            default -> Optional.empty();
        };
    }

    private Answer list(Query query) throws IOException {
        Optional<QueueId> after = query.get("after").flatMap(QueueId::parse);
        if (query.get("after").isPresent() && after.isEmpty()) {
            return Answer.badRequest("after is no queue id: " + query.get("after").get());
        }
        Optional<Integer> limit = limit(query.get("limit"));
        return limit.isEmpty()
                ? Answer.badRequest("limit is a number from 1 to " + HIGHEST_LIMIT)
                : Answer.ok(operations.list(after, limit.get()));
    }

    private static Optional<Integer> limit(Optional<String> text) {
        if (text.isEmpty()) {
            return Optional.of(DEFAULT_LIMIT);
        }
        try {
            int limit = Integer.parseInt(text.get());
            return limit >= 1 && limit <= HIGHEST_LIMIT ? Optional.of(limit) : Optional.empty();
        } catch (NumberFormatException noNumber) {
            return Optional.empty();
        }
    }

    private Answer flushAll(Query query) throws IOException {
        Optional<String> domain = query.get("domain");
        if (domain.filter(String::isBlank).isPresent()) {
            return Answer.badRequest("domain is empty");
        }
        operations.flushAll(domain);
        return Answer.ok(Map.of("done", "flush"));
    }

    private Answer show(String text) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return noId(text);
        }
        return operations.show(id.get()).map(Answer::ok).orElseGet(() -> noMessage(id.get()));
    }

    private Answer give(String text, String name, Order order) throws IOException {
        Optional<QueueId> id = QueueId.parse(text);
        if (id.isEmpty()) {
            return noId(text);
        }
        return order.give(id.get())
                ? Answer.ok(Map.of("id", id.get().toString(), "done", name))
                : noMessage(id.get());
    }

    private static Answer noId(String text) {
        return Answer.badRequest("this is no queue id: " + text);
    }

    private static Answer noMessage(QueueId id) {
        return Answer.notFound("there is no message " + id + " in the queue");
    }
}
