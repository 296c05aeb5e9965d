package org.slipstream.lab;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// The reports of carriers in a simulated world, as events for the queue manager.
record CarrierReports(Consumer<QmgrEvent> events) {
    static final String LOCAL = "local";

    void ready(long connection) {
        events.accept(new QmgrEvent.ConnectionReady(connection));
    }

    void failed(long connection, Reply reason, String remote) {
        events.accept(new QmgrEvent.ConnectionFailed(connection, reason, remote));
    }

    /// No connection was tried: this server caused the failure.
    void failedHere(long connection, Reply reason) {
        events.accept(new QmgrEvent.ConnectionFailed(connection, reason, LOCAL, true, OptionalLong.empty()));
    }

    void answered(QmgrOrder.Deliver deliver, List<RecipientOutcome> outcomes) {
        done(new DeliveryResult.Answered(deliver.delivery().number(), deliver.connection(), outcomes, true));
    }

    /// @param mayHaveArrived whether the whole content was sent
    void unanswered(QmgrOrder.Deliver deliver, Reply reason, String remote, boolean mayHaveArrived) {
        done(new DeliveryResult.Unanswered(deliver.delivery().number(), deliver.connection(), reason, remote,
                mayHaveArrived));
    }

    /// This server caused the failure; the connection can still be used.
    void failedHere(QmgrOrder.Deliver deliver, Reply reason, DeliveryResult.Scope scope) {
        done(new DeliveryResult.OwnFailure(deliver.delivery().number(), deliver.connection(), reason, scope, true));
    }

    private void done(DeliveryResult result) {
        events.accept(new QmgrEvent.DeliveryDone(result));
    }

    void lost(long connection, String reason) {
        events.accept(new QmgrEvent.ConnectionLost(connection, reason));
    }

    void depth(long connection, int deliveries) {
        events.accept(new QmgrEvent.ConnectionDepth(connection, deliveries));
    }

    void pipelinesBadly(long connection, String what) {
        events.accept(new QmgrEvent.PipelinesBadly(connection, what));
    }
}
