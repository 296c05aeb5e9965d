package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.CommandParser;
import org.slipstream.smtpin.data.Pace;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// One session, on its own virtual thread, from the greeting to the last reply: line in, command, reply out.
///
/// This is the one place that replies, counts and logs. What a line means is [CommandParser]'s business, what happens to a
/// message in DATA is [Intake]'s, and whether somebody may send or receive is decided behind the [MailDoor].
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
    private final InetAddress address;
    private final Wire wire;
    private final MailDoor door;
    private final ListenerConfig config;
    private final Tuning tuning;
    private final LongSupplier idleMillis;
    private final BooleanSupplier stopping;
    private final CommandParser parser;
    private final AtomicReference<Floor> floor = new AtomicReference<>(Floor.SERVING);

    private Optional<String> helo = Optional.empty();
    private boolean extended;
    private Optional<String> tls = Optional.empty();
    private Optional<Transaction> transaction = Optional.empty();
    private int errors;
    private int junk;
    private int transactions;
    private boolean open = true;
    private boolean weHungUp;

    /// @param idleMillis how long a command is waited for, asked anew for each
    /// @param stopping true from the moment on in which no new transaction may begin
    Conversation(long number, InetAddress address, Wire wire, MailDoor door, ListenerConfig config, Tuning tuning,
            LongSupplier idleMillis, BooleanSupplier stopping) {
        this.number = number;
        this.address = address;
        this.wire = wire;
        this.door = door;
        this.config = config;
        this.tuning = tuning;
        this.idleMillis = idleMillis;
        this.stopping = stopping;
        this.parser = new CommandParser(config.hostname());
    }

    /// Talks until one side has had enough. The client's troubles end here, ours too.
    void run() {
        try {
            greet();
            while (open) {
                turn();
            }
        } catch (SocketTimeoutException slow) {
            lastReply(Reply.of(421, "4.4.2", config.hostname() + " You are too slow, closing"));
        } catch (IOException gone) {
            log.debug("session={} client={} gone=\"{}\"", number, literal(), gone.toString());
        } catch (RuntimeException broken) {
            log.error("session={} client={} failed", number, literal(), broken);
            lastReply(Reply.of(421, "4.3.0", config.hostname() + " Something is broken here, closing"));
        }
        if (weHungUp && floor.get() != Floor.DISMISSED) {
            wire.closeSoftly(tuning.lastWord());
        }
    }

    /// Ends this session with 421 if it is idle. Called by the thread that stops the listener.
    void dismiss() {
        if (floor.compareAndSet(Floor.WAITING, Floor.DISMISSED)) {
            try {
                wire.say(shuttingDown());
                wire.flush();
            } catch (IOException gone) {
                log.debug("session={} client={} gone=\"{}\"", number, literal(), gone.toString());
            } finally {
                wire.cut();
            }
        }
    }

    /// Ends what cannot end itself: a client that reads no replies, or never finishes its TLS handshake.
    void cutIfStuck() {
        if (wire.isStuck(config.idleMillis() * 1_000_000)) {
            log.info("session={} client={} cut=\"client takes no replies\"", number, literal());
            wire.cut();
        }
    }

    /// Ends the session whatever it is doing.
    void cut() {
        wire.cut();
    }

    private void greet() throws IOException {
        if (wire.clientIsAhead()) {
            hangUp(Reply.of(554, "5.5.0", config.hostname() + " You talk before the greeting"));
        } else {
            wire.say(Reply.of(220, config.hostname() + " ESMTP Slipstream"));
        }
    }

    private void turn() throws IOException {
        Optional<Wire.Line> line = transaction.isPresent() ? Optional.of(readLine()) : readLineOrBeDismissed();
        if (line.isEmpty()) {
            return;
        }
        switch (line.get()) {
            case Wire.Line.Text(String text) -> obey(parser.parse(text));
            case Wire.Line.TooLong() -> refuse(
                    Reply.of(500, "5.5.2", "Line too long, at most " + config.commandBytes() + " octets"));
            case Wire.Line.Broken() -> hangUp(
                    Reply.of(521, "5.5.2", config.hostname() + " Lines end with CRLF and nothing else"));
            case Wire.Line.End() -> open = false;
        }
    }

    private Optional<Wire.Line> readLineOrBeDismissed() throws IOException {
        floor.set(Floor.WAITING);
        if (stopping.getAsBoolean()) {
            if (floor.compareAndSet(Floor.WAITING, Floor.SERVING)) {
                hangUp(shuttingDown());
            }
            open = false;
            return Optional.empty();
        }
        Wire.Line line = readLine();
        if (!floor.compareAndSet(Floor.WAITING, Floor.SERVING)) {
            open = false;
            return Optional.empty();
        }
        return Optional.of(line);
    }

    private Wire.Line readLine() throws IOException {
        return wire.readLine(config.commandBytes(), idleMillis.getAsLong() * 1_000_000);
    }

    private void obey(Command command) throws IOException {
        switch (command) {
            case Command.Hello hello -> hello(hello);
            case Command.Mail mail -> mail(mail);
            case Command.Rcpt(Address recipient) -> rcpt(recipient);
            case Command.Data() -> data();
            case Command.Bdat bdat -> bdat(bdat);
            case Command.StartTls() -> startTls();
            case Command.Rset() -> {
                transaction = Optional.empty();
                answerJunk(Reply.of(250, "2.0.0", "Ok"));
            }
            case Command.Noop() -> answerJunk(Reply.of(250, "2.0.0", "Ok"));
            // RFC 5321 section 3.5.3: who has a mailbox here is nobody's business; 252 keeps clients going that ask.
            case Command.Vrfy() -> answerJunk(Reply.of(252, "2.0.0", "Send some mail, I will try my best"));
            case Command.Help() -> answerJunk(Reply.of(214, "2.0.0", "See RFC 5321"));
            case Command.Quit() -> {
                say(Reply.of(221, "2.0.0", "Bye"));
                open = false;
            }
            case Command.Unserved(String verb) -> refuse(Reply.of(502, "5.5.1", verb + " is not served here"));
            case Command.Foreign(String verb) -> hangUp(
                    Reply.of(554, "5.5.0", config.hostname() + " This is SMTP, " + verb + " is not"));
            case Command.Wrong(String verb, Reply reply) -> wrong(verb, reply);
        }
        // RFC 2920 section 3.2: replies to these may be collected, replies to all others must not.
        if (!(command instanceof Command.Mail || command instanceof Command.Rcpt || command instanceof Command.Rset)) {
            wire.flush();
        }
    }

    private void hello(Command.Hello hello) throws IOException {
        helo = Optional.of(hello.name());
        extended = hello.extended();
        transaction = Optional.empty();
        answerJunk(extended ? extensions() : Reply.of(250, config.hostname()));
    }

    private Reply extensions() {
        List<String> lines = new ArrayList<>(List.of(config.hostname(), "PIPELINING", "SIZE " + config.messageBytes(),
                "8BITMIME", "ENHANCEDSTATUSCODES"));
        if (config.tls().isPresent() && !wire.isTls()) {
            lines.add("STARTTLS");
        }
        return new Reply(250, Optional.empty(), lines);
    }

    private void mail(Command.Mail mail) throws IOException {
        if (helo.isEmpty()) {
            refuse(Reply.of(503, "5.5.1", "Say EHLO first"));
        } else if (transaction.isPresent()) {
            refuse(Reply.of(503, "5.5.1", "One message at a time, RSET forgets this one"));
        } else if (transactions >= config.messagesPerConnection()) {
            hangUp(Reply.of(421, "4.7.0", config.hostname() + " Enough messages for one connection"));
        } else if (mail.declaredBytes() > config.messageBytes()) {
            refuseMail(Reply.of(552, "5.3.4", "Message too big, at most " + config.messageBytes() + " octets"),
                    from(mail.sender()));
        } else {
            switch (door.sender(client(), mail.sender(), mail.declaredBytes())) {
                case MailDoor.Verdict.Refuse(Reply reply) -> refuseMail(reply, from(mail.sender()));
                case MailDoor.Verdict.Accept() -> {
                    transactions++;
                    transaction = Optional.of(new Transaction(mail.sender(), mail.body()));
                    say(Reply.of(250, "2.1.0", "Ok"));
                }
            }
        }
    }

    private void rcpt(Address recipient) throws IOException {
        if (transaction.isEmpty()) {
            refuse(Reply.of(503, "5.5.1", "MAIL comes first"));
            return;
        }
        Transaction mail = transaction.get();
        String whose = from(mail.sender()) + " to=<" + recipient + ">";
        if (mail.recipients() >= config.recipients()) {
            // RFC 5321 section 4.5.3.1.10: the client sends the rest in another transaction. That is no error.
            Reply reply = Reply.of(452, "4.5.3", "Too many recipients, at most " + config.recipients());
            logRefusal(reply, whose);
            say(reply);
            return;
        }
        switch (door.recipient(client(), mail.sender(), recipient)) {
            case MailDoor.Verdict.Refuse(Reply reply) -> refuseMail(reply, whose);
            case MailDoor.Verdict.Accept() -> {
                mail.add(recipient);
                say(Reply.of(250, "2.1.5", "Ok"));
            }
        }
    }

    private void data() throws IOException {
        if (transaction.isEmpty()) {
            refuse(Reply.of(503, "5.5.1", "MAIL comes first"));
            return;
        }
        Transaction mail = transaction.get();
        transaction = Optional.empty();
        if (mail.recipients() == 0) {
            refuse(Reply.of(554, "5.5.1", "No valid recipients"));
            return;
        }
        MailDoor.DraftLetter draft;
        try {
            draft = door.draft(client());
        } catch (IOException trouble) {
            answerTrouble(trouble, door.troubleReply(trouble));
            return;
        }
        try (Intake intake = new Intake(config, draft, door::troubleReply)) {
            say(Reply.of(354, "End data with <CR><LF>.<CR><LF>"));
            wire.flush();
            intake.begin(ReceivedLine.compose(client(), config.hostname(), intake.id(), mail.onlyRecipient(),
                    tuning.clock().instant()));
            receive(intake);
            conclude(intake, mail);
        }
    }

    /// Returns at the end of the message, or when the client has shown that it will never come.
    ///
    /// @throws IOException when the client has left in the middle: then there is no message
    private void receive(Intake intake) throws IOException {
        Pace pace = newPace();
        while (!intake.isComplete() && !intake.isEndless()) {
            boolean here;
            try {
                here = await(pace, intake.isAmbiguous());
            } catch (SocketTimeoutException silent) {
                if (intake.isAmbiguous()) {
                    return;
                }
                throw silent;
            }
            if (!here) {
                throw Wire.gone();
            }
            wire.consumeTo(intake.take(wire.buffer(), wire.from(), wire.to()));
        }
    }

    private boolean await(Pace pace, boolean briefly) throws IOException {
        long start = System.nanoTime();
        long patience = pace.patienceNanos();
        boolean here = wire.await(briefly ? Math.min(patience, tuning.lastWord().toNanos()) : patience);
        pace.waited(System.nanoTime() - start, wire.to() - wire.from());
        return here;
    }

    private Pace newPace() {
        return new Pace(config.dataMinimumBytesPerSecond(), tuning.dataCredit().toNanos());
    }

    private void conclude(Intake intake, Transaction mail) throws IOException {
        Optional<Reply> refusal = intake.isComplete() ? intake.finish(mail) : intake.refusal();
        if (refusal.isEmpty()) {
            junk = 0;
            log.info("queue={} session={} client={} helo={}{} rcpts={} size={} msg=accepted", intake.id(), number,
                    literal(), helo.orElse(""), from(mail.sender()), mail.recipients(), intake.sizeBytes());
            say(Reply.of(250, "2.0.0", "queued as " + intake.id()));
        } else if (intake.trouble().isPresent()) {
            answerTrouble(intake.trouble().get(), refusal.get());
        } else if (intake.isComplete()) {
            refuseMail(refusal.get(), from(mail.sender()));
        } else {
            hangUp(refusal.get());
        }
    }

    /// Takes the chunk of a BDAT out of the stream, so that nobody's message is read as commands (RFC 3030 section 2: even a
    /// refused chunk is discarded). Where it ends nobody knows when its length cannot be read; then the session ends.
    private void bdat(Command.Bdat bdat) throws IOException {
        Reply refusal = Reply.of(502, "5.5.1", "BDAT is not served here");
        if (bdat.bytes().isEmpty() || bdat.bytes().getAsLong() > config.messageBytes()) {
            hangUp(refusal);
            return;
        }
        Pace pace = newPace();
        long left = bdat.bytes().getAsLong();
        while (left > 0) {
            if (!await(pace, false)) {
                throw Wire.gone();
            }
            int taken = (int) Math.min(left, wire.to() - wire.from());
            wire.consumeTo(wire.from() + taken);
            left -= taken;
        }
        refuse(refusal);
    }

    private void startTls() throws IOException {
        if (config.tls().isEmpty()) {
            refuse(Reply.of(502, "5.5.1", "STARTTLS is not served here"));
        } else if (wire.isTls()) {
            refuse(Reply.of(503, "5.5.1", "This is TLS already"));
        } else if (wire.clientIsAhead()) {
            // Commands that somebody put into the stream before it was encrypted (CVE-2011-0411).
            hangUp(Reply.of(554, "5.5.0", config.hostname() + " You talk in clear text after STARTTLS"));
        } else {
            say(Reply.of(220, "2.0.0", "Ready to start TLS"));
            upgrade();
        }
    }

    private void upgrade() {
        try {
            tls = Optional.of(wire.startTls(config.idleMillis() * 1_000_000));
            // RFC 3207 section 4.2: whatever the client said in clear text was never said.
            helo = Optional.empty();
            extended = false;
            transaction = Optional.empty();
        } catch (IOException e) {
            log.info("session={} client={} tls=\"{}\"", number, literal(), e.toString());
            open = false;
        }
    }

    private void wrong(String verb, Reply reply) throws IOException {
        if (verb.equals("MAIL") || verb.equals("RCPT")) {
            refuseMail(reply, "");
        } else {
            refuse(reply);
        }
    }

    private void answerJunk(Reply reply) throws IOException {
        junk++;
        if (junk > config.junkCommands()) {
            hangUp(Reply.of(421, "4.7.0", config.hostname() + " Too many commands without mail"));
        } else {
            say(reply);
        }
    }

    private void refuseMail(Reply reply, String whose) throws IOException {
        logRefusal(reply, whose);
        refuse(reply);
    }

    private void refuse(Reply reply) throws IOException {
        errors++;
        say(reply);
        if (open && errors >= config.errors()) {
            hangUp(Reply.of(421, "4.7.0", config.hostname() + " Too many errors"));
        }
    }

    // Not the client's fault: it does not count as an error.
    private void answerTrouble(IOException trouble, Reply reply) throws IOException {
        log.warn("session={} client={} reply=\"{}\" trouble=\"{}\"", number, literal(), quotable(reply),
                trouble.toString());
        say(reply);
    }

    private void hangUp(Reply reply) throws IOException {
        log.info("session={} client={} reply=\"{}\" msg=closed", number, literal(), quotable(reply));
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
            log.debug("session={} client={} gone=\"{}\"", number, literal(), gone.toString());
        }
    }

    /// Every reply carries an enhanced status but the greeting, EHLO's and 354 (RFC 2034 section 4). A 421 or 521 ends the
    /// session, whoever composed it (RFC 5321 section 3.8, RFC 7504).
    private void say(Reply reply) throws IOException {
        boolean bare = reply.status().isEmpty() && !reply.isPositive();
        wire.say(bare ? new Reply(reply.code(), Optional.of(reply.statusOrGeneral()), reply.lines()) : reply);
        if (reply.code() == 421 || reply.code() == 521) {
            open = false;
            weHungUp = true;
        }
    }

    /// @param whose ` from=<…>` and ` to=<…>` as far as known
    private void logRefusal(Reply reply, String whose) {
        log.info("session={} client={} helo={}{} reply=\"{}\"", number, literal(), helo.orElse(""), whose,
                quotable(reply));
    }

    private static String from(Optional<Address> sender) {
        return " from=<" + sender.map(Address::toString).orElse("") + ">";
    }

    private static String quotable(Reply reply) {
        return reply.toString().replace('"', '\'');
    }

    private Reply shuttingDown() {
        return Reply.of(421, "4.3.2", config.hostname() + " Shutting down, try again later");
    }

    private Client client() {
        return new Client(number, address, helo, extended, tls, Optional.empty(), config.service());
    }

    private String literal() {
        return ReceivedLine.literal(address);
    }
}
