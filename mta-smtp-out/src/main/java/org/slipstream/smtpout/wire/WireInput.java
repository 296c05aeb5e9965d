package org.slipstream.smtpout.wire;

import org.slipstream.core.Reply;

import java.util.Optional;

/// The input of a wire: a reply, or its end.
public sealed interface WireInput {
    record Received(Reply reply) implements WireInput {}

    /// The wire has ended: no input, no output.
    ///
    /// @param begun a truncated or overlong reply, as far as received
    record Ended(End end, String reason, Optional<Reply> begun) implements WireInput {
        public Ended(End end, String reason) {
            this(end, reason, Optional.empty());
        }
    }

    /// The way in which a wire ended.
    enum End {
        /// The peer closed the connection.
        CLOSED,
        /// The network or the peer's machine broke the connection.
        BROKEN,
        /// A timeout was exceeded.
        TIMED_OUT,
        /// The input was not SMTP.
        GARBLED,
        /// This machine has no socket for it: no file descriptor, or not the configured source
        /// address.
        NO_SOCKET,
        /// The source of the connection cannot be used: its address, or its proxy.
        NO_SOURCE,
        /// This server ended it.
        ABORTED
    }
}
