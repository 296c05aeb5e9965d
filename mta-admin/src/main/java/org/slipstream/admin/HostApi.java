package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.HostOperations;
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
        Optional<String> name = query.name();
        return name.isEmpty()
                ? Query.noName()
                : ApiResponse.reading(form.read(query.parameters(), Query::noNextHop), order -> {
                    List<String> hosts = operations.order(name.get(), order);
                    return hosts.isEmpty()
                            ? unknown(name.get())
                            : ApiResponse.ok(Map.of("done", form.word(), "hosts", hosts));
                });
    }

    static ApiResponse unknown(String name) {
        return ApiResponse.notFound("no such entry for host " + name);
    }
}
