package org.slipstream.smtpin.protocol;

import org.slipstream.core.BodyType;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.Extension;
import org.slipstream.smtpin.command.MailParameters;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The server's side of SMTP as a pure function: state and command in; replies, new state and
/// action out.
///
/// The order of commands is that of RFC 5321 section 4.1.4; the permitted commands depend on the
/// [ServiceOffer]. Everything that needs I/O (policy, content, passwords) leaves as a
/// [ProtocolAction], and its result returns through a method of its own. So each decision stands
/// once, and this class composes all replies of the protocol.
///
/// Two counters end a session without progress: negative replies, and commands that bring no mail,
/// including empty chunks and excess recipients beyond the overshoot limit. An accepted message
/// resets the second only.
public final class ServerProtocol {
    /// The reply when the memory that all transactions share is spent (RFC 5321 section 4.5.3.1.10
    /// uses 452).
    public static final Reply NO_MEMORY = Reply.of(452, "4.3.1",
            "Insufficient system storage, try again later");
    private static final Reply OK = Reply.of(250, "2.0.0", "Ok");
    private static final Reply SENDER_OK = Reply.of(250, "2.1.0", "Ok");
    private static final Reply RECIPIENT_OK = Reply.of(250, "2.1.5", "Ok");

    private final ServicePolicy service;
    private final Limits limits;
    private final String hostname;
    private final ServiceOffer offer;

    public ServerProtocol(ServicePolicy service, Limits limits, String hostname, ServiceOffer offer) {
        this.service = service;
        this.limits = limits;
        this.hostname = hostname;
        this.offer = offer;
    }

    /// @param now to check times that the client names
    public ProtocolStep decide(SessionState state, Command command, Instant now) {
        Optional<Reply> notYet = notYet(state, command);
        if (notYet.isPresent()) {
            // A chunk follows a refused BDAT all the same.
            return command instanceof Command.Bdat bdat
                    ? refuseChunk(state, bdat, notYet.get())
                    : refuse(state, notYet.get());
        }
        return switch (command) {
            case Command.Hello hello -> hello(state, hello);
            case Command.Mail mail -> mail(state, mail, now);
            case Command.Rcpt rcpt -> rcpt(state, rcpt);
            case Command.Data() -> data(state);
            case Command.Bdat bdat -> bdat(state, bdat);
            case Command.StartTls() -> startTls(state);
            case Command.Auth auth -> auth(state, auth);
            case Command.Etrn(String node) -> etrn(state, node);
            case Command.Xclient xclient -> xclient(state, xclient);
            case Command.Rset() -> junk(state.withoutMail(), OK).then(new ProtocolAction.ResetTransaction());
            case Command.Noop() -> junk(state, OK);
            // RFC 5321 section 3.5.3: 252 discloses no mailbox and keeps clients going that ask.
            case Command.Vrfy() -> junk(state,
                    Reply.of(252, "2.0.0", "Cannot VRFY user, but will accept message and attempt delivery"));
            // Open lists of members are a gift to spam (RFC 5321 sections 3.5.4 and 7.3).
            case Command.Expn() -> refuse(state, notImplemented("EXPN"));
            case Command.Help() -> junk(state, Reply.of(214, "2.0.0", "See RFC 5321"));
            case Command.Quit() -> new ProtocolStep(List.of(Reply.of(221, "2.0.0", "Bye")), state.withoutMail(),
                    new ProtocolAction.Close(false));
            case Command.Unserved(String verb) -> refuse(state, notImplemented(verb));
            case Command.Foreign(String verb) -> ProtocolStep.close(
                    Reply.of(554, "5.5.0", hostname + " Error: " + verb + " is not an SMTP command"), state);
            case Command.Wrong(String _, Reply reply) -> refuse(state, reply);
        };
    }

    // RFC 3207 section 4 and RFC 4954 section 6: 530 for commands that need TLS or a login first.
    private Optional<Reply> notYet(SessionState state, Command command) {
        boolean always = switch (command) {
            case Command.Hello _,Command.Noop _,Command.Rset _,Command.Help _,Command.Quit _,Command.StartTls _,Command.Foreign _,Command.Wrong _ ->
                true;
            case Command.Mail _,Command.Rcpt _,Command.Data _,Command.Bdat _,Command.Vrfy _,Command.Expn _,Command.Auth _,Command.Etrn _,Command.Xclient _,Command.Unserved _ ->
                false;
        };
        if (always) {
            return Optional.empty();
        }
        if (service.tlsRequired() && !state.tls()) {
            return Optional.of(Reply.of(530, "5.7.0", "Must issue a STARTTLS command first"));
        }
        boolean anonymous = service.authentication() == ServicePolicy.Authentication.REQUIRED
                && state.user().isEmpty();
        return anonymous && !(command instanceof Command.Auth) && !(command instanceof Command.Xclient)
                ? Optional.of(Reply.of(530, "5.7.0", "Authentication required"))
                : Optional.empty();
    }

    // RFC 2033 section 4.1: LMTP has LHLO and neither of the others.
    private ProtocolStep hello(SessionState state, Command.Hello hello) {
        boolean lmtp = service.dialect() == ServicePolicy.Dialect.LMTP;
        return lmtp == (hello.greeting() == Command.Greeting.LHLO)
                ? ProtocolStep.ask(state, new ProtocolAction.AskHello(hello))
                : refuse(state, Reply.of(500, "5.5.1", "Error: this is " + service.dialect() + ", use "
                        + (lmtp ? "LHLO" : "EHLO")));
    }

    /// The policy has decided about the client's name.
    public ProtocolStep greeted(SessionState state, Command.Hello hello, Optional<Reply> refusal, Instant now) {
        if (refusal.isPresent()) {
            return refuse(state, refusal.get());
        }
        SessionState next = state.withHello(hello);
        return junk(next, hello.greeting() == Command.Greeting.HELO
                ? Reply.of(250, hostname)
                : offer.ehlo(next, now)).then(new ProtocolAction.ResetTransaction());
    }

    private ProtocolStep mail(SessionState state, Command.Mail mail, Instant now) {
        if (state.helo().isEmpty()) {
            return refuse(state, Reply.of(503, "5.5.1", "Error: send HELO/EHLO first"));
        }
        if (state.mail().isPresent()) {
            return refuse(state, Reply.of(503, "5.5.1", "Error: nested MAIL command"));
        }
        if (state.transactions() >= limits.messagesPerConnection()) {
            return ProtocolStep.close(Reply.of(421, "4.7.0", hostname + " Too many messages in this connection"),
                    state);
        }
        Optional<Reply> wrong = wrongParameter(state, mail, now);
        return wrong.isPresent()
                ? refuse(state, wrong.get())
                : ProtocolStep.ask(state, new ProtocolAction.AskSender(mail));
    }

    private Optional<Reply> wrongParameter(SessionState state, Command.Mail mail, Instant now) {
        MailParameters said = mail.parameters();
        if (said.body().equals(Optional.of(BodyType.BINARY_MIME)) && !offer.has(Extension.BINARY_MIME, state)) {
            return Optional.of(Reply.of(501, "5.5.4", "Syntax: BODY=7BIT or BODY=8BITMIME"));
        }
        Optional<Reply> unknown = unknown(state, said.used());
        if (unknown.isPresent()) {
            return unknown;
        }
        if (said.declaredBytes() > limits.messageSize().bytes()) {
            return Optional.of(
                    Reply.of(552, "5.3.4",
                            "Message size exceeds fixed limit of " + limits.messageSize().bytes() + " octets"));
        }
        // RFC 6531 section 3.5.
        if (!said.smtpUtf8() && mail.sender().isPresent() && mail.sender().get().isInternational()) {
            return Optional.of(Reply.of(553, "5.6.7", "Must declare SMTPUTF8 to send unicode address"));
        }
        return wrongTime(said, now);
    }

    // RFC 4865 section 4 for a hold that is too long, RFC 2852 section 4 for a delivery time that
    // is too short.
    private Optional<Reply> wrongTime(MailParameters said, Instant now) {
        Instant latest = now.plusSeconds(service.holdSeconds());
        boolean tooLong = said.hold().filter(hold -> switch (hold) {
            case MailParameters.Hold.For(long seconds) -> seconds > service.holdSeconds();
            case MailParameters.Hold.Until(Instant time) -> time.isAfter(latest);
        }).isPresent();
        if (tooLong) {
            return Optional
                    .of(Reply.of(501, "5.5.4", "Hold time exceeds limit of " + service.holdSeconds() + " seconds"));
        }
        boolean tooSoon = said.deliverBy()
                .filter(by -> by.returned() && by.seconds() < service.deliverBySeconds()).isPresent();
        return tooSoon
                ? Optional.of(Reply.of(501, "5.5.4",
                        "Delivery time is below the minimum of " + service.deliverBySeconds()
                                + " seconds"))
                : Optional.empty();
    }

    // RFC 5321 section 4.1.1.11. AUTH= depends on the service and not on the state: it is used
    // after the login.
    private Optional<Reply> unknown(SessionState state, Map<String, Extension> used) {
        if (used.isEmpty()) {
            return Optional.empty();
        }
        return used.entrySet().stream().filter(entry -> !offer.has(entry.getValue(), state)).map(Map.Entry::getKey)
                .sorted().findFirst().map(keyword -> Reply.of(555, "5.5.4", "Unsupported option: " + keyword));
    }

    /// Policy and message handler have decided about the sender.
    public ProtocolStep sender(SessionState state, Command.Mail mail, Optional<Reply> refusal) {
        return refusal.isPresent()
                ? refuse(state, refusal.get())
                : ProtocolStep.reply(SENDER_OK, state.withMail(mail));
    }

    private ProtocolStep rcpt(SessionState state, Command.Rcpt rcpt) {
        if (state.mail().isEmpty() || state.mail().get().chunks()) {
            return refuse(state, Reply.of(503, "5.5.1", "Error: need MAIL command"));
        }
        SessionState.Mail mail = state.mail().get();
        Optional<Reply> unknown = unknown(state, rcpt.parameters().used());
        if (unknown.isPresent()) {
            return refuse(state, unknown.get());
        }
        if (rcpt.recipient().isInternational() && !mail.command().parameters().smtpUtf8()) {
            return refuse(state, Reply.of(553, "5.6.7", "Must declare SMTPUTF8 to send unicode address"));
        }
        if (mail.recipients() >= limits.recipients()) {
            return excess(state, Reply.of(452, "4.5.3", "Too many recipients, at most " + limits.recipients()));
        }
        return mail.octets() + rcpt.octets() <= limits.envelopeSize().bytes()
                ? ProtocolStep.ask(state, new ProtocolAction.AskRecipient(rcpt))
                : excess(state, Reply.of(452, "4.5.3", "Too many recipients, their addresses exceed "
                        + limits.envelopeSize().bytes() + " octets"));
    }

    // RFC 5321 section 4.5.3.1.10: the client sends the remaining recipients in another
    // transaction. That is not an error, so as many as the limit are refused without being counted,
    // like Postfix (smtpd_recipient_overshoot_limit).
    private ProtocolStep excess(SessionState state, Reply refusal) {
        SessionState next = state.withExcessRecipient();
        return next.mail().orElseThrow().excess() > limits.recipients()
                ? junk(next, refusal)
                : ProtocolStep.reply(refusal, next);
    }

    /// Policy and message handler have decided about the recipient.
    public ProtocolStep recipient(SessionState state, Command.Rcpt rcpt, Optional<Reply> refusal) {
        return refusal.isPresent()
                ? refuse(state, refusal.get())
                : ProtocolStep.reply(RECIPIENT_OK, state.withRecipient(rcpt.octets()));
    }

    /// The memory budget is spent for this recipient. The message's other recipients stay, so this
    /// one is excess like those beyond the limits.
    public ProtocolStep noMemory(SessionState state) {
        return excess(state, NO_MEMORY);
    }

    private ProtocolStep data(SessionState state) {
        if (state.mail().isEmpty()) {
            return refuse(state, Reply.of(503, "5.5.1", "Error: need MAIL command"));
        }
        SessionState.Mail mail = state.mail().get();
        if (mail.chunks()) {
            // RFC 3030 section 2: DATA and BDAT exclude each other.
            return refuse(state, Reply.of(503, "5.5.1", "Error: DATA not permitted after BDAT"));
        }
        if (mail.command().parameters().body().equals(Optional.of(BodyType.BINARY_MIME))) {
            // RFC 3030 section 3.
            return refuse(state, Reply.of(503, "5.5.1", "Error: BODY=BINARYMIME requires BDAT"));
        }
        return mail.recipients() == 0
                ? withoutRecipients(state)
                : ProtocolStep.ask(state, new ProtocolAction.TakeData());
    }

    // RFC 5321 section 3.3 permits 554; RFC 2033 section 4.2 requires 503.
    private ProtocolStep withoutRecipients(SessionState state) {
        return refuse(state.withoutMail(), noRecipients()).then(new ProtocolAction.ResetTransaction());
    }

    private Reply noRecipients() {
        int code = service.dialect() == ServicePolicy.Dialect.LMTP ? 503 : 554;
        return Reply.of(code, "5.5.1", "No valid recipients");
    }

    private ProtocolStep bdat(SessionState state, Command.Bdat bdat) {
        if (!offer.has(Extension.CHUNKING, state)) {
            return refuseChunk(state, bdat, notImplemented("BDAT"));
        }
        if (bdat.bytes().isEmpty()) {
            return refuseChunk(state, bdat, Reply.of(501, "5.5.4", "Syntax: BDAT size [LAST]"));
        }
        if (state.mail().isEmpty()) {
            return refuseChunk(state, bdat, Reply.of(503, "5.5.1", "Error: need MAIL command"));
        }
        if (state.mail().get().recipients() == 0) {
            return refuseChunk(state.withoutMail(), bdat, noRecipients());
        }
        long bytes = bdat.bytes().getAsLong();
        return bytes > limits.endlessBytes()
                ? refuseChunk(state, bdat,
                        Reply.of(552, "5.3.4",
                                "Message size exceeds fixed limit of " + limits.messageSize().bytes() + " octets"))
                : ProtocolStep.ask(state, new ProtocolAction.TakeChunk(bytes, bdat.last()));
    }

    // RFC 3030 section 2: even a refused chunk is read. Without a valid length its end is unknown,
    // and an excessive one is not worth reading; then the session ends.
    private ProtocolStep refuseChunk(SessionState state, Command.Bdat bdat, Reply refusal) {
        return bdat.bytes().isEmpty() || bdat.bytes().getAsLong() > limits.endlessBytes()
                ? ProtocolStep.close(refusal, state)
                : ProtocolStep.ask(state, new ProtocolAction.SkipChunk(bdat.bytes().getAsLong(), refusal));
    }

    /// A refused chunk has been read.
    public ProtocolStep skipped(SessionState state, Reply refusal) {
        return refuse(state, refusal);
    }

    /// A chunk other than the last has been received, or was refused, which ends the transaction.
    ///
    /// @param fault true when the refusal is the client's fault
    public ProtocolStep chunk(SessionState state, long bytes, Optional<Reply> refusal, boolean fault) {
        if (refusal.isPresent()) {
            SessionState next = state.withoutMail();
            return (fault ? refuse(next, refusal.get()) : closing(refusal.get(), next))
                    .then(new ProtocolAction.ResetTransaction());
        }
        Reply received = Reply.of(250, "2.0.0", bytes + " octets received");
        return bytes == 0 ? junk(state.withChunk(), received) : ProtocolStep.reply(received, state.withChunk());
    }

    /// The message is complete and durable, or refused. LMTP replies for each recipient (RFC 2033
    /// section 4.2).
    ///
    /// @param fault true when the refusal is the client's fault
    public ProtocolStep content(SessionState state, Reply answer, boolean fault) {
        int recipients = state.mail().map(SessionState.Mail::recipients).orElse(1);
        int times = service.dialect() == ServicePolicy.Dialect.LMTP ? recipients : 1;
        SessionState next = state.withoutMail();
        List<Reply> replies = Collections.nCopies(times, answer);
        if (answer.isPositive()) {
            return new ProtocolStep(replies, next.withJunk(0), new ProtocolAction.ReadCommand());
        }
        ProtocolStep last = fault ? refuse(next, answer) : closing(answer, next);
        List<Reply> all = new ArrayList<>(replies.subList(1, times));
        all.addAll(last.replies());
        return new ProtocolStep(all, last.next(), last.action());
    }

    private ProtocolStep startTls(SessionState state) {
        if (state.tls()) {
            return refuse(state, Reply.of(503, "5.5.1", "Error: TLS already active"));
        }
        return offer.has(Extension.STARTTLS, state)
                ? ProtocolStep.ask(state, new ProtocolAction.Encrypt())
                : refuse(state, notImplemented("STARTTLS"));
    }

    /// The handshake is done.
    public ProtocolStep encrypted(SessionState state) {
        return new ProtocolStep(List.of(), state.withTls(), new ProtocolAction.ResetTransaction());
    }

    private ProtocolStep auth(SessionState state, Command.Auth auth) {
        boolean served = service.authentication() != ServicePolicy.Authentication.NONE;
        if (!served || state.user().isEmpty() && !offer.has(Extension.AUTH, state)
                && (state.tls() || service.authenticationInClear())) {
            return refuse(state, notImplemented("AUTH"));
        }
        if (state.user().isPresent() || state.mail().isPresent()) {
            // RFC 4954 section 4: once, and outside of a transaction.
            return refuse(state, Reply.of(503, "5.5.1", state.user().isPresent()
                    ? "Error: already authenticated"
                    : "Error: MAIL transaction in progress"));
        }
        if (!offer.has(Extension.AUTH, state)) {
            return refuse(state,
                    Reply.of(538, "5.7.11", "Encryption required for requested authentication mechanism"));
        }
        if (state.helo().isEmpty()) {
            return refuse(state, Reply.of(503, "5.5.1", "Error: send HELO/EHLO first"));
        }
        return offer.mechanisms(state).contains(auth.mechanism())
                ? ProtocolStep.ask(state, new ProtocolAction.Authenticate(auth))
                : refuse(state, Reply.of(504, "5.5.4", "Unrecognized authentication type"));
    }

    public ProtocolStep authenticated(SessionState state, String user) {
        return ProtocolStep.reply(Reply.of(235, "2.7.0", "Authentication successful"), state.withUser(user));
    }

    public ProtocolStep notAuthenticated(SessionState state, Reply refusal) {
        return refuse(state, refusal);
    }

    private ProtocolStep etrn(SessionState state, String node) {
        if (!offer.has(Extension.ETRN, state)) {
            return refuse(state, notImplemented("ETRN"));
        }
        if (state.helo().isEmpty() || state.mail().isPresent()) {
            return refuse(state, Reply.of(503, "5.5.1", state.helo().isEmpty()
                    ? "Error: send HELO/EHLO first"
                    : "Error: MAIL transaction in progress"));
        }
        return ProtocolStep.ask(state, new ProtocolAction.Wake(node));
    }

    /// The result of a command that brings no mail.
    public ProtocolStep answered(SessionState state, Reply answer) {
        return answer.isPositive() ? junk(state, answer) : refuse(state, answer);
    }

    private ProtocolStep xclient(SessionState state, Command.Xclient xclient) {
        if (!service.extensions().contains(Extension.XCLIENT)) {
            return refuse(state, notImplemented("XCLIENT"));
        }
        if (!state.xclientPermitted()) {
            return refuse(state, Reply.of(550, "5.7.0", "Error: insufficient authorization"));
        }
        return state.mail().isPresent()
                ? refuse(state, Reply.of(503, "5.5.1", "Error: MAIL transaction in progress"))
                : ProtocolStep.ask(state, new ProtocolAction.Impersonate(xclient));
    }

    /// XCLIENT has replaced the client, which gets a new greeting.
    public ProtocolStep impersonated(SessionState state, Optional<String> helo, Optional<String> user) {
        return ProtocolStep.reply(greeting(), state.restarted(helo, user)).then(new ProtocolAction.ResetTransaction());
    }

    /// RFC 5321 section 4.2: the greeting names the server; RFC 2033 section 4.1: and its protocol. It
    /// names no version (RFC 5321 section 7.5).
    public Reply greeting() {
        return Reply.of(220, hostname + (service.dialect() == ServicePolicy.Dialect.LMTP ? " LMTP" : " ESMTP")
                + " Slipstream");
    }

    /// A negative reply to an error of the client.
    public ProtocolStep refuse(SessionState state, Reply reply) {
        SessionState next = state.withError();
        ProtocolStep step = closing(reply, next);
        return step.action() instanceof ProtocolAction.Close || next.errors() < limits.errors()
                ? step
                : new ProtocolStep(List.of(reply, Reply.of(421, "4.7.0", hostname + " Too many errors")), next,
                        new ProtocolAction.Close(true));
    }

    // A 421 or 521 always ends the session (RFC 5321 section 3.8, RFC 7504).
    private static ProtocolStep closing(Reply reply, SessionState next) {
        return reply.code() == 421 || reply.code() == 521
                ? ProtocolStep.close(reply, next)
                : ProtocolStep.reply(reply, next);
    }

    private ProtocolStep junk(SessionState state, Reply reply) {
        SessionState next = state.withJunk(state.junk() + 1);
        return next.junk() > limits.junkCommands()
                ? ProtocolStep.close(Reply.of(421, "4.7.0", hostname + " Too many commands without mail"), next)
                : ProtocolStep.reply(reply, next);
    }

    /// RFC 5321 section 4.2.4.
    private static Reply notImplemented(String verb) {
        return Reply.of(502, "5.5.1", verb + " command not implemented");
    }
}
