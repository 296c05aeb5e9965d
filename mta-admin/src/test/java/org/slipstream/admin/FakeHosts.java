package org.slipstream.admin;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.core.order.HostOrder;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One host, `[192.0.2.1]:25/may`, called `mx.far.example`.
final class FakeHosts implements HostOperations {
    private static final String KEY = "[192.0.2.1]:25/may";

    final List<String> orders = new ArrayList<>();
    Optional<HostOrder> last = Optional.empty();

    @Override
    public Hosts hosts() {
        return new Hosts(List.of(view()), 100, 3, 17, 1, 0);
    }

    @Override
    public List<HostView> show(String name) {
        return name.equals("mx.far.example") || name.equals(KEY) ? List.of(view()) : List.of();
    }

    @Override
    public List<String> order(String name, HostOrder order) {
        orders.add(order.getClass().getSimpleName().toLowerCase(Locale.ROOT) + " " + name);
        last = Optional.of(order);
        return show(name).stream().map(HostView::host).toList();
    }

    private static HostView view() {
        return new HostView(KEY, "mx.far.example",
                List.of(new StateView("retry", "failed: 421 4.3.2 full", "2026-01-31T17:00:00Z", "2026-01-31T18:00:00Z",
                        2, "")),
                List.of(new ConnectionView(7, "busy", 3, 5, 12, "2026-01-31T17:59:00Z", List.of("smtp/far.example"))));
    }
}
