package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.LoginService;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.CommandParser;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.protocol.ProtocolAction;
import org.slipstream.smtpin.protocol.ProtocolStep;
import org.slipstream.smtpin.protocol.ServerProtocol;
import org.slipstream.smtpin.protocol.ServiceOffer;
import org.slipstream.smtpin.protocol.SessionState;
import org.slipstream.smtpin.proxy.ProxyHeader;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/// One SMTP session on its virtual thread, from the greeting to the last reply: line in, command,
/// step, reply out.
///
/// [ServerProtocol] decides what is replied; this class reads lines, asks [PolicyGate], sends
/// replies and logs. [CommandParser] interprets a line, and [DataPhase] receives a message.
///
/// Only the thread that stops the listener also writes to the connection. [#activity] excludes both
/// from writing at once: a session that waits for a command outside a transaction is `WAITING`. The
/// first compare-and-set wins: either the session with its next command, or the stopping thread
/// with its 421.
final class SmtpSession {
    private enum Activity {
        SERVING, WAITING, DISMISSED
    }

    private static final Logger log = LoggerFactory.getLogger(SmtpSession.class);

    private final long number;
    private final SmtpStream wire;
    private final ListenerServices services;
    private final ListenerConfig config;
    private final Tuning tuning;
    private final ConnectionAdmission.Place place;
    private final BooleanSupplier stopping;
    private final CommandParser parser;
    private final ServerProtocol protocol;
    private final PolicyGate gate;
    private final DataPhase dataPhase;
    private final Authenticator authenticator;
    private final AtomicReference<Activity> activity = new AtomicReference<>(Activity.SERVING);

    private InetAddress address;
    private SessionState state;
    private Optional<String> tls = Optional.empty();
    private Optional<ReceivingTransaction> transaction = Optional.empty();
    private boolean open = true;
    private boolean closedByServer;

    /// @param address of the peer, which may be a proxy
    /// @param place of this connection, given back before the last reply
    /// @param stopping true as soon as no new transaction may begin
    SmtpSession(long number, InetAddress address, SmtpStream wire, ListenerServices services, ListenerConfig config,
            Tuning tuning,
            ConnectionAdmission.Place place, BooleanSupplier stopping) {
        this.number = number;
        this.address = address;
        this.wire = wire;
        this.services = services;
        this.config = config;
        this.tuning = tuning;
        this.place = place;
        this.stopping = stopping;
        this.parser = new CommandParser(config.hostname());
        LoginService logins = services.logins();
        this.protocol = new ServerProtocol(config.service(), config.limits(), config.hostname(),
                new ServiceOffer(config.service(), config.limits(), config.hostname(), config.tls().isPresent(),
                        logins.names(false), logins.names(true)));
        this.gate = new PolicyGate(services);
        this.dataPhase = new DataPhase(wire, config, services, tuning);
        this.authenticator = new Authenticator(wire, config, services);
        this.state = SessionState.start(false, false);
    }

    /// Serves the client until one side closes. Handles all failures of the session.
    void run() {
        try {
            greet();
            while (open) {
                handleLine();
            }
        } catch (SocketTimeoutException slow) {
            lastReply(Reply.of(421, "4.4.2", config.hostname() + " Timeout exceeded"));
        } catch (IOException gone) {
            logGone(gone);
        } catch (RuntimeException broken) {
            log.error("event=session-failed session={} client={}", number, literal(), broken);
            lastReply(
                    Reply.of(421, "4.3.0", config.hostname() + " Service not available, closing transmission channel"));
        } finally {
            endTransaction();
        }
        if (closedByServer && activity.get() != Activity.DISMISSED) {
            wire.closeAfterDrain(tuning.linger(), releasePlace());
        }
    }

    /// Ends an idle session with 421. Called by the thread that stops the listener.
    void shutDownIfIdle() {
        if (activity.compareAndSet(Activity.WAITING, Activity.DISMISSED)) {
            try {
                wire.send(shuttingDown());
                wire.flush();
            } catch (IOException gone) {
                logGone(gone);
            } finally {
                wire.abort();
            }
        }
    }

    /// Aborts the connection at any time.
    void abort() {
        wire.abort();
    }

    // Proxy header, connection limits, early talker, policy: in the order of their cost.
    private void greet() throws IOException {
        if (config.trust().proxies().test(address) && !readProxyHeader()) {
            return;
        }
        Optional<Reply> full = place.claim(address);
        if (full.isPresent()) {
            reject(full.get());
            return;
        }
        if (config.service().tlsFromStart() && !encrypt()) {
            return;
        }
        // The client's address counts here, not the proxy's.
        state = SessionState.start(wire.isTls(), config.trust().xclientHosts().test(address));
        boolean early = wire.receivesWithin(config.service().greetingDelayMillis() * 1_000_000);
        Optional<Reply> refusal = gate.connect(client(), early);
        if (refusal.isPresent()) {
            closeWith(named(refusal.get()));
        } else {
            wire.send(protocol.greeting());
        }
    }

    private boolean readProxyHeader() throws IOException {
        ProxyHeader.ProxyResult header = ClientIdentity.proxied(wire, timeoutNanos());
        switch (header) {
            case ProxyHeader.ProxyResult.Client(InetAddress client, int _) -> address = client;
            case ProxyHeader.ProxyResult.Itself() -> {
            }
            case ProxyHeader.ProxyResult.Malformed() -> {
                log.warn("event=proxy-header-invalid session={} client={}", number, literal());
                reject(Reply.of(421, "4.3.0", config.hostname() + " No PROXY header"));
            }
        }
        return open;
    }

    // Under implicit TLS the client waits for a handshake, so no reply can be sent in clear text.
    private void reject(Reply reply) throws IOException {
        if (config.service().tlsFromStart()) {
            logClosed(reply);
            open = false;
        } else {
            closeWith(reply);
        }
    }

    private void handleLine() throws IOException {
        Optional<SmtpStream.ReadLine> line = transaction.isPresent() ? Optional.of(readLine()) : readLineOrShutDown();
        if (line.isEmpty()) {
            return;
        }
        switch (line.get()) {
            case SmtpStream.ReadLine.Text(String text) -> execute(parser.parse(text));
            case SmtpStream.ReadLine.TooLong() -> {
                apply(protocol.refuse(state, Reply.of(500, "5.5.2",
                        "Line too long, at most " + config.limits().commandLine() + " octets")));
                wire.flush();
            }
            case SmtpStream.ReadLine.Broken() -> closeWith(
                    Reply.of(521, "5.5.2",
                            config.hostname() + " Error: bare <CR> or <LF> received; end each line with <CR><LF>"));
            case SmtpStream.ReadLine.End() -> open = false;
        }
    }

    private Optional<SmtpStream.ReadLine> readLineOrShutDown() throws IOException {
        activity.set(Activity.WAITING);
        if (stopping.getAsBoolean()) {
            if (activity.compareAndSet(Activity.WAITING, Activity.SERVING)) {
                closeWith(shuttingDown());
            }
            open = false;
            return Optional.empty();
        }
        SmtpStream.ReadLine line = readLine();
        if (!activity.compareAndSet(Activity.WAITING, Activity.SERVING)) {
            open = false;
            return Optional.empty();
        }
        return Optional.of(line);
    }

    private SmtpStream.ReadLine readLine() throws IOException {
        long start = tuning.nanos().getAsLong();
        SmtpStream.ReadLine line = wire.readLine(config.limits().commandLine(), dataPhase.timeoutNanos(timeoutNanos()));
        dataPhase.waited(tuning.nanos().getAsLong() - start);
        return line;
    }

    private long timeoutNanos() {
        return config.limits().idle().toMillis() * 1_000_000;
    }

    private void execute(Command command) throws IOException {
        ProtocolStep step = protocol.decide(state, command, now());
        if (!step.replies().isEmpty()) {
            logNegative(step.replies().getFirst(), command);
        }
        apply(step);
        // RFC 2920 section 3.2 and RFC 3030 section 4.2: only the replies to these commands may be
        // collected.
        boolean collected = command instanceof Command.Mail || command instanceof Command.Rcpt
                || command instanceof Command.Rset || command instanceof Command.Bdat;
        if (!collected) {
            wire.flush();
        }
    }

    private void apply(ProtocolStep step) throws IOException {
        for (Reply reply : step.replies()) {
            send(reply);
        }
        state = step.next();
        switch (step.action()) {
            case ProtocolAction.ReadCommand() -> {
            }
            case ProtocolAction.Close(boolean byUs) -> {
                open = false;
                // Before the last reply: a client that has read it may reconnect at once and must
                // find the place free.
                releasePlace();
                closedByServer = byUs;
                if (byUs) {
                    logClosed(step.replies().getLast());
                }
            }
            case ProtocolAction.ResetTransaction() -> endTransaction();
            case ProtocolAction.AskHello(Command.Hello hello) -> hello(hello);
            case ProtocolAction.AskSender(Command.Mail mail) -> sender(mail);
            case ProtocolAction.AskRecipient(Command.Rcpt rcpt) -> recipient(rcpt);
            case ProtocolAction.TakeData() -> data();
            case ProtocolAction.TakeChunk(long bytes, boolean last) -> chunk(bytes, last);
            case ProtocolAction.SkipChunk(long bytes, Reply refusal) -> {
                dataPhase.skip(bytes);
                apply(protocol.skipped(state, refusal));
            }
            case ProtocolAction.Encrypt() -> startTls();
            case ProtocolAction.Authenticate(Command.Auth auth) -> authenticate(auth);
            case ProtocolAction.Wake(String node) -> apply(protocol.answered(state,
                    services.etrn().map(etrn -> etrn.wake(client(), node)).orElseGet(
                            () -> Reply.of(458, "4.5.0", "Unable to queue messages for node " + node))));
            case ProtocolAction.Impersonate(Command.Xclient xclient) -> impersonate(xclient);
        }
    }

    // @return true when the connection may linger until the client has read the last reply
    private boolean releasePlace() {
        wire.limitReplyTime(tuning.linger());
        return place.linger();
    }

    private void endTransaction() {
        transaction.ifPresent(ReceivingTransaction::close);
        transaction = Optional.empty();
        dataPhase.close();
    }

    private void hello(Command.Hello hello) throws IOException {
        if (rejectsPipelining()) {
            return;
        }
        Client named = new Client(number, address, Optional.of(hello.name()),
                hello.greeting() != Command.Greeting.HELO, tls, state.user(), config.service().name());
        apply(protocol.greeted(state, hello, gate.hello(named), now()));
    }

    private void sender(Command.Mail mail) throws IOException {
        endTransaction();
        ReceivingTransaction begun = new ReceivingTransaction(mail, now(), services.memory());
        Optional<Reply> refusal = gate.sender(client(), mail, begun);
        transaction = refusal.isPresent() ? Optional.empty() : Optional.of(begun);
        apply(protocol.sender(state, mail, refusal));
    }

    private void recipient(Command.Rcpt rcpt) throws IOException {
        ReceivingTransaction mail = transaction.orElseThrow();
        Optional<Reply> refusal = gate.recipient(client(), rcpt, mail);
        boolean memory = refusal.isPresent() || mail.add(rcpt);
        apply(memory ? protocol.recipient(state, rcpt, refusal) : protocol.noMemory(state));
    }

    private void data() throws IOException {
        if (rejectsPipelining()) {
            return;
        }
        handleResult(dataPhase.data(client(), transaction.orElseThrow()));
    }

    private void chunk(long bytes, boolean last) throws IOException {
        DataPhase.ContentResult answer = dataPhase.chunk(client(), transaction.orElseThrow(), bytes, last);
        if (last) {
            handleResult(answer);
            return;
        }
        switch (answer) {
            case DataPhase.ContentResult.Continued() -> apply(protocol.chunk(state, bytes, Optional.empty(), false));
            case DataPhase.ContentResult.Refused(Reply reply) -> {
                PolicyGate.logRefusal(client(), reply, senderKey(), Optional.empty());
                apply(protocol.chunk(state, bytes, Optional.of(reply), true));
            }
            case DataPhase.ContentResult.LocalFailure(Reply reply) -> apply(
                    protocol.chunk(state, bytes, Optional.of(reply), false));
            case DataPhase.ContentResult.Accepted _,DataPhase.ContentResult.OutOfSync _ ->
                throw new IllegalStateException(
                        "a chunk that is not the last ends nothing: " + answer);
        }
    }

    private void handleResult(DataPhase.ContentResult answer) throws IOException {
        switch (answer) {
            case DataPhase.ContentResult.Accepted(Reply reply) -> finished(reply, false);
            case DataPhase.ContentResult.LocalFailure(Reply reply) -> finished(reply, false);
            case DataPhase.ContentResult.Refused(Reply reply) -> {
                PolicyGate.logRefusal(client(), reply, senderKey(), Optional.empty());
                finished(reply, true);
            }
            case DataPhase.ContentResult.OutOfSync(Reply reply) -> closeWith(reply);
            case DataPhase.ContentResult.Continued() ->
                throw new IllegalStateException("a message has ended without an answer");
        }
    }

    private void finished(Reply reply, boolean fault) throws IOException {
        endTransaction();
        apply(protocol.content(state, reply, fault));
    }

    private void startTls() throws IOException {
        if (wire.clientIsAhead()) {
            // Commands injected into the stream before encryption (CVE-2011-0411).
            closeWith(Reply.of(554, "5.5.0", config.hostname() + " Error: improper command pipelining after STARTTLS"));
            return;
        }
        send(Reply.of(220, "2.0.0", "Ready to start TLS"));
        if (encrypt()) {
            apply(protocol.encrypted(state));
        }
    }

    private boolean encrypt() {
        try {
            tls = Optional.of(wire.startTls(config.tls().orElseThrow().get(), timeoutNanos()));
        } catch (IOException e) {
            log.info("event=tls-handshake-failed session={} client={} error=\"{}\"", number, literal(),
                    LogText.text(e.toString()));
            open = false;
        }
        return open;
    }

    private void authenticate(Command.Auth auth) throws IOException {
        if (rejectsPipelining()) {
            return;
        }
        switch (authenticator.run(client(), auth, timeoutNanos())) {
            case Authenticator.AuthResult.Proven(String user) -> {
                place.loggedIn();
                apply(protocol.authenticated(state, user));
            }
            case Authenticator.AuthResult.Refused(Reply reply) -> apply(protocol.notAuthenticated(state, reply));
        }
    }

    private void impersonate(Command.Xclient xclient) throws IOException {
        switch (ClientIdentity.impersonation(xclient, state.helo(), state.user())) {
            case ClientIdentity.Impersonation.Rejected(Reply reply) -> apply(protocol.refuse(state, reply));
            case ClientIdentity.Impersonation.Identity somebody -> {
                log.info("event=xclient session={} client={} new-client={}", number, literal(),
                        ReceivedLine.literal(somebody.address().orElse(address)));
                address = somebody.address().orElse(address);
                gate.clearTags();
                ProtocolStep step = protocol.impersonated(state, somebody.helo(), somebody.login());
                state = step.next();
                endTransaction();
                Optional<Reply> refusal = gate.connect(client(), false);
                if (refusal.isPresent()) {
                    closeWith(named(refusal.get()));
                } else {
                    apply(step);
                }
            }
        }
    }

    // RFC 2920 section 3.1: EHLO, AUTH and DATA are last in a group; a client that sends more has
    // not read their replies.
    private boolean rejectsPipelining() throws IOException {
        boolean ahead = config.service().strictTurns() && wire.clientIsAhead();
        if (ahead) {
            closeWith(Reply.of(554, "5.5.0", config.hostname() + " Improper use of SMTP command pipelining"));
        }
        return ahead;
    }

    private void closeWith(Reply reply) throws IOException {
        logClosed(reply);
        send(reply);
        open = false;
        closedByServer = true;
    }

    private void lastReply(Reply reply) {
        if (activity.get() == Activity.DISMISSED) {
            return;
        }
        try {
            closeWith(reply);
        } catch (IOException gone) {
            logGone(gone);
        }
    }

    /// Sends a reply with an enhanced status, except the greeting, EHLO's and 3xx replies (RFC 2034
    /// section 4).
    private void send(Reply reply) throws IOException {
        boolean bare = reply.status().isEmpty() && !reply.isPositive();
        wire.send(bare ? new Reply(reply.code(), Optional.of(reply.statusOrGeneral()), reply.lines()) : reply);
    }

    // The greeting's reply names the server (RFC 5321 section 4.2).
    private Reply named(Reply reply) {
        List<String> lines = new ArrayList<>(reply.lines());
        lines.set(0, config.hostname() + " " + lines.getFirst());
        return new Reply(reply.code(), reply.status(), lines);
    }

    // A refusal by the protocol, before policy and message handler are asked.
    private void logNegative(Reply reply, Command command) {
        boolean mail = command instanceof Command.Mail || command instanceof Command.Rcpt
                || command instanceof Command.Wrong(String verb, Reply _)
                        && (verb.equals("MAIL") || verb.equals("RCPT"));
        if (mail && !reply.isPositive()) {
            String senderKey = command instanceof Command.Mail said
                    ? " sender=" + LogText.path(said.sender())
                    : senderKey();
            String to = command instanceof Command.Rcpt rcpt ? " recipient=" + LogText.path(rcpt.recipient()) : "";
            PolicyGate.logRefusal(client(), reply, senderKey + to, Optional.empty());
        }
    }

    private String senderKey() {
        return transaction.map(mail -> " sender=" + LogText.path(mail.sender())).orElse("");
    }

    private void logClosed(Reply reply) {
        log.info("event=session-closed session={} client={} reply=\"{}\"", number, literal(),
                LogText.text(reply.toString()));
    }

    private void logGone(IOException gone) {
        log.debug("event=client-gone session={} client={} error=\"{}\"", number, literal(),
                LogText.text(gone.toString()));
    }

    private Reply shuttingDown() {
        return Reply.of(421, "4.3.2", config.hostname() + " Shutting down, try again later");
    }

    private Client client() {
        return new Client(number, address, state.helo(), state.greeting() != Command.Greeting.HELO, tls, state.user(),
                config.service().name());
    }

    private Instant now() {
        return tuning.clock().instant();
    }

    private String literal() {
        return ReceivedLine.literal(address);
    }
}
