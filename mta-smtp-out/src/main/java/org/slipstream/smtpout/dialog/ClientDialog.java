package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

/// The dialog on one connection: a handshake, then transactions.
///
/// In the handshake every command waits for its reply. The driver performs the open [HandshakeStep]
/// and reports its result: [#received] after a reply, [#encrypted] after a TLS handshake. After
/// [HandshakeStep.Ready] the rest of the connection is a [Pipeline].
public final class ClientDialog {
    private final ClientProtocol protocol;
    private final Handshake handshake;

    private PeerExtensions extensions = PeerExtensions.NONE;
    private boolean ready;

    public ClientDialog(ClientProtocol protocol, HandshakeSettings approach) {
        this.protocol = protocol;
        this.handshake = new Handshake(protocol, approach);
    }

    public HandshakeStep begin() {
        return handshake.begin();
    }

    public HandshakeStep encrypted() {
        return handshake.encrypted();
    }

    public HandshakeStep received(Reply reply) {
        HandshakeStep step = handshake.received(reply);
        if (step instanceof HandshakeStep.Ready(PeerExtensions known)) {
            extensions = known;
            ready = true;
        }
        return step;
    }

    /// The extensions that the peer announced last.
    public PeerExtensions extensions() {
        return extensions;
    }

    /// @param plainly one command at a time and no BDAT, whatever the peer offers, because it
    ///     failed with pipelining
    public Pipeline pipeline(boolean plainly) {
        if (!ready) {
            throw new IllegalStateException("the peer is not ready");
        }
        return new Pipeline(protocol, extensions, plainly);
    }
}
