package org.slipstream.admin.fake;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.core.order.HostOrder;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Hosts made of a map: `[192.0.2.1]:25/may` is called `mx.far.example` and has failed.
public final class FakeHosts implements HostOperations {
    public static final String KEY = "[192.0.2.1]:25/may";

    public final List<String> orders = new ArrayList<>();
    public Optional<HostOrder> last = Optional.empty();
    public final Map<String, StateView> states = new LinkedHashMap<>();

    /// Further hosts, which have no orders.
    public final List<HostView> others = new ArrayList<>();

    public FakeHosts() {
        states.put("retry", new StateView("retry", "failed: 421 4.3.2 \u001b[2Jfull", Instant.now().toString(),
                Instant.now().plusSeconds(3_000).toString(), 2, ""));
    }

    @Override
    public Hosts hosts() {
        List<HostView> all = new ArrayList<>(others);
        if (!states.isEmpty()) {
            all.add(view());
        }
        return new Hosts(all, 100, 3, 17, 1, 0);
    }

    @Override
    public List<HostView> show(String name) {
        return isKnown(name) ? List.of(view()) : List.of();
    }

    @Override
    public List<String> order(String name, HostOrder order) {
        orders.add(order.getClass().getSimpleName().toLowerCase(Locale.ROOT) + " " + name);
        last = Optional.of(order);
        boolean done = isKnown(name) && switch (order) {
            case HostOrder.Forget _ -> states.remove("retry") != null;
            case HostOrder.Resume _ -> states.remove("suspended") != null;
            case HostOrder.Suspend(String reason, String author, Optional<Instant> until) -> {
                states.put("suspended", new StateView("suspended", reason, Instant.now().toString(),
                        until.map(Instant::toString).orElse(""), 0, author));
                yield true;
            }
        };
        return done ? List.of(KEY) : List.of();
    }

    private static boolean isKnown(String name) {
        return name.equals("mx.far.example") || name.equals(KEY) || name.equals("192.0.2.1")
                || name.equals("mx.far.example" + KEY);
    }

    private HostView view() {
        return new HostView(KEY, "mx.far.example", List.copyOf(states.values()), List.of(new ConnectionView(7, "busy",
                3, 5, 12, Instant.now().minusSeconds(100).toString(), List.of("smtp/far.example"))));
    }
}
