package org.slipstream.dist.desk;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.smtpout.CarrierEvents;

import java.util.OptionalLong;
import java.util.function.Consumer;

/// The events of connections as events of the queue manager.
public record CarrierAnswers(Consumer<QmgrEvent> answers) implements CarrierEvents {
    @Override
    public void ready(long connection) {
        answers.accept(new QmgrEvent.ConnectionReady(connection));
    }

    @Override
    public void failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis) {
        answers.accept(new QmgrEvent.ConnectionFailed(connection, reason, ours ? "local" : remote));
    }

    @Override
    public void done(DeliveryResult result) {
        answers.accept(switch (result) {
            case DeliveryResult.Answered r ->
                new QmgrEvent.DeliveryDone(r.delivery(), r.connection(), r.outcomes(), r.usable(), false);
            case DeliveryResult.Unanswered r -> new QmgrEvent.DeliveryReturned(r.delivery(), r.connection(),
                    r.reason(), r.remote(), r.mayHaveArrived());
            // Deferred, not tried elsewhere: there is no event for it yet.
            case DeliveryResult.OwnFailure r ->
                new QmgrEvent.DeliveryReturned(r.delivery(), r.connection(), r.reason(), "local", true);
        });
    }

    @Override
    public void depth(long connection, int deliveries) {
        answers.accept(new QmgrEvent.ConnectionDepth(connection, deliveries));
    }

    @Override
    public void pipelinesBadly(long connection, String what) {
        answers.accept(new QmgrEvent.PipelinesBadly(connection, what));
    }

    @Override
    public void lost(long connection, String reason) {
        answers.accept(new QmgrEvent.ConnectionLost(connection, reason));
    }
}
