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

/// The server's side of SMTP as a function: where a session stands and what the client says, in; what it is told, where the
/// session stands then and what has to be done, out.
///
/// The order of commands is RFC 5321 section 4.1.4's; what the client may want depends on the [ServiceOffer]. Whatever needs the world (who
/// may send, what is in the message, whether a password is right) leaves as an [ProtocolAction], and its answer comes back through a
/// method of its own, so that nothing is decided twice and no reply is composed elsewhere.
///
/// Two counters end a session that goes nowhere: negative replies, and commands that bring no mail, empty chunks and endless
/// excess recipients among them. Only an accepted message makes up for the second.
public final class ServerProtocol {
    /// What is said when the memory that all transactions share is spent (RFC 5321 section 4.5.3.1.10 has 452 for it).
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

    /// @param now only to judge times that the client names
    public ProtocolStep decide(SessionState state, Command command, Instant now) {
        Optional<Reply> notYet = notYet(state, command);
        if (notYet.isPresent()) {
            // What follows a refused BDAT is a chunk all the same.
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
            case Command.Rset() -> junk(state.withoutMail(), OK).then(new ProtocolAction.Forget());
            case Command.Noop() -> junk(state, OK);
            // RFC 5321 section 3.5.3: who has a mailbox here is nobody's business; 252 keeps clients going that ask.
            case Command.Vrfy() -> junk(state, Reply.of(252, "2.0.0", "Send some mail, I will try my best"));
            case Command.Expn() -> refuse(state, unserved("EXPN"));
            case Command.Help() -> junk(state, Reply.of(214, "2.0.0", "See RFC 5321"));
            case Command.Quit() -> new ProtocolStep(List.of(Reply.of(221, "2.0.0", "Bye")), state.withoutMail(),
                    new ProtocolAction.Close(false));
            case Command.Unserved(String verb) -> refuse(state, unserved(verb));
            case Command.Foreign(String verb) -> ProtocolStep.hangUp(
                    Reply.of(554, "5.5.0", hostname + " This is SMTP, " + verb + " is not"), state);
            case Command.Wrong(String _, Reply reply) -> refuse(state, reply);
        };
    }

    // RFC 3207 section 4 and RFC 4954 section 6: 530 for whatever has to wait for TLS or for a login.
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
                : refuse(state, Reply.of(500, "5.5.1", "This is " + service.dialect() + ", say "
                        + (lmtp ? "LHLO" : "EHLO")));
    }

    /// The policy has heard the client's name.
    public ProtocolStep greeted(SessionState state, Command.Hello hello, Optional<Reply> refusal, Instant now) {
        if (refusal.isPresent()) {
            return refuse(state, refusal.get());
        }
        SessionState next = state.withHello(hello);
        return junk(next, hello.greeting() == Command.Greeting.HELO
                ? Reply.of(250, hostname)
                : offer.ehlo(next, now)).then(new ProtocolAction.Forget());
    }

    private ProtocolStep mail(SessionState state, Command.Mail mail, Instant now) {
        if (state.helo().isEmpty()) {
            return refuse(state, Reply.of(503, "5.5.1", "Say EHLO first"));
        }
        if (state.mail().isPresent()) {
            return refuse(state, Reply.of(503, "5.5.1", "One message at a time, RSET forgets this one"));
        }
        if (state.transactions() >= limits.messagesPerConnection()) {
            return ProtocolStep.hangUp(Reply.of(421, "4.7.0", hostname + " Enough messages for one connection"), state);
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
                    Reply.of(552, "5.3.4", "Message too big, at most " + limits.messageSize().bytes() + " octets"));
        }
        // RFC 6531 section 3.5.
        if (!said.smtpUtf8() && mail.sender().isPresent() && mail.sender().get().isInternational()) {
            return Optional.of(Reply.of(553, "5.6.7", "An address beyond ASCII needs SMTPUTF8"));
        }
        return wrongTime(said, now);
    }

    // RFC 4865 section 4 for a hold that is too long, RFC 2852 section 4 for a delivery that is wanted too soon.
    private Optional<Reply> wrongTime(MailParameters said, Instant now) {
        Instant latest = now.plusSeconds(service.holdSeconds());
        boolean tooLong = said.hold().filter(hold -> switch (hold) {
            case MailParameters.Hold.For(long seconds) -> seconds > service.holdSeconds();
            case MailParameters.Hold.Until(Instant time) -> time.isAfter(latest);
        }).isPresent();
        if (tooLong) {
            return Optional.of(Reply.of(501, "5.5.4", "Held for " + service.holdSeconds() + " seconds at most"));
        }
        boolean tooSoon = said.deliverBy()
                .filter(by -> by.returned() && by.seconds() < service.deliverBySeconds()).isPresent();
        return tooSoon
                ? Optional.of(Reply.of(501, "5.5.4", "Delivered within " + service.deliverBySeconds()
                        + " seconds at best"))
                : Optional.empty();
    }

    // RFC 5321 section 4.1.1.11. AUTH= belongs to the service and not to the moment: it comes when the login is long over.
    private Optional<Reply> unknown(SessionState state, Map<String, Extension> used) {
        if (used.isEmpty()) {
            return Optional.empty();
        }
        return used.entrySet().stream().filter(entry -> !offer.has(entry.getValue(), state)).map(Map.Entry::getKey)
                .sorted().findFirst().map(keyword -> Reply.of(555, "5.5.4", "Parameter not recognized: " + keyword));
    }

    /// Policy and house have heard the sender.
    public ProtocolStep sender(SessionState state, Command.Mail mail, Optional<Reply> refusal) {
        return refusal.isPresent()
                ? refuse(state, refusal.get())
                : ProtocolStep.say(SENDER_OK, state.withMail(mail));
    }

    private ProtocolStep rcpt(SessionState state, Command.Rcpt rcpt) {
        if (state.mail().isEmpty() || state.mail().get().chunks()) {
            return refuse(state, Reply.of(503, "5.5.1", "MAIL comes first"));
        }
        SessionState.Mail mail = state.mail().get();
        Optional<Reply> unknown = unknown(state, rcpt.parameters().used());
        if (unknown.isPresent()) {
            return refuse(state, unknown.get());
        }
        if (rcpt.recipient().isInternational() && !mail.command().parameters().smtpUtf8()) {
            return refuse(state, Reply.of(553, "5.6.7", "An address beyond ASCII needs SMTPUTF8"));
        }
        if (mail.recipients() >= limits.recipients()) {
            return excess(state, Reply.of(452, "4.5.3", "Too many recipients, at most " + limits.recipients()));
        }
        return mail.octets() + rcpt.octets() <= limits.envelopeSize().bytes()
                ? ProtocolStep.ask(state, new ProtocolAction.AskRecipient(rcpt))
                : excess(state, Reply.of(452, "4.5.3", "Too many recipients, their addresses have more than "
                        + limits.envelopeSize().bytes() + " octets"));
    }

    // RFC 5321 section 4.5.3.1.10: the client sends the rest in another transaction. That is no error, so as many again as
    // are permitted are refused without a consequence, as Postfix does (smtpd_recipient_overshoot_limit).
    private ProtocolStep excess(SessionState state, Reply refusal) {
        SessionState next = state.withExcessRecipient();
        return next.mail().orElseThrow().excess() > limits.recipients()
                ? junk(next, refusal)
                : ProtocolStep.say(refusal, next);
    }

    /// Policy and house have heard the recipient.
    public ProtocolStep recipient(SessionState state, Command.Rcpt rcpt, Optional<Reply> refusal) {
        return refusal.isPresent()
                ? refuse(state, refusal.get())
                : ProtocolStep.say(RECIPIENT_OK, state.withRecipient(rcpt.octets()));
    }

    /// There is no memory for this recipient. The others of the message are taken, so this one is excess like those beyond the limits.
    public ProtocolStep noMemory(SessionState state) {
        return excess(state, NO_MEMORY);
    }

    private ProtocolStep data(SessionState state) {
        if (state.mail().isEmpty()) {
            return refuse(state, Reply.of(503, "5.5.1", "MAIL comes first"));
        }
        SessionState.Mail mail = state.mail().get();
        if (mail.chunks()) {
            // RFC 3030 section 2: DATA and BDAT do not mix.
            return refuse(state, Reply.of(503, "5.5.1", "This message comes in chunks"));
        }
        if (mail.command().parameters().body().equals(Optional.of(BodyType.BINARY_MIME))) {
            // RFC 3030 section 3.
            return refuse(state, Reply.of(503, "5.5.1", "BINARYMIME comes by BDAT"));
        }
        return mail.recipients() == 0 ? nobody(state) : ProtocolStep.ask(state, new ProtocolAction.TakeData());
    }

    // RFC 5321 section 3.3 lets us choose 554; RFC 2033 section 4.2 wants 503.
    private ProtocolStep nobody(SessionState state) {
        return refuse(state.withoutMail(), noRecipients()).then(new ProtocolAction.Forget());
    }

    private Reply noRecipients() {
        int code = service.dialect() == ServicePolicy.Dialect.LMTP ? 503 : 554;
        return Reply.of(code, "5.5.1", "No valid recipients");
    }

    private ProtocolStep bdat(SessionState state, Command.Bdat bdat) {
        if (!offer.has(Extension.CHUNKING, state)) {
            return refuseChunk(state, bdat, unserved("BDAT"));
        }
        if (bdat.bytes().isEmpty()) {
            return refuseChunk(state, bdat, Reply.of(501, "5.5.4", "Syntax: BDAT size [LAST]"));
        }
        if (state.mail().isEmpty()) {
            return refuseChunk(state, bdat, Reply.of(503, "5.5.1", "MAIL comes first"));
        }
        if (state.mail().get().recipients() == 0) {
            return refuseChunk(state.withoutMail(), bdat, noRecipients());
        }
        long bytes = bdat.bytes().getAsLong();
        return bytes > limits.endlessBytes()
                ? refuseChunk(state, bdat,
                        Reply.of(552, "5.3.4", "Message too big, at most " + limits.messageSize().bytes() + " octets"))
                : ProtocolStep.ask(state, new ProtocolAction.TakeChunk(bytes, bdat.last()));
    }

    // RFC 3030 section 2: even a refused chunk is read. Where it ends nobody knows when its length cannot be read, and nobody wants
    // to know when it is endless; then the session ends.
    private ProtocolStep refuseChunk(SessionState state, Command.Bdat bdat, Reply refusal) {
        return bdat.bytes().isEmpty() || bdat.bytes().getAsLong() > limits.endlessBytes()
                ? ProtocolStep.hangUp(refusal, state)
                : ProtocolStep.ask(state, new ProtocolAction.SkipChunk(bdat.bytes().getAsLong(), refusal));
    }

    /// A chunk that nobody wants has been read.
    public ProtocolStep skipped(SessionState state, Reply refusal) {
        return refuse(state, refusal);
    }

    /// A chunk that was not the last has been taken, or was refused, which ends the transaction.
    ///
    /// @param fault true when the refusal is the client's fault
    public ProtocolStep chunk(SessionState state, long bytes, Optional<Reply> refusal, boolean fault) {
        if (refusal.isPresent()) {
            SessionState next = state.withoutMail();
            return (fault ? refuse(next, refusal.get()) : closing(refusal.get(), next))
                    .then(new ProtocolAction.Forget());
        }
        Reply received = Reply.of(250, "2.0.0", bytes + " octets received");
        return bytes == 0 ? junk(state.withChunk(), received) : ProtocolStep.say(received, state.withChunk());
    }

    /// The message is complete and durable, or refused. LMTP hears of each recipient (RFC 2033 section 4.2).
    ///
    /// @param fault true when the refusal is the client's fault
    public ProtocolStep content(SessionState state, Reply answer, boolean fault) {
        int recipients = state.mail().map(SessionState.Mail::recipients).orElse(1);
        int times = service.dialect() == ServicePolicy.Dialect.LMTP ? recipients : 1;
        SessionState next = state.withoutMail();
        List<Reply> replies = Collections.nCopies(times, answer);
        if (answer.isPositive()) {
            return new ProtocolStep(replies, next.withJunk(0), new ProtocolAction.Listen());
        }
        ProtocolStep last = fault ? refuse(next, answer) : closing(answer, next);
        List<Reply> all = new ArrayList<>(replies.subList(1, times));
        all.addAll(last.replies());
        return new ProtocolStep(all, last.next(), last.action());
    }

    private ProtocolStep startTls(SessionState state) {
        if (state.tls()) {
            return refuse(state, Reply.of(503, "5.5.1", "This is TLS already"));
        }
        return offer.has(Extension.STARTTLS, state)
                ? ProtocolStep.ask(state, new ProtocolAction.Encrypt())
                : refuse(state, unserved("STARTTLS"));
    }

    /// The handshake is done.
    public ProtocolStep encrypted(SessionState state) {
        return new ProtocolStep(List.of(), state.withTls(), new ProtocolAction.Forget());
    }

    private ProtocolStep auth(SessionState state, Command.Auth auth) {
        boolean served = service.authentication() != ServicePolicy.Authentication.NONE;
        if (!served || state.user().isEmpty() && !offer.has(Extension.AUTH, state)
                && (state.tls() || service.authenticationInClear())) {
            return refuse(state, unserved("AUTH"));
        }
        if (state.user().isPresent() || state.mail().isPresent()) {
            // RFC 4954 section 4: once, and not in a transaction.
            return refuse(state, Reply.of(503, "5.5.1", "AUTH comes once, and before MAIL"));
        }
        if (!offer.has(Extension.AUTH, state)) {
            return refuse(state, Reply.of(538, "5.7.11", "Encryption required"));
        }
        if (state.helo().isEmpty()) {
            return refuse(state, Reply.of(503, "5.5.1", "Say EHLO first"));
        }
        return offer.mechanisms(state).contains(auth.mechanism())
                ? ProtocolStep.ask(state, new ProtocolAction.Authenticate(auth))
                : refuse(state, Reply.of(504, "5.5.4", "Mechanism not served"));
    }

    public ProtocolStep authenticated(SessionState state, String user) {
        return ProtocolStep.say(Reply.of(235, "2.7.0", "Authentication successful"), state.withUser(user));
    }

    public ProtocolStep notAuthenticated(SessionState state, Reply refusal) {
        return refuse(state, refusal);
    }

    private ProtocolStep etrn(SessionState state, String node) {
        if (!offer.has(Extension.ETRN, state)) {
            return refuse(state, unserved("ETRN"));
        }
        if (state.helo().isEmpty() || state.mail().isPresent()) {
            return refuse(state, Reply.of(503, "5.5.1", "ETRN comes after EHLO and outside a message"));
        }
        return ProtocolStep.ask(state, new ProtocolAction.Wake(node));
    }

    /// Somebody else has found the answer to a command that brings no mail.
    public ProtocolStep answered(SessionState state, Reply answer) {
        return answer.isPositive() ? junk(state, answer) : refuse(state, answer);
    }

    private ProtocolStep xclient(SessionState state, Command.Xclient xclient) {
        if (!service.extensions().contains(Extension.XCLIENT)) {
            return refuse(state, unserved("XCLIENT"));
        }
        if (!state.speaker()) {
            return refuse(state, Reply.of(550, "5.7.0", "You speak for yourself only"));
        }
        return state.mail().isPresent()
                ? refuse(state, Reply.of(503, "5.5.1", "XCLIENT comes outside a message"))
                : ProtocolStep.ask(state, new ProtocolAction.Impersonate(xclient));
    }

    /// Somebody else is the client now, and is greeted.
    public ProtocolStep impersonated(SessionState state, Optional<String> helo, Optional<String> user) {
        return ProtocolStep.say(greeting(), state.restarted(helo, user)).then(new ProtocolAction.Forget());
    }

    /// RFC 5321 section 4.2: the greeting names us; RFC 2033 section 4.1 its protocol.
    public Reply greeting() {
        return Reply.of(220, hostname + (service.dialect() == ServicePolicy.Dialect.LMTP ? " LMTP" : " ESMTP")
                + " Slipstream");
    }

    /// A negative reply that is the client's fault.
    public ProtocolStep refuse(SessionState state, Reply reply) {
        SessionState next = state.withError();
        ProtocolStep step = closing(reply, next);
        return step.action() instanceof ProtocolAction.Close || next.errors() < limits.errors()
                ? step
                : new ProtocolStep(List.of(reply, Reply.of(421, "4.7.0", hostname + " Too many errors")), next,
                        new ProtocolAction.Close(true));
    }

    // A 421 or 521 ends the session, whoever composed it (RFC 5321 section 3.8, RFC 7504).
    private static ProtocolStep closing(Reply reply, SessionState next) {
        return reply.code() == 421 || reply.code() == 521
                ? ProtocolStep.hangUp(reply, next)
                : ProtocolStep.say(reply, next);
    }

    private ProtocolStep junk(SessionState state, Reply reply) {
        SessionState next = state.withJunk(state.junk() + 1);
        return next.junk() > limits.junkCommands()
                ? ProtocolStep.hangUp(Reply.of(421, "4.7.0", hostname + " Too many commands without mail"), next)
                : ProtocolStep.say(reply, next);
    }

    private static Reply unserved(String verb) {
        return Reply.of(502, "5.5.1", verb + " is not served here");
    }
}
