package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

/// What the handshake wants done next. Exactly one step is open at any time.
public sealed interface Step {
    /// Write this (one command, ended by CRLF) and wait for a reply.
    record Send(String commands, Phase awaited) implements Step {}

    /// Wait for one more reply.
    record Await(Phase awaited) implements Step {}

    /// Shake hands for TLS, then say [ClientDialog#encrypted].
    record StartTls() implements Step {}

    /// The peer is ready for transactions: [ClientDialog#pipeline].
    record Ready(PeerExtensions extensions) implements Step {}

    /// The peer does not want to talk to us. The connection is of no more use.
    record Refused(Reply reply, Phase phase) implements Step {}
}
