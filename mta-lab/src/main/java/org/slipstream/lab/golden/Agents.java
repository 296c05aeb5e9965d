package org.slipstream.lab.golden;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.qmgr.Seating;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/// Delivery agents as the original knows them: so many per transport, each takes one entry to wherever it goes. The
/// connection that our orders speak of is the agent's, one for each delivery.
final class Agents implements Seating {
    private static final Answer FREE = new Answer.Free();
    private static final Answer BUSY = new Answer.FullEverywhere("all agents are busy");

    private final ToIntFunction<String> processLimit;
    private final Map<String, Integer> busy = new TreeMap<>();
    private final Map<Long, String> transports = new TreeMap<>();

    Agents(ToIntFunction<String> processLimit) {
        this.processLimit = processLimit;
    }

    @Override
    public Answer ask(QueueId message, Route route, long nowMillis) {
        String transport = route.transport();
        return busy.getOrDefault(transport, 0) < processLimit.applyAsInt(transport) ? FREE : BUSY;
    }

    @Override
    public void seat(Load load, long nowMillis, OrderSink orders) {
        busy.merge(load.route().transport(), 1, Integer::sum);
        transports.put(load.delivery(), load.route().transport());
        orders.order(
                new QmgrOrder.Deliver(load.delivery(), load.delivery(), load.id(), load.route(), load.recipients()));
    }

    @Override
    public Aftermath happened(QmgrEvent.OfConnection event, long nowMillis, OrderSink orders) {
        if (!(event instanceof QmgrEvent.DeliveryDone done)) {
            throw new IllegalStateException("agents have no connections of their own: " + event);
        }
        busy.merge(transports.remove(done.delivery()), -1, Integer::sum);
        return Aftermath.of(done.siteTrouble()
                ? new Fate.Troubled(done.delivery(), done.outcomes(), done.outcomes().getFirst().outcome().reply(),
                        false)
                : new Fate.Worked(done.delivery(), done.outcomes()));
    }

    @Override
    public Aftermath alarm(long nowMillis, OrderSink orders) {
        return Aftermath.NOTHING;
    }

    @Override
    public long nextAlarmMillis() {
        return Long.MAX_VALUE;
    }

    @Override
    public int connections(Route route) {
        return 0;
    }
}
