package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.Mechanisms;
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

/// One session, on its own virtual thread, from the greeting to the last reply: line in, command, step, reply out.
///
/// This is the hands of [ServerProtocol], which decides what is answered: it reads, asks policy and house what the protocol wants to know,
/// says and logs. What a line means is [CommandParser]'s business, and what happens to a message is [DataPhase]'s.
///
/// Only one other thread ever speaks here: the one that stops the listener. Who may speak is settled by [#floor]. A
/// session that waits for a command outside a transaction leaves the floor; whoever takes it from there, the session with the
/// next command or the stopper with its 421, has the connection to itself.
final class Conversation {
    private enum Floor {
        SERVING, WAITING, DISMISSED
    }

    private static final Logger log = LoggerFactory.getLogger(Conversation.class);

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
    private final AtomicReference<Floor> floor = new AtomicReference<>(Floor.SERVING);

    private InetAddress address;
    private SessionState state;
    private Optional<String> tls = Optional.empty();
    private Optional<ReceivingTransaction> transaction = Optional.empty();
    private boolean open = true;
    private boolean weHungUp;

    /// @param address of the other end, which may be a proxy
    /// @param place of this connection, which is given back before the last reply
    /// @param mechanisms of the listener
    /// @param stopping true from the moment on in which no new transaction may begin
    Conversation(long number, InetAddress address, SmtpStream wire, ListenerServices services, ListenerConfig config,
            Tuning tuning,
            ConnectionAdmission.Place place, Mechanisms mechanisms, BooleanSupplier stopping) {
        this.number = number;
        this.address = address;
        this.wire = wire;
        this.services = services;
        this.config = config;
        this.tuning = tuning;
        this.place = place;
        this.stopping = stopping;
        this.parser = new CommandParser(config.hostname());
        this.protocol = new ServerProtocol(config.service(), config.limits(), config.hostname(),
                new ServiceOffer(config.service(), config.limits(), config.hostname(), config.tls().isPresent(),
                        mechanisms.names(false), mechanisms.names(true)));
        this.gate = new PolicyGate(services);
        this.dataPhase = new DataPhase(wire, config, services, tuning);
        this.authenticator = new Authenticator(wire, config, mechanisms, services);
        this.state = SessionState.start(false, false);
    }

    /// Talks until one side has had enough. The client's troubles end here, ours too.
    void run() {
        try {
            meet();
            while (open) {
                turn();
            }
        } catch (SocketTimeoutException slow) {
            lastReply(Reply.of(421, "4.4.2", config.hostname() + " Timeout exceeded"));
        } catch (IOException gone) {
            logGone(gone);
        } catch (RuntimeException broken) {
            log.error("session={} client={} failed", number, literal(), broken);
            lastReply(Reply.of(421, "4.3.0", config.hostname() + " Something is broken here, closing"));
        } finally {
            forget();
        }
        if (weHungUp && floor.get() != Floor.DISMISSED) {
            wire.closeSoftly(tuning.lastWord(), leavePlace());
        }
    }

    /// Ends this session with 421 if it is idle. Called by the thread that stops the listener.
    void dismiss() {
        if (floor.compareAndSet(Floor.WAITING, Floor.DISMISSED)) {
            try {
                wire.say(shuttingDown());
                wire.flush();
            } catch (IOException gone) {
                logGone(gone);
            } finally {
                wire.cut();
            }
        }
    }

    /// Ends the session whatever it is doing.
    void cut() {
        wire.cut();
    }

    // Who is it, is there room, is it in a hurry, do we want it: in the order of what each costs us.
    private void meet() throws IOException {
        if (config.trust().proxies().test(address) && !hearProxy()) {
            return;
        }
        Optional<Reply> full = place.claim(address);
        if (full.isPresent()) {
            turnAway(full.get());
            return;
        }
        if (config.service().tlsFromStart() && !encrypt()) {
            return;
        }
        // By the address of whom a proxy speaks for, not the proxy's own.
        state = SessionState.start(wire.isTls(), config.trust().speakers().test(address));
        boolean early = wire.speaksWithin(config.service().greetingDelayMillis() * 1_000_000);
        Optional<Reply> refusal = gate.connect(client(), early);
        if (refusal.isPresent()) {
            hangUp(named(refusal.get()));
        } else {
            wire.say(protocol.greeting());
        }
    }

    private boolean hearProxy() throws IOException {
        ProxyHeader.Result header = ClientIdentity.proxied(wire, patienceNanos());
        switch (header) {
            case ProxyHeader.Result.Client(InetAddress client, int _) -> address = client;
            case ProxyHeader.Result.Itself() -> {
            }
            case ProxyHeader.Result.Malformed() -> {
                log.warn("session={} proxy={} msg=\"no PROXY header\"", number, literal());
                turnAway(Reply.of(421, "4.3.0", config.hostname() + " No PROXY header"));
            }
        }
        return open;
    }

    // Under implicit TLS a client waits for a handshake and not for text.
    private void turnAway(Reply reply) throws IOException {
        if (config.service().tlsFromStart()) {
            log.info("session={} client={} reply=\"{}\" msg=closed", number, literal(), LogText.text(reply.toString()));
            open = false;
        } else {
            hangUp(reply);
        }
    }

    private void turn() throws IOException {
        Optional<SmtpStream.Line> line = transaction.isPresent() ? Optional.of(readLine()) : readLineOrBeDismissed();
        if (line.isEmpty()) {
            return;
        }
        switch (line.get()) {
            case SmtpStream.Line.Text(String text) -> obey(parser.parse(text));
            case SmtpStream.Line.TooLong() -> {
                take(protocol.refuse(state, Reply.of(500, "5.5.2",
                        "Line too long, at most " + config.limits().commandLine() + " octets")));
                wire.flush();
            }
            case SmtpStream.Line.Broken() -> hangUp(
                    Reply.of(521, "5.5.2",
                            config.hostname() + " Error: bare <CR> or <LF> received; end each line with <CR><LF>"));
            case SmtpStream.Line.End() -> open = false;
        }
    }

    private Optional<SmtpStream.Line> readLineOrBeDismissed() throws IOException {
        floor.set(Floor.WAITING);
        if (stopping.getAsBoolean()) {
            if (floor.compareAndSet(Floor.WAITING, Floor.SERVING)) {
                hangUp(shuttingDown());
            }
            open = false;
            return Optional.empty();
        }
        SmtpStream.Line line = readLine();
        if (!floor.compareAndSet(Floor.WAITING, Floor.SERVING)) {
            open = false;
            return Optional.empty();
        }
        return Optional.of(line);
    }

    private SmtpStream.Line readLine() throws IOException {
        long start = tuning.nanos().getAsLong();
        SmtpStream.Line line = wire.readLine(config.limits().commandLine(), dataPhase.patienceNanos(patienceNanos()));
        dataPhase.waited(tuning.nanos().getAsLong() - start);
        return line;
    }

    private long patienceNanos() {
        return config.limits().idle().toMillis() * 1_000_000;
    }

    private void obey(Command command) throws IOException {
        ProtocolStep step = protocol.decide(state, command, now());
        if (!step.replies().isEmpty()) {
            logNegative(step.replies().getFirst(), command);
        }
        take(step);
        // RFC 2920 section 3.2 and RFC 3030 section 4.2: replies to these may be collected, replies to all others must not.
        boolean collected = command instanceof Command.Mail || command instanceof Command.Rcpt
                || command instanceof Command.Rset || command instanceof Command.Bdat;
        if (!collected) {
            wire.flush();
        }
    }

    private void take(ProtocolStep step) throws IOException {
        for (Reply reply : step.replies()) {
            say(reply);
        }
        state = step.next();
        switch (step.action()) {
            case ProtocolAction.Listen() -> {
            }
            case ProtocolAction.Close(boolean byUs) -> {
                open = false;
                // Before the last reply goes: who has read it may come again at once, and finds the place free.
                leavePlace();
                weHungUp = byUs;
                if (byUs) {
                    logClosed(step.replies().getLast());
                }
            }
            case ProtocolAction.Forget() -> forget();
            case ProtocolAction.AskHello(Command.Hello hello) -> hello(hello);
            case ProtocolAction.AskSender(Command.Mail mail) -> sender(mail);
            case ProtocolAction.AskRecipient(Command.Rcpt rcpt) -> recipient(rcpt);
            case ProtocolAction.TakeData() -> data();
            case ProtocolAction.TakeChunk(long bytes, boolean last) -> chunk(bytes, last);
            case ProtocolAction.SkipChunk(long bytes, Reply refusal) -> {
                dataPhase.skip(bytes);
                take(protocol.skipped(state, refusal));
            }
            case ProtocolAction.Encrypt() -> startTls();
            case ProtocolAction.Authenticate(Command.Auth auth) -> authenticate(auth);
            case ProtocolAction.Wake(String node) -> take(protocol.answered(state,
                    services.etrn().map(etrn -> etrn.wake(client(), node)).orElseGet(
                            () -> Reply.of(458, "4.5.0", "Unable to queue messages for node " + node))));
            case ProtocolAction.Impersonate(Command.Xclient xclient) -> impersonate(xclient);
        }
    }

    // @return true when we may wait until the client has read the last reply
    private boolean leavePlace() {
        wire.hurry(tuning.lastWord());
        return place.linger();
    }

    private void forget() {
        transaction.ifPresent(ReceivingTransaction::close);
        transaction = Optional.empty();
        dataPhase.close();
    }

    private void hello(Command.Hello hello) throws IOException {
        if (outOfTurn()) {
            return;
        }
        Client named = new Client(number, address, Optional.of(hello.name()),
                hello.greeting() != Command.Greeting.HELO, tls, state.user(), config.service().name());
        take(protocol.greeted(state, hello, gate.hello(named), now()));
    }

    private void sender(Command.Mail mail) throws IOException {
        forget();
        ReceivingTransaction begun = new ReceivingTransaction(mail, now(), services.memory());
        Optional<Reply> refusal = gate.sender(client(), mail, begun);
        transaction = refusal.isPresent() ? Optional.empty() : Optional.of(begun);
        take(protocol.sender(state, mail, refusal));
    }

    private void recipient(Command.Rcpt rcpt) throws IOException {
        ReceivingTransaction mail = transaction.orElseThrow();
        Optional<Reply> refusal = gate.recipient(client(), rcpt, mail);
        boolean memory = refusal.isPresent() || mail.add(rcpt);
        take(memory ? protocol.recipient(state, rcpt, refusal) : protocol.noMemory(state));
    }

    private void data() throws IOException {
        if (outOfTurn()) {
            return;
        }
        concluded(dataPhase.data(client(), transaction.orElseThrow()));
    }

    private void chunk(long bytes, boolean last) throws IOException {
        DataPhase.Answer answer = dataPhase.chunk(client(), transaction.orElseThrow(), bytes, last);
        if (last) {
            concluded(answer);
            return;
        }
        switch (answer) {
            case DataPhase.Answer.GoOn() -> take(protocol.chunk(state, bytes, Optional.empty(), false));
            case DataPhase.Answer.Refused(Reply reply) -> {
                PolicyGate.logRefusal(client(), reply, whose(), Optional.empty());
                take(protocol.chunk(state, bytes, Optional.of(reply), true));
            }
            case DataPhase.Answer.Trouble(Reply reply) -> take(
                    protocol.chunk(state, bytes, Optional.of(reply), false));
            case DataPhase.Answer.Accepted _,DataPhase.Answer.Hopeless _ -> throw new IllegalStateException(
                    "a chunk that is not the last ends nothing: " + answer);
        }
    }

    private void concluded(DataPhase.Answer answer) throws IOException {
        switch (answer) {
            case DataPhase.Answer.Accepted(Reply reply) -> finished(reply, false);
            case DataPhase.Answer.Trouble(Reply reply) -> finished(reply, false);
            case DataPhase.Answer.Refused(Reply reply) -> {
                PolicyGate.logRefusal(client(), reply, whose(), Optional.empty());
                finished(reply, true);
            }
            case DataPhase.Answer.Hopeless(Reply reply) -> hangUp(reply);
            case DataPhase.Answer.GoOn() -> throw new IllegalStateException("a message has ended without an answer");
        }
    }

    private void finished(Reply reply, boolean fault) throws IOException {
        forget();
        take(protocol.content(state, reply, fault));
    }

    private void startTls() throws IOException {
        if (wire.clientIsAhead()) {
            // Commands that somebody put into the stream before it was encrypted (CVE-2011-0411).
            hangUp(Reply.of(554, "5.5.0", config.hostname() + " You talk in clear text after STARTTLS"));
            return;
        }
        say(Reply.of(220, "2.0.0", "Ready to start TLS"));
        if (encrypt()) {
            take(protocol.encrypted(state));
        }
    }

    private boolean encrypt() {
        try {
            tls = Optional.of(wire.startTls(config.tls().orElseThrow().get(), patienceNanos()));
        } catch (IOException e) {
            log.info("session={} client={} tls=\"{}\"", number, literal(), LogText.text(e.toString()));
            open = false;
        }
        return open;
    }

    private void authenticate(Command.Auth auth) throws IOException {
        if (outOfTurn()) {
            return;
        }
        switch (authenticator.run(client(), auth, patienceNanos())) {
            case Authenticator.Result.Proven(String user) -> {
                place.loggedIn();
                take(protocol.authenticated(state, user));
            }
            case Authenticator.Result.Refused(Reply reply) -> take(protocol.notAuthenticated(state, reply));
        }
    }

    private void impersonate(Command.Xclient xclient) throws IOException {
        switch (ClientIdentity.impersonation(xclient, state.helo(), state.user())) {
            case ClientIdentity.Impersonation.Nonsense(Reply reply) -> take(protocol.refuse(state, reply));
            case ClientIdentity.Impersonation.Somebody somebody -> {
                log.info("session={} speaker={} client={} msg=xclient", number, literal(),
                        ReceivedLine.literal(somebody.address().orElse(address)));
                address = somebody.address().orElse(address);
                gate.forget();
                ProtocolStep step = protocol.impersonated(state, somebody.helo(), somebody.login());
                state = step.next();
                forget();
                Optional<Reply> refusal = gate.connect(client(), false);
                if (refusal.isPresent()) {
                    hangUp(named(refusal.get()));
                } else {
                    take(step);
                }
            }
        }
    }

    // RFC 2920 section 3.1: EHLO, AUTH and DATA are the last of their group. Who goes on all the same has not read our answers.
    private boolean outOfTurn() throws IOException {
        boolean ahead = config.service().strictTurns() && wire.clientIsAhead();
        if (ahead) {
            hangUp(Reply.of(554, "5.5.0", config.hostname() + " You do not wait for your turn"));
        }
        return ahead;
    }

    private void hangUp(Reply reply) throws IOException {
        logClosed(reply);
        say(reply);
        open = false;
        weHungUp = true;
    }

    private void lastReply(Reply reply) {
        if (floor.get() == Floor.DISMISSED) {
            return;
        }
        try {
            hangUp(reply);
        } catch (IOException gone) {
            logGone(gone);
        }
    }

    /// Every reply carries an enhanced status but the greeting, EHLO's and 3xx (RFC 2034 section 4).
    private void say(Reply reply) throws IOException {
        boolean bare = reply.status().isEmpty() && !reply.isPositive();
        wire.say(bare ? new Reply(reply.code(), Optional.of(reply.statusOrGeneral()), reply.lines()) : reply);
    }

    // A reply of the greeting names the server (RFC 5321 section 4.2).
    private Reply named(Reply reply) {
        List<String> lines = new ArrayList<>(reply.lines());
        lines.set(0, config.hostname() + " " + lines.getFirst());
        return new Reply(reply.code(), reply.status(), lines);
    }

    // What was refused before anybody was asked.
    private void logNegative(Reply reply, Command command) {
        boolean mail = command instanceof Command.Mail || command instanceof Command.Rcpt
                || command instanceof Command.Wrong(String verb, Reply _)
                        && (verb.equals("MAIL") || verb.equals("RCPT"));
        if (mail && !reply.isPositive()) {
            String whose = command instanceof Command.Mail said ? " from=" + LogText.path(said.sender()) : whose();
            String to = command instanceof Command.Rcpt rcpt ? " to=" + LogText.path(rcpt.recipient()) : "";
            PolicyGate.logRefusal(client(), reply, whose + to, Optional.empty());
        }
    }

    private String whose() {
        return transaction.map(mail -> " from=" + LogText.path(mail.sender())).orElse("");
    }

    private void logClosed(Reply reply) {
        log.info("session={} client={} reply=\"{}\" msg=closed", number, literal(), LogText.text(reply.toString()));
    }

    private void logGone(IOException gone) {
        log.debug("session={} client={} gone=\"{}\"", number, literal(), LogText.text(gone.toString()));
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
