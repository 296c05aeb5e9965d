package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.HostOperations.StateView;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.MailOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// The resources of suspensions: `suspensions` with its orders, and `freeze` and `thaw`. A host is
/// suspended by [HostOperations], everything else by [StandingOrders].
final class SuspensionApi {
    private static final String HOST = "host";
    /// A recipient's domain is a destination.
    private static final String DOMAIN = "domain";
    private static final List<String> KINDS = List.of("destination", DOMAIN, "provider", "sender", "transport", HOST);
    private static final List<ApiParameter> SUBJECT = List.of(
            new ApiParameter("kind", "the kind of mail", true, KINDS),
            ApiParameter.of("name", "a next hop or domain, a provider, an address or `<>`, a transport, or a host")
                    .needed());

    private final StandingOrders orders;
    private final HostOperations hosts;
    private final LongSupplier clockMillis;

    SuspensionApi(StandingOrders orders, HostOperations hosts, LongSupplier clockMillis) {
        this.orders = orders;
        this.hosts = hosts;
        this.clockMillis = clockMillis;
    }

    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>();
        all.add(ApiResource.get("suspensions", Right.READ, "The suspensions in force, with their reasons.",
                _ -> list()));
        for (OrderForm<MailOrder> form : OrderForm.of(MailOrder.class)) {
            boolean isForAll = form.word().equals("freeze") || form.word().equals("thaw");
            all.add(ApiResource.order(isForAll ? form.word() : "suspensions/" + form.word(), form,
                    isForAll ? List.of() : SUBJECT,
                    query -> ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                            order -> give(order, query))));
        }
        return all;
    }

    private ApiResponse list() throws IOException {
        List<SuspensionView> all = new ArrayList<>(orders.suspensions());
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

    private ApiResponse give(MailOrder order, Query query) throws IOException {
        return switch (order) {
            case MailOrder.Suspend(String reason, String author, Optional<Instant> until) -> isHost(query)
                    ? HostApi.give(hosts, query, new HostOrder.Suspend(reason, author, until), "suspend", "names")
                    : ofKind(query, (scope, name) -> put(scope, name, reason, author, until));
            case MailOrder.Resume _ -> isHost(query)
                    ? HostApi.give(hosts, query, new HostOrder.Resume(), "resume", "names")
                    : ofKind(query, this::resume);
            case MailOrder.Freeze(String reason, String author, Optional<Instant> until) ->
                put(SuspensionScope.EVERYTHING, "", reason, author, until);
            case MailOrder.Thaw _ -> orders.end(SuspensionScope.EVERYTHING.kind(), "")
                    ? ApiResponse.ok(Map.of("done", "thaw"))
                    : ApiResponse.notFound("deliveries are not frozen");
        };
    }

    @FunctionalInterface
    private interface KindOrder {
        ApiResponse give(SuspensionScope scope, String name) throws IOException;
    }

    private ApiResponse ofKind(Query query, KindOrder order) throws IOException {
        Optional<String> name = query.name();
        if (name.isEmpty()) {
            return Query.noName();
        }
        Optional<SuspensionScope> scope = scope(query);
        if (scope.isEmpty()) {
            return ApiResponse.badRequest("kind is none of " + String.join(", ", KINDS));
        }
        return order.give(scope.get(), name.get());
    }

    private ApiResponse put(SuspensionScope scope, String name, String reason, String author, Optional<Instant> until)
            throws IOException {
        Suspension suspension = new Suspension(scope, name, reason, author, clockMillis.getAsLong(),
                until.map(Instant::toEpochMilli).orElse(Long.MAX_VALUE));
        Optional<String> refusal = orders.refusal(suspension);
        if (refusal.isPresent()) {
            return ApiResponse.badRequest(refusal.get());
        }
        if (isOneTooMany(suspension)) {
            return ApiResponse.badRequest("there are at most " + StandingOrders.MOST
                    + " suspensions; mta resume KIND NAME ends one");
        }
        orders.begin(suspension);
        return ApiResponse.ok(Map.of("done", "suspend", "names", List.of(suspension.name())));
    }

    /// A freeze is always possible; there is only one.
    private boolean isOneTooMany(Suspension wanted) throws IOException {
        return wanted.scope() != SuspensionScope.EVERYTHING && orders.suspensions().stream()
                .filter(each -> !each.scope().equals(wanted.scope().word()) || !each.name().equals(wanted.name()))
                .count() >= StandingOrders.MOST;
    }

    private ApiResponse resume(SuspensionScope scope, String name) throws IOException {
        return orders.end(scope.kind(), Suspension.normal(scope, name))
                ? ApiResponse.ok(Map.of("done", "resume", "names", List.of(Suspension.normal(scope, name))))
                : ApiResponse.notFound("not suspended: " + scope.word() + " " + name);
    }

    // ---- parameters

    /// The mail of a transport is nearly all mail, so its suspension requires the right of a freeze.
    static boolean isOfATransport(Query query) {
        return scope(query).filter(SuspensionScope.TRANSPORT::equals).isPresent();
    }

    private static boolean isHost(Query query) {
        return query.get("kind").filter(HOST::equals).isPresent();
    }

    private static Optional<SuspensionScope> scope(Query query) {
        String kind = query.get("kind").map(each -> each.equals(DOMAIN) ? "destination" : each).orElse("");
        return Arrays.stream(SuspensionScope.values())
                .filter(each -> each != SuspensionScope.EVERYTHING && each.word().equals(kind.toLowerCase(Locale.ROOT)))
                .findFirst();
    }
}
