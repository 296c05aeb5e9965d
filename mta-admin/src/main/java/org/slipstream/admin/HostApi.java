package org.slipstream.admin;

import org.slipstream.admin.operations.HostOperations;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The resources of the destination database: `destdb`, `destdb/host?name=` and the orders for a
/// host. Host keys contain slashes, so the query names the host.
final class HostApi {
    private static final int LONGEST_TEXT = 500;

    private final HostOperations operations;

    HostApi(HostOperations operations) {
        this.operations = operations;
    }

    Optional<Api.Resource> find(List<String> path) {
        if (path.equals(List.of("destdb"))) {
            return resource(Set.of(), "GET", Right.READ.to(_ -> ApiResponse.ok(operations.hosts())));
        }
        if (path.equals(List.of("destdb", "host"))) {
            return resource(Set.of("name"), "GET", Right.READ.to(this::show));
        }
        if (path.equals(List.of("destdb", "forget"))) {
            return resource(Set.of("name"), "POST",
                    Right.OPERATE.to(query -> give(query, "forget", operations::forget)));
        }
        if (path.equals(List.of("destdb", "resume"))) {
            return resource(Set.of("name"), "POST",
                    Right.OPERATE.to(query -> give(query, "resume", operations::resume)));
        }
        if (path.equals(List.of("destdb", "suspend"))) {
            return resource(Set.of("name", "reason", "author", "until"), "POST",
                    Right.OPERATE.to(this::suspend));
        }
        return Optional.empty();
    }

    private static Optional<Api.Resource> resource(Set<String> parameters, String method, Api.PermittedAction action) {
        return Optional.of(new Api.Resource(parameters, Map.of(method, action)));
    }

    @FunctionalInterface
    private interface Order {
        List<String> give(String name) throws IOException;
    }

    private ApiResponse show(Query query) throws IOException {
        Optional<String> name = text(query, "name");
        if (name.isEmpty()) {
            return noName();
        }
        var found = operations.show(name.get());
        return found.isEmpty() ? unknown(name.get()) : ApiResponse.ok(Map.of("hosts", found));
    }

    private static ApiResponse give(Query query, String done, Order order) throws IOException {
        Optional<String> name = text(query, "name");
        if (name.isEmpty()) {
            return noName();
        }
        List<String> hosts = order.give(name.get());
        return hosts.isEmpty() ? unknown(name.get()) : ApiResponse.ok(Map.of("done", done, "hosts", hosts));
    }

    private ApiResponse suspend(Query query) throws IOException {
        Optional<String> reason = text(query, "reason");
        Optional<String> author = text(query, "author");
        if (reason.isEmpty() || author.isEmpty()) {
            return ApiResponse
                    .badRequest("a suspension requires a reason and an author, each of at most " + LONGEST_TEXT
                            + " characters");
        }
        Optional<Long> until = query.get("until").flatMap(HostApi::instant);
        if (until.isEmpty() && query.get("until").isPresent()) {
            return ApiResponse.badRequest("until is not a time such as 2026-01-31T18:00:00Z");
        }
        var suspension = new HostOperations.HostSuspension(reason.get(), author.get(), until);
        return give(query, "suspend", name -> operations.suspend(name, suspension));
    }

    private static Optional<Long> instant(String text) {
        try {
            return Optional.of(Instant.parse(text).toEpochMilli());
        } catch (DateTimeException | ArithmeticException none) {
            return Optional.empty();
        }
    }

    private static Optional<String> text(Query query, String name) {
        return query.get(name).filter(text -> !text.isBlank() && text.length() <= LONGEST_TEXT);
    }

    private static ApiResponse noName() {
        return ApiResponse.badRequest("missing parameter: ?name=");
    }

    private static ApiResponse unknown(String name) {
        return ApiResponse.notFound("no such entry for host " + name);
    }
}
