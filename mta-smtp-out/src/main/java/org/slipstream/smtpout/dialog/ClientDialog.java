package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

/// What is said on one connection: a handshake, then transactions.
///
/// In the handshake every command waits for its reply: the driver performs the open [HandshakeStep] and comes back with what it led to,
/// [#heard] after anything that was awaited, [#encrypted] after a TLS handshake. After [HandshakeStep.Ready] the rest of the
/// connection's life is a [Pipeline].
public final class ClientDialog {
    private final ClientProtocol protocol;
    private final Handshake handshake;

    private PeerExtensions extensions = PeerExtensions.NONE;
    private boolean ready;

    public ClientDialog(ClientProtocol protocol, Approach approach) {
        this.protocol = protocol;
        this.handshake = new Handshake(protocol, approach);
    }

    public HandshakeStep begin() {
        return handshake.begin();
    }

    public HandshakeStep encrypted() {
        return handshake.encrypted();
    }

    public HandshakeStep heard(Reply reply) {
        HandshakeStep step = handshake.heard(reply);
        if (step instanceof HandshakeStep.Ready(PeerExtensions known)) {
            extensions = known;
            ready = true;
        }
        return step;
    }

    /// What the peer announced last.
    public PeerExtensions extensions() {
        return extensions;
    }

    /// @param plainly one command at a time and no BDAT, whatever the peer offers: it has shown that it cannot bear more
    public Pipeline pipeline(boolean plainly) {
        if (!ready) {
            throw new IllegalStateException("the peer is not ready");
        }
        return new Pipeline(protocol, extensions, plainly);
    }
}
