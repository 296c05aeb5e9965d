package org.slipstream.dist.desk;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.smtpout.CarrierEvents;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// What carriers tell, in the queue manager's words.
public record CarrierAnswers(Consumer<QmgrEvent> answers) implements CarrierEvents {
    @Override
    public void ready(long connection) {
        answers.accept(new QmgrEvent.ConnectionReady(connection));
    }

    @Override
    public void failed(long connection, Reply reason, String remote) {
        answers.accept(new QmgrEvent.ConnectionFailed(connection, reason, remote, remote.equals("local"),
                OptionalLong.empty()));
    }

    @Override
    public void done(long delivery, long connection, List<RecipientOutcome> outcomes, boolean usable,
            boolean siteTrouble) {
        answers.accept(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(delivery, connection, outcomes, usable)));
    }

    /// The placement finds other seats.
    @Override
    public boolean reseats() {
        return true;
    }

    @Override
    public void returned(long delivery, long connection, Reply reason, String remote, boolean mayHaveArrived) {
        answers.accept(new QmgrEvent.DeliveryDone(
                new DeliveryResult.Unanswered(delivery, connection, reason, remote, mayHaveArrived)));
    }

    @Override
    public void depth(long connection, int parcels) {
        answers.accept(new QmgrEvent.ConnectionDepth(connection, parcels));
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
