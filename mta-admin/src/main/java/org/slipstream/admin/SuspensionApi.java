package org.slipstream.admin;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.HostOperations.StateView;
import org.slipstream.admin.operations.SuspensionOperations;
import org.slipstream.admin.operations.SuspensionOperations.SuspensionView;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/// The resources of suspensions: `suspensions` with its orders, and `freeze` and `thaw`. A host is
/// suspended by [HostOperations], everything else by [SuspensionOperations].
final class SuspensionApi {
    private static final int LONGEST_TEXT = 500;
    private static final String HOST = "host";
    /// A recipient's domain is a destination.
    private static final String DOMAIN = "domain";

    private final SuspensionOperations operations;
    private final HostOperations hosts;
    private final LongSupplier clockMillis;

    SuspensionApi(SuspensionOperations operations, HostOperations hosts, LongSupplier clockMillis) {
        this.operations = operations;
        this.hosts = hosts;
        this.clockMillis = clockMillis;
    }

    /// @param path begins with `suspensions`, `freeze` or `thaw`
    Optional<Api.Resource> find(List<String> path) {
        return switch (String.join("/", path)) {
            case "suspensions" -> resource(Set.of(), "GET", Right.READ.to(_ -> list()));
            case "suspensions/suspend" -> resource(Set.of("kind", "name", "reason", "author", "until"), "POST",
                    Right.OPERATE.to(this::suspend));
            case "suspensions/resume" -> resource(Set.of("kind", "name", "author"), "POST",
                    Right.OPERATE.to(this::resume));
            case "freeze" -> resource(Set.of("reason", "author", "until"), "POST",
                    Right.ADMINISTRATE.to(this::freeze));
            case "thaw" -> resource(Set.of("author"), "POST", Right.ADMINISTRATE.to(_ -> thaw()));
            default -> Optional.empty();
        };
    }

    private static Optional<Api.Resource> resource(Set<String> parameters, String method, Api.PermittedAction action) {
        return Optional.of(new Api.Resource(parameters, Map.of(method, action)));
    }

    private ApiResponse list() throws IOException {
        List<SuspensionView> all = new ArrayList<>(operations.suspensions());
        for (HostView host : hosts.hosts().hosts()) {
            for (StateView state : host.states()) {
                if (state.state().equals("suspended")) {
                    all.add(new SuspensionView(HOST, host.host(), state.reason(), state.author(), state.since(),
                            state.until()));
                }
            }
        }
        return ApiResponse.ok(Map.of("suspensions", all));
    }

    // ---- orders

    private record Ordered(String reason, String author, Optional<Long> untilMillis) {}

    @FunctionalInterface
    private interface Order {
        ApiResponse give(Ordered ordered) throws IOException;
    }

    private static ApiResponse ordered(Query query, Order order) throws IOException {
        Optional<String> reason = text(query, "reason");
        Optional<String> author = text(query, "author");
        if (reason.isEmpty() || author.isEmpty()) {
            return ApiResponse.badRequest("a suspension requires a reason and an author, each of at most "
                    + LONGEST_TEXT + " characters");
        }
        Optional<Long> until = query.get("until").flatMap(SuspensionApi::instant);
        return until.isEmpty() && query.get("until").isPresent()
                ? ApiResponse.badRequest("until is not a time such as 2026-01-31T18:00:00Z")
                : order.give(new Ordered(reason.get(), author.get(), until));
    }

    private ApiResponse suspend(Query query) throws IOException {
        Optional<String> name = text(query, "name");
        if (name.isEmpty()) {
            return ApiResponse.badRequest("missing parameter: ?name=");
        }
        if (query.get("kind").filter(HOST::equals).isPresent()) {
            return ordered(query,
                    ordered -> host(name.get(), hosts.suspend(name.get(), new HostOperations.HostSuspension(
                            ordered.reason(), ordered.author(), ordered.untilMillis())), "suspend"));
        }
        Optional<SuspensionScope> scope = scope(query);
        if (scope.isEmpty()) {
            return noKind();
        }
        Optional<String> refusal = operations.refusal(scope.get(), name.get());
        return refusal.isPresent()
                ? ApiResponse.badRequest(refusal.get())
                : ordered(query, ordered -> put(scope.get(), name.get(), ordered));
    }

    private ApiResponse put(SuspensionScope scope, String name, Ordered ordered) throws IOException {
        Suspension suspension = new Suspension(scope, name, ordered.reason(), ordered.author(),
                clockMillis.getAsLong(), ordered.untilMillis().orElse(Long.MAX_VALUE));
        operations.suspend(suspension);
        return ApiResponse.ok(Map.of("done", "suspend", "names", List.of(suspension.name())));
    }

    private ApiResponse resume(Query query) throws IOException {
        Optional<String> name = text(query, "name");
        if (name.isEmpty()) {
            return ApiResponse.badRequest("missing parameter: ?name=");
        }
        if (query.get("kind").filter(HOST::equals).isPresent()) {
            return host(name.get(), hosts.resume(name.get()), "resume");
        }
        Optional<SuspensionScope> scope = scope(query);
        if (scope.isEmpty()) {
            return noKind();
        }
        return operations.resume(scope.get(), name.get())
                ? ApiResponse.ok(Map.of("done", "resume", "names",
                        List.of(Suspension.normal(scope.get(), name.get()))))
                : ApiResponse.notFound("not suspended: " + scope.get().word() + " " + name.get());
    }

    private static ApiResponse host(String name, List<String> keys, String done) {
        return keys.isEmpty()
                ? ApiResponse.notFound("no such entry for host " + name)
                : ApiResponse.ok(Map.of("done", done, "names", keys));
    }

    private ApiResponse freeze(Query query) throws IOException {
        return ordered(query, ordered -> put(SuspensionScope.EVERYTHING, "", ordered));
    }

    private ApiResponse thaw() throws IOException {
        return operations.resume(SuspensionScope.EVERYTHING, "")
                ? ApiResponse.ok(Map.of("done", "thaw"))
                : ApiResponse.notFound("deliveries are not frozen");
    }

    // ---- parameters

    /// The mail of a transport is nearly all mail, so its suspension requires the right of a freeze.
    static boolean isOfATransport(Query query) {
        return scope(query).filter(SuspensionScope.TRANSPORT::equals).isPresent();
    }

    private static Optional<SuspensionScope> scope(Query query) {
        String kind = query.get("kind").map(each -> each.equals(DOMAIN) ? "destination" : each).orElse("");
        return Arrays.stream(SuspensionScope.values())
                .filter(each -> each != SuspensionScope.EVERYTHING && each.word().equals(kind.toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    private static ApiResponse noKind() {
        return ApiResponse.badRequest("kind is none of destination, domain, sender, transport and host");
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
}
