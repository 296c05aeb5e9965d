package org.slipstream.cli;

import org.slipstream.admin.operations.HostOperations;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Hosts made of a map: `[192.0.2.1]:25/may` is called `mx.far.example` and has failed.
final class FakeHosts implements HostOperations {
    static final String KEY = "[192.0.2.1]:25/may";

    final Map<String, StateView> states = new LinkedHashMap<>();

    FakeHosts() {
        states.put("retry", new StateView("retry", "failed: 421 4.3.2 \u001b[2Jfull", Instant.now().toString(),
                Instant.now().plusSeconds(3_000).toString(), 2, ""));
    }

    @Override
    public Hosts hosts() {
        return new Hosts(states.isEmpty() ? List.of() : List.of(view()), 100, 1, 17, 0, 0);
    }

    @Override
    public List<HostView> show(String name) {
        return isKnown(name) ? List.of(view()) : List.of();
    }

    @Override
    public List<String> forget(String name) {
        return isKnown(name) && states.remove("retry") != null ? List.of(KEY) : List.of();
    }

    @Override
    public List<String> suspend(String name, HostSuspension wanted) {
        if (!isKnown(name)) {
            return List.of();
        }
        states.put("suspended", new StateView("suspended", wanted.reason(), Instant.now().toString(),
                wanted.untilMillis().map(Instant::ofEpochMilli).map(Instant::toString).orElse(""), 0,
                wanted.author()));
        return List.of(KEY);
    }

    @Override
    public List<String> resume(String name) {
        return isKnown(name) && states.remove("suspended") != null ? List.of(KEY) : List.of();
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
