package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

/// The next action of the handshake. Exactly one step is open at any time.
public sealed interface HandshakeStep {
    /// Write one command, ended by CRLF, and wait for a reply.
    record Send(String commands, DialogPhase awaited) implements HandshakeStep {}

    /// Wait for one more reply.
    record Await(DialogPhase awaited) implements HandshakeStep {}

    /// Perform the TLS handshake, then call [ClientDialog#encrypted].
    record StartTls() implements HandshakeStep {}

    /// The peer is ready for transactions: [ClientDialog#pipeline].
    record Ready(PeerExtensions extensions) implements HandshakeStep {}

    /// The peer refused. The connection must be closed.
    record Refused(Reply reply, DialogPhase phase) implements HandshakeStep {}
}
