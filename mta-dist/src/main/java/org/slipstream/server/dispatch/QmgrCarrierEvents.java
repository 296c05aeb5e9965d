package org.slipstream.server.dispatch;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.smtpout.CarrierEvents;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// Converts the carriers' events into events of the queue manager.
public record QmgrCarrierEvents(Consumer<QmgrEvent> answers) implements CarrierEvents {
    @Override
    public void ready(long connection) {
        answers.accept(new QmgrEvent.ConnectionReady(connection));
    }

    @Override
    public void failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis,
            Optional<QueuePhase.Code> phase) {
        answers.accept(new QmgrEvent.ConnectionFailed(connection, reason, remote, ours, retryAfterMillis, phase));
    }

    @Override
    public void done(DeliveryResult result) {
        answers.accept(new QmgrEvent.DeliveryDone(result));
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
