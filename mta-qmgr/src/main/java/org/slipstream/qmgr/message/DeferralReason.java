package org.slipstream.qmgr.message;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.QueuePhase;

/// The reason for which recipients are deferred without an attempt.
///
/// @param code for logs and explanations
/// @param reply 4xx, for the record of the recipient
public record DeferralReason(QueuePhase.Code code, Reply reply) {}
