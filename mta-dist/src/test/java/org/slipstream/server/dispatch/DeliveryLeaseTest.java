package org.slipstream.server.dispatch;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.QmgrOrder;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeliveryLeaseTest {
    private static final QueueId ID = QueueId.after(0, 1, 1);

    private boolean starts = true;
    private boolean ends = true;
    private final DeliveryLease lease = new DeliveryLease() {
        @Override
        public boolean mayStart() {
            return starts;
        }

        @Override
        public boolean mayEnd() {
            return ends;
        }
    };
    private final List<QmgrOrder> dispatched = new ArrayList<>();
    private final LeaseGate gate = new LeaseGate(lease, dispatched::add);

    @Test
    void whatTellsTheWorldWaitsForTheLeaseAndWhatTheLogGetsDoesNot() {
        QmgrOrder report = new QmgrOrder.Notify(ID, ReportKind.FAILED);
        QmgrOrder removal = new QmgrOrder.Remove(ID, "delivered");
        starts = false;
        gate.order(report);
        gate.order(removal);
        gate.resume();
        assertThat(dispatched).containsExactly(removal);
        starts = true;
        gate.resume();
        gate.resume();
        assertThat(dispatched).containsExactly(removal, report);
    }

    @Test
    void aContentEndsOnlyWhileTheLeaseLasts() throws IOException {
        Content content = LeasedContent.of(Content.of("0123456789".getBytes(StandardCharsets.US_ASCII)), lease);
        assertThat(content.source()).isEmpty();
        try (InputStream in = content.open()) {
            assertThat(in.readNBytes(4)).hasSize(4);
            ends = false;
            assertThatThrownBy(in::readAllBytes).isInstanceOf(IOException.class).hasMessageContaining("lease");
            ends = true;
            assertThat(in.readAllBytes()).hasSize(6);
        }
    }
}
