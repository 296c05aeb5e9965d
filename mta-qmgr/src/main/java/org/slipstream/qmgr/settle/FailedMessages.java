package org.slipstream.qmgr.settle;

import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Puts messages on hold whose own data make a computation fail: an address, an instruction or a
/// reply. All other mail goes on, and a restart does not meet the message again.
///
/// Only computations that change nothing are caught: the state is that before the event of the
/// message. Any other exception leaves an unknown state, and the queue manager ends.
public final class FailedMessages {
    private final Scheduler scheduler;
    private final Outcomes outcomes;
    private final Map<QueueId, RuntimeException> untold = new LinkedHashMap<>();

    public FailedMessages(Scheduler scheduler, Outcomes outcomes) {
        this.scheduler = scheduler;
        this.outcomes = outcomes;
    }

    /// The message goes on hold as soon as it is idle. Running deliveries finish.
    ///
    /// @param recipients in memory and in no entry; their last reply is the reason
    public void hold(Activation message, List<Recipient> recipients, RuntimeException failure) {
        tell(message, failure);
        message.order(new MessageOrder.Hold("", ""));
        if (!scheduler.withdraw(message.work).isEmpty()) {
            message.leaveOpen();
        }
        outcomes.conclude(message, recipients, new DeferralReason(QueuePhase.Code.CONTENT, Reply.of(451, "4.3.0",
                "the message cannot be processed and is on hold: " + LogText.text(FailureWords.of(failure)))),
                RetryBounds.NONE);
    }

    void tell(Activation message, RuntimeException failure) {
        untold.put(message.id, failure);
    }

    /// The messages since the previous call with their failures, for the log.
    public Map<QueueId, RuntimeException> take() {
        Map<QueueId, RuntimeException> all = new LinkedHashMap<>(untold);
        untold.clear();
        return all;
    }
}
