package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

/// What the handshake wants done next. Exactly one step is open at any time.
public sealed interface HandshakeStep {
    /// Write this (one command, ended by CRLF) and wait for a reply.
    record Send(String commands, DialogPhase awaited) implements HandshakeStep {}

    /// Wait for one more reply.
    record Await(DialogPhase awaited) implements HandshakeStep {}

    /// Shake hands for TLS, then say [ClientDialog#encrypted].
    record StartTls() implements HandshakeStep {}

    /// The peer is ready for transactions: [ClientDialog#pipeline].
    record Ready(PeerExtensions extensions) implements HandshakeStep {}

    /// The peer does not want to talk to us. The connection is of no more use.
    record Refused(Reply reply, DialogPhase phase) implements HandshakeStep {}
}
