package org.slipstream.smtpout.dialog;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.List;

/// What a dialogue wants done next. Exactly one step is open at any time.
public sealed interface Step {
    /// Write this (one command or a pipelined group, every line ended by CRLF) and wait for a reply.
    record Send(String commands, Phase awaited) implements Step {}

    /// Wait for one more reply.
    record Await(Phase awaited) implements Step {}

    /// Shake hands for TLS, then say [ClientDialog#encrypted].
    record StartTls() implements Step {}

    /// Write the letter, dots stuffed, and the final dot; then wait for [Phase#FINAL].
    record SendContent() implements Step {}

    /// The peer is ready for a transaction.
    record Ready(PeerExtensions extensions) implements Step {}

    /// The peer does not want to talk to us. The connection is of no more use.
    record Refused(Reply reply, Phase phase) implements Step {}

    /// The transaction is over.
    ///
    /// @param outcomes one per recipient, in their order
    /// @param siteTrouble the peer turned away the transaction as a whole by 421 before it began, or went away
    record Finished(List<RecipientOutcome> outcomes, Aftermath aftermath, boolean siteTrouble) implements Step {
        public Finished {
            outcomes = List.copyOf(outcomes);
        }
    }

    /// What the connection is good for after a transaction.
    enum Aftermath {
        /// The next MAIL may follow at once.
        REUSE,
        /// The peer still holds parts of this transaction; RSET comes first.
        RESET,
        /// Nothing more can be said here.
        CLOSE
    }
}
