package org.slipstream.qmgr.settle;

import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.message.Activation;

import java.util.List;
import java.util.Optional;

/// The outcomes of recipients whose message an operator returns: each fails without another
/// attempt.
///
/// A cancelled delivery has the status 5.0.0, as Postfix's error transport gives it, and the words
/// that Exim has for it. An expired message has the status and the words of one that is older than
/// its lifetime, with the last reply.
public final class Returns {
    private Returns() {}

    /// True when the report of this message names the last replies.
    public static boolean needReplies(Optional<Activation> message) {
        return message.flatMap(each -> each.instructions.ending())
                .filter(how -> how.cause() == Instruction.Cause.EXPIRED).isPresent();
    }

    public static List<RecipientOutcome> outcomes(Instruction.Return how, QmgrEvent.RecipientsRead read,
            long createdMillis,
            long nowMillis) {
        return read.recipients().stream().map(each -> new RecipientOutcome(each.number(), switch (how.cause()) {
            // A message that an operator deleted is removed, and its outcomes with it.
            case CANCELLED, DELETED -> cancelled(how.reason());
            case EXPIRED -> last(read, each).map(last -> RetrySchedule.expired(last, createdMillis, nowMillis))
                    .orElseGet(() -> RetrySchedule.expiredBeforeAttempt(createdMillis, nowMillis, Outcome.HERE));
        })).toList();
    }

    private static Outcome.Failed cancelled(String reason) {
        return new Outcome.Failed(Reply.of(554, "5.0.0", "delivery cancelled by administrator"
                + (reason.isEmpty() ? "" : ": " + reason)), Outcome.HERE);
    }

    private static Optional<Outcome> last(QmgrEvent.RecipientsRead read, Recipient recipient) {
        return read.last().stream().filter(each -> each.number() == recipient.number()).findFirst()
                .map(RecipientOutcome::outcome);
    }
}
