package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.PeerExtensions.Extension;

/// From the greeting until the peer is ready for a transaction (RFC 5321 sections 3.1 and 3.2, RFC 3207).
///
/// ```
/// greeting ─► EHLO ─┬─► STARTTLS ─► handshake ─► EHLO ─► ready
///               │   └──────────────────────────────────► ready
///               └5xx─► HELO ───────────────────────────► ready
/// ```
///
/// TLS is opportunistic (RFC 7435): a peer that offers STARTTLS and then refuses it gets the mail in the clear, because
/// the alternative is the same mail in the clear from the next client that never asked. What was learned before the
/// handshake is forgotten with it (RFC 3207 section 4.2).
final class Handshake {
    private final Protocol protocol;
    private final String hostname;
    private final boolean wantsTls;

    private State state = State.GREETING;
    private boolean encrypted;
    private PeerExtensions extensions = PeerExtensions.NONE;

    private enum State {
        GREETING, EHLO, HELO, STARTTLS, OVER
    }

    Handshake(Protocol protocol, String hostname, boolean wantsTls) {
        this.protocol = protocol;
        this.hostname = hostname;
        this.wantsTls = wantsTls;
    }

    Step begin() {
        return new Step.Await(Phase.GREETING);
    }

    Step encrypted() {
        if (state != State.STARTTLS) {
            throw new IllegalStateException("nobody asked for TLS in state " + state);
        }
        encrypted = true;
        return hello();
    }

    Step heard(Reply reply) {
        return switch (state) {
            case GREETING -> isOk(reply) ? hello() : refused(reply, Phase.GREETING);
            case EHLO -> afterEhlo(reply);
            case HELO -> isOk(reply) ? ready(PeerExtensions.NONE) : refused(reply, Phase.HELLO);
            case STARTTLS -> afterStartTls(reply);
            case OVER -> throw new IllegalStateException("the handshake is over: " + reply);
        };
    }

    private Step hello() {
        state = State.EHLO;
        return new Step.Send((protocol == Protocol.LMTP ? "LHLO " : "EHLO ") + hostname + "\r\n", Phase.HELLO);
    }

    private Step afterEhlo(Reply reply) {
        if (isOk(reply)) {
            PeerExtensions announced = PeerExtensions.of(reply);
            if (wantsTls && !encrypted && announced.offers(Extension.STARTTLS)) {
                extensions = announced;
                state = State.STARTTLS;
                return new Step.Send("STARTTLS\r\n", Phase.STARTTLS);
            }
            return ready(announced);
        }
        // RFC 5321 section 3.2: a server from before ESMTP. LMTP has no older verb.
        if (reply.isPermanent() && protocol == Protocol.SMTP) {
            state = State.HELO;
            return new Step.Send("HELO " + hostname + "\r\n", Phase.HELLO);
        }
        return refused(reply, Phase.HELLO);
    }

    private Step afterStartTls(Reply reply) {
        if (isOk(reply)) {
            return new Step.StartTls();
        }
        return reply.code() == 421 ? refused(reply, Phase.STARTTLS) : ready(extensions);
    }

    private Step ready(PeerExtensions known) {
        state = State.OVER;
        return new Step.Ready(known);
    }

    private Step refused(Reply reply, Phase phase) {
        state = State.OVER;
        return new Step.Refused(reply.isPositive() ? Replies.unexpected(reply, phase) : reply, phase);
    }

    private static boolean isOk(Reply reply) {
        return reply.code() < 300;
    }
}
