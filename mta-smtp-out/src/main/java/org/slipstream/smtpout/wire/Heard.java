package org.slipstream.smtpout.wire;

import org.slipstream.core.Reply;

import java.util.Optional;

/// What came over the wire.
public sealed interface Heard {
    record Said(Reply reply) implements Heard {}

    /// Nothing more will come, and nothing can be sent.
    ///
    /// @param begun a reply that was cut off or too long, as far as it came
    record Gone(End end, String reason, Optional<Reply> begun) implements Heard {
        public Gone(End end, String reason) {
            this(end, reason, Optional.empty());
        }
    }

    /// How a wire ended.
    enum End {
        /// The peer closed the connection.
        CLOSED,
        /// The network or the peer's machine cut it.
        BROKEN,
        /// No answer came in time.
        TIMED_OUT,
        /// What came was not SMTP.
        GARBLED,
        /// This machine has no socket for it: no file descriptor, or not the address that it should come from.
        NO_SOCKET,
        /// We ended it.
        ABORTED
    }
}
