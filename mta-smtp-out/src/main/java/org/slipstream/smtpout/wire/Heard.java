package org.slipstream.smtpout.wire;

import org.slipstream.core.Reply;

/// What came over the wire.
public sealed interface Heard {
    record Said(Reply reply) implements Heard {}

    /// Nothing more will come, and nothing can be sent.
    record Gone(End end, String reason) implements Heard {}

    /// How a wire ended.
    enum End {
        /// The peer closed the connection.
        CLOSED,
        /// The network or the peer's machine cut it.
        BROKEN,
        /// Our patience ended first.
        TIMED_OUT,
        /// What came was not SMTP.
        GARBLED,
        /// We ended it.
        ABORTED
    }
}
