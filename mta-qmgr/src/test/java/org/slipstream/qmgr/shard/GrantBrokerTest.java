package org.slipstream.qmgr.shard;

import org.junit.jupiter.api.Test;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.shard.NodeReport.BrokerReply;
import org.slipstream.qmgr.shard.NodeReport.ItemFrame;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// Single cases; [GrantWorldTest] has the whole.
class GrantBrokerTest {
    private final GrantBroker broker = new GrantBroker(1, GrantBroker.GRANT_MILLIS, 0);

    private void begins(String node, long nowMillis) {
        BrokerReply welcome = broker.receive(new NodeReport(node, 1, 1, 0, nowMillis, ItemFrame.NONE), nowMillis,
                nowMillis);
        broker.receive(new NodeReport(node, 1, 1, welcome.session(), nowMillis, new ItemFrame(1, 0,
                List.of(new NodeItem.AskedLanes(new QmgrOrder.HoldLeases(List.of()))))), nowMillis, nowMillis);
    }

    /// The report of another node may be what shows the time.
    @Test
    void eachLostNodeIsToldOnce() {
        begins("a", 0);
        begins("b", 5_000);
        assertThat(broker.timePasses(5_000)).isEmpty();
        begins("c", GrantBroker.GRANT_MILLIS);
        assertThat(broker.nodes()).containsExactly("b", "c");
        assertThat(broker.timePasses(GrantBroker.GRANT_MILLIS)).containsExactly("a");
        assertThat(broker.timePasses(GrantBroker.GRANT_MILLIS)).isEmpty();
    }
}
