package org.slipstream.server.operate;

import org.slipstream.admin.operations.ExplainOperations.GateView;
import org.slipstream.admin.operations.ExplainOperations.MessageExplanation;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.trace.QmgrSnapshot.ActiveMessage;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The explanation of a message while the queue index cannot be read. The queue manager knows a
/// message that is active; of another one only the number is known.
///
/// @param active the message in the queue manager, if it is there
/// @param error of the index
/// @param sinceMillis of the failure, if the spool has noticed it
record UnindexedText(QueueId id, Optional<ActiveMessage> active, String error, OptionalLong sinceMillis) {
    MessageExplanation explanation() {
        String why = "the queue index cannot be read: " + LogText.text(error);
        String here = active.map(message -> "Message " + id + " is active: " + message.why())
                .orElse("Message " + id + " is not active; if it is queued, it waits on disk.");
        String text = here + "\n\nreason   " + Code.INDEX.word() + ": " + why
                + (sinceMillis.isPresent() ? "\nsince    " + QueueView.moment(sinceMillis) : "")
                + "\nnext     " + Code.INDEX.chance() + "\nrelease  " + Code.INDEX.release();
        GateView gate = new GateView(Code.INDEX.word(), "closed", true, QueueView.moment(sinceMillis), why);
        return new MessageExplanation(id.toString(), Code.INDEX.word(), why, QueueView.moment(sinceMillis),
                Code.INDEX.chance(),
                Code.INDEX.release(), List.of(gate), List.of(), List.of(), text);
    }
}
