package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueuePhase;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.Approach;
import org.slipstream.smtpout.dialog.ClientDialog;
import org.slipstream.smtpout.dialog.ClientProtocol;
import org.slipstream.smtpout.dialog.DialogPhase;
import org.slipstream.smtpout.dialog.HandshakeStep;
import org.slipstream.smtpout.dialog.RetryHint;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.Dialer;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Heard.Gone;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import javax.net.ssl.SSLSocketFactory;

/// Connects to a host by one of its addresses and talks until the peer is ready for a transaction or it is clear that it never
/// will be.
///
/// Where TLS is opportunistic and fails in the handshake, a second connection to the same address follows without TLS, because
/// to the mail's owner a message in the clear is worth more than none (RFC 7435 section 3). Where it is mandatory the mail waits.
final class Introduction {
    private static final Logger log = LoggerFactory.getLogger(Introduction.class);

    private static final int NONCE_BYTES = 18;
    private static final SecureRandom CHANCE = new SecureRandom();

    private final ClientConfig config;
    private final WireWatchdog watchdog;
    private final ConnectionOwner owner;
    private final long connection;
    private final ClientProtocol protocol;
    private final PeerPolicy policy;
    private final List<? extends Endpoint> endpoints;
    private final Set<Endpoint> called = new LinkedHashSet<>();

    /// The result of an attempt.
    sealed interface Result {
        record Ready(Session session) implements Result {}

        /// This machine has no socket for the connection.
        record NoSocket(Reply reason) implements Result {}

        /// No address answered the call.
        record NoAnswer(Reply reason, Endpoint remote) implements Result {}

        /// The peer answered the call and refused, hung up or talked nonsense. A `reason` of 5xx is permanent.
        ///
        /// @param retryAfterMillis the peer's own wish
        record NoTalk(Reply reason, Endpoint remote, OptionalLong retryAfterMillis) implements Result {}

        /// The attempt was given up on this side.
        record Stopped() implements Result {}
    }

    Introduction(ClientConfig config, WireWatchdog watchdog, ConnectionOwner owner, long connection,
            ClientProtocol protocol,
            PeerPolicy policy, List<? extends Endpoint> endpoints) {
        this.config = config;
        this.watchdog = watchdog;
        this.owner = owner;
        this.connection = connection;
        this.protocol = protocol;
        this.policy = policy;
        this.endpoints = List.copyOf(endpoints);
    }

    Result make() {
        boolean tcp = endpoints.getFirst() instanceof Endpoint.Tcp;
        return make(endpoints, tcp || policy.tls().isMandatory() ? policy.tls() : TlsPolicy.NONE);
    }

    /// The addresses that were called.
    Set<Endpoint> called() {
        return called;
    }

    private Result make(List<? extends Endpoint> candidates, TlsPolicy tls) {
        Wire wire = new Wire(candidates, watchdog,
                new Dialer(config.peers().sources(), config.peers().staggerMillis()));
        if (!owner.adopt(wire)) {
            return new Result.Stopped();
        }
        owner.doing(
                WirePhase.now(QueuePhase.Code.CONNECTING, candidates.getFirst().toString(), config.connectMillis()));
        Optional<Gone> gone = wire.connect(config.connectMillis());
        called.addAll(wire.called());
        if (gone.isPresent()) {
            log.debug("msg=\"no connection\" conn={} remote={} reason=\"{}\"", connection,
                    LogText.word(wire.endpoint().toString()),
                    LogText.text(gone.get().reason().toString()));
            return notConnected(wire.endpoint(), gone.get());
        }
        if (policy.implicitTls()) {
            Optional<Gone> failed = startTls(wire);
            if (failed.isPresent()) {
                return noTls(wire, failed.get());
            }
        }
        return talk(wire, new ClientDialog(protocol, approach(tls)));
    }

    private static Result notConnected(Endpoint endpoint, Gone gone) {
        return switch (gone.end()) {
            case ABORTED -> new Result.Stopped();
            case NO_SOCKET -> new Result.NoSocket(FailureReplies.noSocket(endpoint, gone));
            case CLOSED, BROKEN, TIMED_OUT, GARBLED ->
                new Result.NoAnswer(FailureReplies.noConnection(endpoint, gone), endpoint);
        };
    }

    private Approach approach(TlsPolicy tls) {
        byte[] nonce = new byte[NONCE_BYTES];
        if (policy.login().isPresent()) {
            CHANCE.nextBytes(nonce);
        }
        return new Approach(config.hostname(), tls, policy.implicitTls(), policy.login(), policy.loginInTheClear(),
                Base64.getEncoder().encodeToString(nonce));
    }

    private Optional<Gone> startTls(Wire wire) {
        owner.doing(WirePhase.now(QueuePhase.Code.TLS, wire.endpoint().toString(), config.tlsMillis()));
        return policy.tls() == TlsPolicy.VERIFY
                ? wire.startTls(Optional.of(config.peers().trust().orElseGet(Introduction::authorities)),
                        config.tlsMillis())
                : wire.startTls(config.tlsMillis());
    }

    // Those of the Java runtime. Reading them takes a moment, so only who needs them does.
    private static SSLSocketFactory authorities() {
        return (SSLSocketFactory) SSLSocketFactory.getDefault();
    }

    private Result talk(Wire wire, ClientDialog dialog) {
        HandshakeStep step = dialog.begin();
        long roundTripNanos = Long.MAX_VALUE;
        while (true) {
            switch (step) {
                case HandshakeStep.Send(String commands, DialogPhase awaited) -> {
                    // A failure shows when the reply is awaited, and there may be one: the peer may say why it hangs up.
                    wire.send(commands, config.patienceMillis(awaited));
                    step = new HandshakeStep.Await(awaited);
                }
                case HandshakeStep.Await(DialogPhase awaited) -> {
                    long asked = System.nanoTime();
                    owner.doing(
                            new WirePhase(WirePhase.code(awaited), wire.endpoint().toString(), WirePhase.NONE, asked,
                                    config.patienceMillis(awaited)));
                    switch (wire.hear(config.patienceMillis(awaited))) {
                        case Heard.Said(Reply reply) -> {
                            if (awaited != DialogPhase.GREETING) {
                                roundTripNanos = Math.min(roundTripNanos, System.nanoTime() - asked);
                            }
                            step = awaited == DialogPhase.AUTH
                                    ? LoginThread.ask(() -> dialog.heard(reply))
                                    : dialog.heard(reply);
                        }
                        case Gone gone -> {
                            return hungUp(wire, awaited, gone);
                        }
                    }
                }
                case HandshakeStep.StartTls _ -> {
                    Optional<Gone> failed = startTls(wire);
                    if (failed.isPresent()) {
                        return noTls(wire, failed.get());
                    }
                    step = dialog.encrypted();
                }
                case HandshakeStep.Ready _ -> {
                    log.debug("msg=connected conn={} remote={} tls={}", connection,
                            LogText.word(wire.endpoint().toString()), wire.security());
                    return new Result.Ready(new Session(wire, dialog, roundTripNanos, assurance()));
                }
                case HandshakeStep.Refused(Reply reply, DialogPhase phase) -> {
                    return refused(wire, reply, phase);
                }
            }
        }
    }

    // Under VERIFY nobody gets as far as this without.
    private Assurance assurance() {
        if (protocol == ClientProtocol.LMTP) {
            return Assurance.FINAL;
        }
        return policy.tls() == TlsPolicy.VERIFY ? Assurance.AUTHENTICATED : Assurance.NONE;
    }

    private Result noTls(Wire wire, Gone failed) {
        if (failed.end() == End.ABORTED) {
            return new Result.Stopped();
        }
        boolean mandatory = policy.tls().isMandatory();
        log.info("msg=\"TLS failed{}\" conn={} remote={} reason=\"{}\"", mandatory ? "" : ", trying in the clear",
                connection, LogText.word(wire.endpoint().toString()), LogText.text(failed.reason().toString()));
        return mandatory
                ? noTalk(FailureReplies.noTls(wire.endpoint(), failed), wire)
                : make(List.of(wire.endpoint()), TlsPolicy.NONE);
    }

    private Result hungUp(Wire wire, DialogPhase awaited, Gone gone) {
        log.debug("msg=\"hung up\" conn={} remote={} reason=\"{}\"", connection,
                LogText.word(wire.endpoint().toString()), LogText.text(gone.reason().toString()));
        return gone.end() == End.ABORTED
                ? new Result.Stopped()
                : noTalk(FailureReplies.cutOff(wire.endpoint().toString(), awaited, gone), wire);
    }

    private Result refused(Wire wire, Reply reply, DialogPhase phase) {
        log.info("msg=refused conn={} remote={} reply=\"{}\"", connection,
                LogText.word(wire.endpoint().toString()), LogText.text(reply.toString()));
        // RFC 5321 section 3.1: also a peer that will not talk is told goodbye, but the answer is not awaited.
        wire.send("QUIT\r\n", config.quitMillis());
        wire.close(config.quitMillis());
        boolean forGood = reply.isPermanent() && phase == DialogPhase.HELLO && protocol == ClientProtocol.SMTP;
        int code = reply.isPermanent() && !forGood ? 450 : reply.code();
        Reply reason = phase == DialogPhase.STARTTLS || phase == DialogPhase.AUTH
                ? FailureReplies.unfit(wire.endpoint(), code, reply)
                : FailureReplies.refused(wire.endpoint(), code, reply);
        return new Result.NoTalk(reason, wire.endpoint(), RetryHint.millis(reply));
    }

    private static Result noTalk(Reply reason, Wire wire) {
        return new Result.NoTalk(reason, wire.endpoint(), OptionalLong.empty());
    }
}
