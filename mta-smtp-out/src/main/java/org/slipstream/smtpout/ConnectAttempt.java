package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RetryHint;
import org.slipstream.smtpout.dialog.ClientDialog;
import org.slipstream.smtpout.dialog.ClientProtocol;
import org.slipstream.smtpout.dialog.DialogPhase;
import org.slipstream.smtpout.dialog.HandshakeSettings;
import org.slipstream.smtpout.dialog.HandshakeStep;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.CertificateCheck;
import org.slipstream.smtpout.wire.Dialer;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.TlsCheck;
import org.slipstream.smtpout.wire.Wire;
import org.slipstream.smtpout.wire.WireInput;
import org.slipstream.smtpout.wire.WireInput.End;
import org.slipstream.smtpout.wire.WireInput.Ended;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The opening of one connection: connects to a host by one of its addresses and performs the
/// handshake until the peer is ready for a transaction or has failed.
///
/// Where TLS is opportunistic and the handshake fails, a second connection to the same address
/// follows without TLS, because delivery in clear text is better than none (RFC 7435 section 3).
/// Where TLS is mandatory, the mail waits.
final class ConnectAttempt {
    private static final Logger log = LoggerFactory.getLogger(ConnectAttempt.class);

    private static final int NONCE_BYTES = 18;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final ClientConfig config;
    private final WireWatchdog watchdog;
    private final ConnectionOwner owner;
    private final long connection;
    private final ClientProtocol protocol;
    private final Route route;
    private final PeerPolicy policy;
    private final List<? extends Endpoint> endpoints;
    private final Set<Endpoint> tried = new LinkedHashSet<>();
    /// The failure of a handshake was told, and the host is tried in clear text.
    private boolean toldHandshake;

    /// The result of an attempt.
    sealed interface AttemptResult {
        record Ready(Session session) implements AttemptResult {}

        /// This machine has no socket for the connection.
        record NoSocket(Reply reason) implements AttemptResult {}

        /// The source of the connection cannot be used.
        record NoSource(Reply reason) implements AttemptResult {}

        /// No address accepted the connection.
        record NotConnected(Reply reason, Endpoint remote) implements AttemptResult {}

        /// The peer accepted the connection, but refused, disconnected or violated the protocol. A
        /// `reason` of 5xx is permanent.
        ///
        /// @param retryAfterMillis the delay that the peer's reply names
        record PeerFailed(Reply reason, Endpoint remote, OptionalLong retryAfterMillis) implements AttemptResult {}

        /// This server aborted the attempt.
        record Stopped() implements AttemptResult {}
    }

    ConnectAttempt(ClientConfig config, WireWatchdog watchdog, ConnectionOwner owner, long connection,
            ClientProtocol protocol, Route route, List<? extends Endpoint> endpoints) {
        this.config = config;
        this.watchdog = watchdog;
        this.owner = owner;
        this.connection = connection;
        this.protocol = protocol;
        this.route = route;
        this.policy = config.policy(route);
        this.endpoints = List.copyOf(endpoints);
    }

    AttemptResult run() {
        boolean tcp = endpoints.getFirst() instanceof Endpoint.Tcp;
        return run(endpoints, tcp || policy.tls().isMandatory() ? policy.tls() : TlsPolicy.NONE);
    }

    /// The addresses that were tried.
    Set<Endpoint> tried() {
        return tried;
    }

    private AttemptResult run(List<? extends Endpoint> candidates, TlsPolicy tls) {
        Wire wire = new Wire(candidates, watchdog,
                new Dialer(config.peers().sources(route), config.peers().staggerMillis()));
        if (!owner.adopt(wire)) {
            return new AttemptResult.Stopped();
        }
        owner.phaseChanged(
                WirePhase.now(QueuePhase.Code.CONNECTING, candidates.getFirst().toString(), config.connectMillis()));
        Optional<Ended> gone = wire.connect(config.connectMillis());
        tried.addAll(wire.tried());
        if (gone.isPresent()) {
            log.debug("event=connect-failed connection={} host={} error=\"{}\"", connection,
                    LogText.word(wire.endpoint().toString()),
                    LogText.text(gone.get().reason().toString()));
            return notConnected(wire.endpoint(), gone.get());
        }
        if (policy.implicitTls()) {
            Optional<Ended> failed = startTls(wire);
            if (failed.isPresent()) {
                return noTls(wire, failed.get());
            }
        }
        return handshake(wire, new ClientDialog(protocol, approach(tls)));
    }

    private AttemptResult notConnected(Endpoint endpoint, Ended gone) {
        return switch (gone.end()) {
            case ABORTED -> new AttemptResult.Stopped();
            case NO_SOURCE -> new AttemptResult.NoSource(
                    FailureReplies.noSource(config.peers().sources(route).toString(), gone));
            case NO_SOCKET -> new AttemptResult.NoSocket(FailureReplies.noSocket(endpoint, gone));
            case CLOSED, BROKEN, TIMED_OUT, GARBLED ->
                new AttemptResult.NotConnected(FailureReplies.noConnection(endpoint, gone), endpoint);
        };
    }

    private HandshakeSettings approach(TlsPolicy tls) {
        byte[] nonce = new byte[NONCE_BYTES];
        if (policy.login().isPresent()) {
            RANDOM.nextBytes(nonce);
        }
        return new HandshakeSettings(config.peers().sources(route).hostname().orElse(config.hostname()), tls,
                policy.implicitTls(), policy.login(),
                policy.loginInTheClear(),
                Base64.getEncoder().encodeToString(nonce));
    }

    private Optional<Ended> startTls(Wire wire) {
        owner.phaseChanged(WirePhase.now(QueuePhase.Code.TLS, wire.endpoint().toString(), config.tlsMillis()));
        return switch (policy.tls()) {
            case NONE, MAY, ENCRYPT -> wire.startTls(config.tlsMillis());
            case STS -> wire.startTls(TlsCheck.ofName(config.demands().authorities().sockets()),
                    config.tlsMillis());
            case DANE -> wire.startTls(TlsCheck.dane(Peers.demand(route)), config.tlsMillis());
            case VERIFY -> wire.startTls(
                    TlsCheck.ofName(config.peers().trust().orElseGet(config.demands().authorities()::sockets)),
                    config.tlsMillis());
        };
    }

    private AttemptResult handshake(Wire wire, ClientDialog dialog) {
        HandshakeStep step = dialog.begin();
        long roundTripNanos = Long.MAX_VALUE;
        while (true) {
            switch (step) {
                case HandshakeStep.Send(String commands, DialogPhase awaited) -> {
                    // A failed write shows at the next read, and the peer may have sent a reason
                    // before it disconnected.
                    wire.send(commands, config.timeoutMillis(awaited));
                    step = new HandshakeStep.Await(awaited);
                }
                case HandshakeStep.Await(DialogPhase awaited) -> {
                    long asked = System.nanoTime();
                    owner.phaseChanged(
                            new WirePhase(awaited.code(), wire.endpoint().toString(), WirePhase.NONE, asked,
                                    config.timeoutMillis(awaited)));
                    switch (wire.read(config.timeoutMillis(awaited))) {
                        case WireInput.Received(Reply reply) -> {
                            if (awaited != DialogPhase.GREETING) {
                                roundTripNanos = Math.min(roundTripNanos, System.nanoTime() - asked);
                            }
                            step = awaited == DialogPhase.AUTH
                                    ? LoginThread.ask(() -> dialog.received(reply))
                                    : dialog.received(reply);
                        }
                        case Ended gone -> {
                            return disconnected(wire, awaited, gone);
                        }
                    }
                }
                case HandshakeStep.StartTls _ -> {
                    Optional<Ended> failed = startTls(wire);
                    if (failed.isPresent()) {
                        return noTls(wire, failed.get());
                    }
                    step = dialog.encrypted();
                }
                case HandshakeStep.Ready _ -> {
                    tellReady(wire);
                    log.debug("event=connected connection={} host={} tls={}", connection,
                            LogText.word(wire.endpoint().toString()), wire.security());
                    return new AttemptResult.Ready(new Session(wire, dialog, roundTripNanos, assurance()));
                }
                case HandshakeStep.Refused(Reply reply, DialogPhase phase) -> {
                    return refused(wire, reply, phase);
                }
            }
        }
    }

    // Where the host must prove who it is, only an authenticated connection gets this far.
    private Assurance assurance() {
        if (protocol == ClientProtocol.LMTP) {
            return Assurance.FINAL;
        }
        return policy.tls().isAuthenticated() ? Assurance.AUTHENTICATED : Assurance.NONE;
    }

    /// Tells about a session that is ready. A policy that is only tried has not ended it, so its failure is
    /// found here.
    private void tellReady(Wire wire) {
        Optional<StsPolicy> tried = config.demands().tried(Route.anySource(route.nextHop()));
        List<X509Certificate> chain = wire.peerCertificates();
        if (chain.isEmpty()) {
            if (policy.tls() != TlsPolicy.NONE && !toldHandshake) {
                tell(wire, TlsResult.STARTTLS_NOT_SUPPORTED, "STARTTLS was not offered");
            }
        } else if (tried.isEmpty()) {
            tell(wire, TlsResult.SUCCESS, "");
        } else if (!tried.get().permits(host())) {
            tell(wire, TlsResult.VALIDATION_FAILURE, host() + " is not an mx of the policy");
        } else {
            Optional<CertificateCheck.RefusedCertificate> refused = config.demands().authorities()
                    .judge(chain, host());
            tell(wire, refused.map(CertificateCheck.RefusedCertificate::result).orElse(TlsResult.SUCCESS),
                    refused.map(each -> String.valueOf(each.getMessage())).orElse(""));
        }
    }

    private String host() {
        return route instanceof Route.Smtp smtp ? smtp.hosts().getFirst().name() : route.nextHop();
    }

    private void tell(Wire wire, TlsResult result, String words) {
        if (protocol == ClientProtocol.SMTP && wire.endpoint() instanceof Endpoint.Tcp to) {
            config.demands().tell(Route.anySource(route.nextHop()), host(), wire.localAddress(),
                    Optional.of(to.address()), result,
                    words);
        }
    }

    private AttemptResult noTls(Wire wire, Ended failed) {
        if (failed.end() == End.ABORTED) {
            return new AttemptResult.Stopped();
        }
        boolean mandatory = policy.tls().isMandatory();
        tell(wire, wire.tlsResult(), failed.reason().toString());
        toldHandshake = true;
        log.info("event=tls-handshake-failed connection={} host={} error=\"{}\" next=\"{}\"", connection,
                LogText.word(wire.endpoint().toString()), LogText.text(failed.reason().toString()),
                mandatory ? "retry later" : "retry in clear text");
        return mandatory
                ? peerFailed(FailureReplies.noTls(wire.endpoint(), policy.tls(), failed), wire)
                : run(List.of(wire.endpoint()), TlsPolicy.NONE);
    }

    private AttemptResult disconnected(Wire wire, DialogPhase awaited, Ended gone) {
        log.debug("event=connection-lost connection={} host={} reason=\"{}\"", connection,
                LogText.word(wire.endpoint().toString()), LogText.text(gone.reason().toString()));
        return gone.end() == End.ABORTED
                ? new AttemptResult.Stopped()
                : peerFailed(FailureReplies.lostConnection(wire.endpoint().toString(), awaited, gone), wire);
    }

    private AttemptResult refused(Wire wire, Reply reply, DialogPhase phase) {
        log.info("event=host-refused connection={} host={} reply=\"{}\"", connection,
                LogText.word(wire.endpoint().toString()), LogText.text(reply.toString()));
        // RFC 5321 section 3.1: QUIT also after a refusal; its reply is not awaited.
        wire.send("QUIT\r\n", config.quitMillis());
        wire.close(config.quitMillis());
        if (phase == DialogPhase.STARTTLS) {
            tell(wire, TlsResult.STARTTLS_NOT_SUPPORTED, reply.text());
        }
        boolean forGood = reply.isPermanent() && phase == DialogPhase.HELLO && protocol == ClientProtocol.SMTP;
        int code = reply.isPermanent() && !forGood ? 450 : reply.code();
        Reply reason = phase == DialogPhase.STARTTLS || phase == DialogPhase.AUTH
                ? FailureReplies.unfit(wire.endpoint(), code, reply)
                : FailureReplies.refused(wire.endpoint(), code, reply);
        return new AttemptResult.PeerFailed(reason, wire.endpoint(), RetryHint.millis(reply));
    }

    private static AttemptResult peerFailed(Reply reason, Wire wire) {
        return new AttemptResult.PeerFailed(reason, wire.endpoint(), OptionalLong.empty());
    }
}
