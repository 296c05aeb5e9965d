package org.slipstream.lab;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// The reports of the carriers of a simulated world, in the events of the queue manager.
record CarrierReports(Consumer<QmgrEvent> answers) {
    static final String OURS = "local";

    void ready(long connection) {
        answers.accept(new QmgrEvent.ConnectionReady(connection));
    }

    void failed(long connection, Reply reason, String remote) {
        answers.accept(new QmgrEvent.ConnectionFailed(connection, reason, remote));
    }

    /// No connection was tried, for a reason of our own.
    void failedHere(long connection, Reply reason) {
        answers.accept(new QmgrEvent.ConnectionFailed(connection, reason, OURS, true, OptionalLong.empty()));
    }

    void answered(QmgrOrder.Deliver deliver, List<RecipientOutcome> outcomes) {
        done(new DeliveryResult.Answered(deliver.delivery().number(), deliver.connection(), outcomes, true));
    }

    /// @param mayHaveArrived the whole content was sent
    void unanswered(QmgrOrder.Deliver deliver, Reply reason, String remote, boolean mayHaveArrived) {
        done(new DeliveryResult.Unanswered(deliver.delivery().number(), deliver.connection(), reason, remote,
                mayHaveArrived));
    }

    /// The connection is as good as before.
    void failedHere(QmgrOrder.Deliver deliver, Reply reason, DeliveryResult.Scope scope) {
        done(new DeliveryResult.OwnFailure(deliver.delivery().number(), deliver.connection(), reason, scope, true));
    }

    private void done(DeliveryResult result) {
        answers.accept(new QmgrEvent.DeliveryDone(result));
    }

    void lost(long connection, String reason) {
        answers.accept(new QmgrEvent.ConnectionLost(connection, reason));
    }

    void depth(long connection, int deliveries) {
        answers.accept(new QmgrEvent.ConnectionDepth(connection, deliveries));
    }

    void pipelinesBadly(long connection, String what) {
        answers.accept(new QmgrEvent.PipelinesBadly(connection, what));
    }
}
