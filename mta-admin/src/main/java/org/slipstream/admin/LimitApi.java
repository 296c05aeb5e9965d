package org.slipstream.admin;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.admin.operations.StandingOrders.LimitView;
import org.slipstream.core.HostKey;
import org.slipstream.core.order.LimitVerb;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.LimitOrder.LimitedThing;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// The resources of limits that operators have set: `limits` and its order.
final class LimitApi {
    private final StandingOrders orders;
    private final HostOperations hosts;
    private final LongSupplier clockMillis;

    LimitApi(StandingOrders orders, HostOperations hosts, LongSupplier clockMillis) {
        this.orders = orders;
        this.hosts = hosts;
        this.clockMillis = clockMillis;
    }

    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>();
        all.add(ApiResource.get("limits", Right.READ, "The limits that operators have set.",
                _ -> ApiResponse.ok(Map.of("limits", orders.limits()))));
        OrderForm.of(LimitVerb.class).forEach(form -> all.add(ApiResource.order("limits/" + form.word(), form,
                List.of(), query -> ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                        this::give))));
        return all;
    }

    private ApiResponse give(LimitVerb verb) throws IOException {
        return switch (verb) {
            case LimitVerb.Limit limit -> give(limit);
        };
    }

    private ApiResponse give(LimitVerb.Limit limit) throws IOException {
        List<String> keys = keys(limit.key());
        if (keys.isEmpty()) {
            return HostApi.unknown(limit.key());
        }
        boolean ends = limit.number().equalsIgnoreCase(LimitVerb.DEFAULT);
        List<LimitOrder> wanted = new ArrayList<>();
        try {
            for (String key : keys) {
                wanted.add(LimitOrder.parse(key, ends ? LimitOrder.anyValue(key) : limit.number(), limit.reason(),
                        limit.author(), clockMillis.getAsLong(),
                        limit.until().map(Instant::toEpochMilli).orElse(Long.MAX_VALUE)));
            }
        } catch (IllegalArgumentException wrong) {
            return ApiResponse.badRequest(String.valueOf(wrong.getMessage()));
        }
        Optional<String> refusal = wanted.stream().flatMap(each -> orders.refusal(each).stream()).findFirst();
        if (refusal.isPresent()) {
            return ApiResponse.badRequest(refusal.get());
        }
        if (!ends
                && Stream.concat(orders.limits().stream().map(LimitView::limit), wanted.stream().map(LimitOrder::name))
                        .distinct().count() > StandingOrders.MOST) {
            return ApiResponse.badRequest("there are at most " + StandingOrders.MOST
                    + " limits; mta limit KEY default takes one back");
        }
        List<String> done = new ArrayList<>();
        for (LimitOrder each : wanted) {
            if (!ends) {
                orders.begin(each);
                done.add(each.name());
            } else if (orders.end(each.kind(), each.name())) {
                done.add(each.name());
            }
        }
        return done.isEmpty()
                ? ApiResponse.notFound("no such limit was set: " + limit.key())
                : ApiResponse.ok(Map.of("done", "limit", "limits", done));
    }

    /// A host is named as an operator does, and its limit by its key.
    private List<String> keys(String key) throws IOException {
        String host = LimitedThing.HOST.word() + ":";
        if (!key.startsWith(host)) {
            return List.of(key);
        }
        String name = key.substring(host.length());
        List<String> known = hosts.show(name).stream().map(each -> host + each.host()).toList();
        return known.isEmpty() && HostKey.parse(name).isPresent() ? List.of(key) : known;
    }
}
