package org.slipstream.qmgr;

import org.slipstream.core.QueuePhase;
import org.slipstream.core.Reply;

/// The reason for which recipients are deferred without an attempt.
///
/// @param code for logs and explanations
/// @param reply 4xx, for the record of the recipient
record DeferralReason(QueuePhase.Code code, Reply reply) {}
