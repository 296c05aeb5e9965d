package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The resources of the destination database: `destdb`, `destdb/host?name=` and the orders for a
/// host. Host keys contain slashes, so the query names the host.
final class HostApi {
    private static final ApiParameter NAME = ApiParameter.of("name", "key, address or name of the host").needed();

    private final HostOperations operations;

    HostApi(HostOperations operations) {
        this.operations = operations;
    }

    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>(List.of(
                ApiResource.get("destdb", Right.READ, "The known remote hosts, with their states and connections.",
                        _ -> ApiResponse.ok(operations.hosts())),
                ApiResource.get("destdb/host", Right.READ, "A host with each of its connections.", List.of(NAME),
                        this::show)));
        OrderForm.of(HostOrder.class).forEach(form -> all.add(ApiResource.order("destdb/" + form.word(), form,
                List.of(NAME), query -> give(form, query))));
        return all;
    }

    private ApiResponse show(Query query) throws IOException {
        Optional<String> name = query.name();
        if (name.isEmpty()) {
            return Query.noName();
        }
        var found = operations.show(name.get());
        return found.isEmpty() ? unknown(name.get()) : ApiResponse.ok(Map.of("hosts", found));
    }

    private ApiResponse give(OrderForm<HostOrder> form, Query query) throws IOException {
        return query.name().isEmpty()
                ? Query.noName()
                : ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                        order -> give(operations, query, order, form.word(), "hosts"));
    }

    /// @param done the word of the order; @param list the key of the hosts in the answer
    static ApiResponse give(HostOperations operations, Query query, HostOrder order, String done, String list)
            throws IOException {
        Optional<String> name = query.name();
        if (name.isEmpty()) {
            return Query.noName();
        }
        if (order instanceof HostOrder.Suspend
                && operations.show(name.get()).stream().noneMatch(HostView::hasSuspension)
                && operations.hosts().hosts().stream().filter(HostView::hasSuspension).count() >= StandingOrders.MOST) {
            return ApiResponse.badRequest("there are at most " + StandingOrders.MOST
                    + " suspended hosts; mta destdb resume HOST ends one");
        }
        List<String> hosts = operations.order(name.get(), order);
        return hosts.isEmpty() ? unknown(name.get()) : ApiResponse.ok(Map.of("done", done, list, hosts));
    }

    static ApiResponse unknown(String name) {
        return ApiResponse.notFound("no such entry for host " + name);
    }
}
