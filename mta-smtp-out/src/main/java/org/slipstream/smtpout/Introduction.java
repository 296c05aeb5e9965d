package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.ClientDialog;
import org.slipstream.smtpout.dialog.Phase;
import org.slipstream.smtpout.dialog.Protocol;
import org.slipstream.smtpout.dialog.Step;
import org.slipstream.smtpout.wire.Endpoint;
import org.slipstream.smtpout.wire.Heard;
import org.slipstream.smtpout.wire.Heard.End;
import org.slipstream.smtpout.wire.Heard.Gone;
import org.slipstream.smtpout.wire.Watchdog;
import org.slipstream.smtpout.wire.Wire;

import java.util.Optional;
import java.util.function.Predicate;

/// Connects to one address and talks until the peer is ready for a transaction or it is clear that it never will be.
///
/// TLS that fails in the handshake is followed by a second connection to the same address without TLS, because
/// to the mail's owner a letter in the clear is worth more than none (RFC 7435 section 3).
final class Introduction {
    private static final Logger log = LoggerFactory.getLogger(Introduction.class);

    private final ClientConfig config;
    private final Watchdog watchdog;
    private final Predicate<Wire> owner;
    private final long connection;
    private final Protocol protocol;
    private final Endpoint endpoint;

    /// How it went.
    sealed interface Result {
        record Ready(Session session) implements Result {}

        /// Nobody answered the call.
        record NoAnswer(Reply reason) implements Result {}

        /// Somebody answered and did not talk, or not for long. A `reason` of 5xx is meant for good.
        record NoTalk(Reply reason) implements Result {}

        /// We gave up ourselves, because this server stops.
        record Stopped() implements Result {}
    }

    Introduction(ClientConfig config, Watchdog watchdog, Predicate<Wire> owner, long connection, Protocol protocol,
            Endpoint endpoint) {
        this.config = config;
        this.watchdog = watchdog;
        this.owner = owner;
        this.connection = connection;
        this.protocol = protocol;
        this.endpoint = endpoint;
    }

    Result make() {
        return make(config.startTls() && endpoint instanceof Endpoint.Tcp);
    }

    private Result make(boolean tls) {
        Wire wire = new Wire(endpoint, watchdog);
        if (!owner.test(wire)) {
            return new Result.Stopped();
        }
        Optional<Gone> gone = wire.connect(config.connectMillis());
        if (gone.isEmpty()) {
            return talk(wire, new ClientDialog(protocol, config.hostname(), tls, endpoint.toString()));
        }
        log.debug("msg=\"no connection\" conn={} remote={} reason=\"{}\"", connection, endpoint, gone.get().reason());
        return gone.get().end() == End.ABORTED
                ? new Result.Stopped()
                : new Result.NoAnswer(Troubles.noConnection(endpoint, gone.get()));
    }

    private Result talk(Wire wire, ClientDialog dialog) {
        Step step = dialog.begin();
        while (true) {
            switch (step) {
                case Step.Send(String commands, Phase awaited) -> {
                    // A failure shows when the reply is awaited, and there may be one: the peer may say why it hangs up.
                    wire.send(commands, config.patienceMillis(awaited));
                    step = new Step.Await(awaited);
                }
                case Step.Await(Phase awaited) -> {
                    switch (wire.hear(config.patienceMillis(awaited))) {
                        case Heard.Said(Reply reply) -> step = dialog.heard(reply);
                        case Gone gone -> {
                            return hungUp(awaited, gone);
                        }
                    }
                }
                case Step.StartTls _ -> {
                    Optional<Gone> failed = wire.startTls(config.tlsMillis());
                    if (failed.isPresent()) {
                        return withoutTls(failed.get());
                    }
                    step = dialog.encrypted();
                }
                case Step.Ready _ -> {
                    log.debug("msg=connected conn={} remote={} tls={}", connection, endpoint, wire.security());
                    return new Result.Ready(new Session(wire, dialog));
                }
                case Step.Refused(Reply reply, Phase phase) -> {
                    return refused(wire, reply, phase);
                }
            }
        }
    }

    private Result withoutTls(Gone failed) {
        if (failed.end() == End.ABORTED) {
            return new Result.Stopped();
        }
        log.info("msg=\"TLS failed, trying in the clear\" conn={} remote={} reason=\"{}\"", connection, endpoint,
                failed.reason());
        return make(false);
    }

    private Result hungUp(Phase awaited, Gone gone) {
        log.debug("msg=\"hung up\" conn={} remote={} reason=\"{}\"", connection, endpoint, gone.reason());
        return gone.end() == End.ABORTED
                ? new Result.Stopped()
                : new Result.NoTalk(Troubles.cutOff(endpoint, awaited, gone));
    }

    private Result refused(Wire wire, Reply reply, Phase phase) {
        log.info("msg=refused conn={} remote={} reply=\"{}\"", connection, endpoint, reply);
        // RFC 5321 section 3.1: also a peer that will not talk is told goodbye, but the answer is not awaited.
        wire.send("QUIT\r\n", config.quitMillis());
        wire.close(config.quitMillis());
        boolean forGood = reply.isPermanent() && phase == Phase.HELLO && protocol == Protocol.SMTP;
        int code = reply.isPermanent() && !forGood ? 450 : reply.code();
        return new Result.NoTalk(Troubles.refused(endpoint, code, reply));
    }
}
