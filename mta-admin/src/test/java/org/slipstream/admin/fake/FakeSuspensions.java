package org.slipstream.admin.fake;

import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Standing orders in memory.
public final class FakeSuspensions implements StandingOrders {
    public final List<Suspension> current = new ArrayList<>();
    public final List<LimitOrder> limits = new ArrayList<>();

    @Override
    public List<SuspensionView> suspensions() {
        return current.stream().map(SuspensionView::of).toList();
    }

    @Override
    public List<LimitView> limits() {
        return limits.stream().map(LimitView::of).toList();
    }

    @Override
    public Optional<String> refusal(StandingOrder order) {
        return Optional.of("no such transport: " + order.name()).filter(_ -> order instanceof Suspension suspension
                && suspension.scope() == SuspensionScope.TRANSPORT && !order.name().equals("smtp"));
    }

    @Override
    public void begin(StandingOrder order) {
        switch (order) {
            case Suspension suspension -> current.add(suspension);
            case LimitOrder limit -> limits.add(limit);
        }
    }

    @Override
    public boolean end(String kind, String name) {
        return current.removeIf(each -> each.kind().equals(kind) && each.name().equals(name))
                || limits.removeIf(each -> each.kind().equals(kind) && each.name().equals(name));
    }
}
