package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;
import org.slipstream.smtpout.auth.Sasl;
import org.slipstream.smtpout.dialog.PeerExtensions.PeerExtension;

import java.util.Optional;

/// The handshake from the greeting until the peer is ready for a transaction (RFC 5321 sections 3.1
/// and 3.2, RFC 3207, RFC 4954).
///
/// ```
/// greeting ─► EHLO ─┬─► STARTTLS ─► handshake ─► EHLO ─┬─► AUTH ⇄ … ─► ready
///               │   └─────────────────────────────────►└──────────────► ready
///               └5xx─► HELO ──────────────────────────────────────────► ready
/// ```
///
/// Where TLS is opportunistic ([TlsPolicy#MAY], RFC 7435), a peer that offers STARTTLS and then
/// refuses it gets the mail in clear text, as it would from a client without STARTTLS. Where TLS is
/// mandatory, MAIL is never sent without it. Extensions announced before the TLS handshake are
/// discarded (RFC 3207 section 4.2).
///
/// A configured login is required. A peer that does not offer it, offers it unsafely, or refuses it
/// is not ready. Each of these can be corrected on either side, so the failure is 4xx, also after
/// 535: mail waits until the operator corrects a wrong password.
final class Handshake {
    private final ClientProtocol protocol;
    private final HandshakeSettings approach;

    private State state = State.GREETING;
    private boolean encrypted;
    private PeerExtensions extensions = PeerExtensions.NONE;
    private Optional<Sasl> login = Optional.empty();

    private enum State {
        GREETING, EHLO, HELO, STARTTLS, AUTH, OVER
    }

    Handshake(ClientProtocol protocol, HandshakeSettings approach) {
        this.protocol = protocol;
        this.approach = approach;
        this.encrypted = approach.implicitTls();
    }

    HandshakeStep begin() {
        return new HandshakeStep.Await(DialogPhase.GREETING);
    }

    HandshakeStep encrypted() {
        if (state != State.STARTTLS) {
            throw new IllegalStateException("TLS was not requested in state " + state);
        }
        encrypted = true;
        return hello();
    }

    HandshakeStep received(Reply reply) {
        return switch (state) {
            case GREETING -> isOk(reply) ? hello() : refused(reply, DialogPhase.GREETING);
            case EHLO -> afterEhlo(reply);
            case HELO -> isOk(reply) ? extensionsKnown(PeerExtensions.NONE) : refused(reply, DialogPhase.HELLO);
            case STARTTLS -> afterStartTls(reply);
            case AUTH -> afterAuth(reply, login.orElseThrow());
            case OVER -> throw new IllegalStateException("the handshake is over: " + reply);
        };
    }

    private HandshakeStep hello() {
        return send(State.EHLO, (protocol == ClientProtocol.LMTP ? "LHLO " : "EHLO ") + approach.hostname(),
                DialogPhase.HELLO);
    }

    private HandshakeStep afterEhlo(Reply reply) {
        if (isOk(reply)) {
            PeerExtensions announced = PeerExtensions.of(reply);
            if (approach.tls() != TlsPolicy.NONE && !encrypted && announced.offers(PeerExtension.STARTTLS)) {
                extensions = announced;
                return send(State.STARTTLS, "STARTTLS", DialogPhase.STARTTLS);
            }
            return extensionsKnown(announced);
        }
        // RFC 5321 section 3.2: a server without ESMTP. LMTP has no older verb.
        if (reply.isPermanent() && protocol == ClientProtocol.SMTP) {
            return send(State.HELO, "HELO " + approach.hostname(), DialogPhase.HELLO);
        }
        return refused(reply, DialogPhase.HELLO);
    }

    private HandshakeStep afterStartTls(Reply reply) {
        if (isOk(reply)) {
            return new HandshakeStep.StartTls();
        }
        return reply.code() == 421 || approach.tls().isMandatory()
                ? refused(reply, DialogPhase.STARTTLS)
                : extensionsKnown(extensions);
    }

    /// The peer's extensions are final: checks TLS, then logs in or is ready.
    private HandshakeStep extensionsKnown(PeerExtensions known) {
        if (!encrypted && approach.tls().isMandatory()) {
            return refused(Replies.noTlsOffered(), DialogPhase.STARTTLS);
        }
        extensions = known;
        return approach.login().isEmpty() ? ready() : logIn();
    }

    private HandshakeStep logIn() {
        boolean clearTextPermitted = encrypted || approach.loginInTheClear();
        login = Sasl.choose(extensions.mechanisms(), clearTextPermitted, approach.login().orElseThrow(),
                approach.nonce());
        if (login.isEmpty()) {
            return refused(Replies.noLoginOffered(extensions.mechanisms(), clearTextPermitted), DialogPhase.AUTH);
        }
        Sasl sasl = login.get();
        return send(State.AUTH, "AUTH " + sasl.mechanism() + sasl.first().map(w -> " " + Sasl.encode(w)).orElse(""),
                DialogPhase.AUTH);
    }

    private HandshakeStep afterAuth(Reply reply, Sasl sasl) {
        if (reply.code() == 334) {
            Sasl.SaslMove move = Sasl.decode(reply.lines().getFirst()).map(sasl::challenged)
                    .orElseGet(() -> new Sasl.SaslMove.GiveUp("invalid base64 in challenge"));
            return switch (move) {
                case Sasl.SaslMove.Respond(byte[] words) -> send(State.AUTH,
                        words.length == 0 ? "" : Sasl.encode(words), DialogPhase.AUTH);
                case Sasl.SaslMove.GiveUp(String reason) -> refused(Replies.loginAborted(sasl.mechanism(), reason),
                        DialogPhase.AUTH);
            };
        }
        if (!isOk(reply)) {
            return refused(reply, DialogPhase.AUTH);
        }
        return sasl.doubt().map(why -> refused(Replies.loginAborted(sasl.mechanism(), why), DialogPhase.AUTH))
                .orElseGet(this::ready);
    }

    private HandshakeStep send(State next, String command, DialogPhase awaited) {
        state = next;
        return new HandshakeStep.Send(command + "\r\n", awaited);
    }

    private HandshakeStep ready() {
        state = State.OVER;
        return new HandshakeStep.Ready(extensions);
    }

    private HandshakeStep refused(Reply reply, DialogPhase phase) {
        state = State.OVER;
        return new HandshakeStep.Refused(reply.isPositive() ? Replies.unexpected(reply, phase) : reply, phase);
    }

    private static boolean isOk(Reply reply) {
        return reply.code() < 300;
    }
}
