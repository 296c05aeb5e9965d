package org.slipstream.cli.sendmail;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.FailureWords;
import org.slipstream.core.Reply;
import org.slipstream.core.SettingsRecords;
import org.slipstream.local.maildrop.DropEnvelope;
import org.slipstream.local.maildrop.DropFileWriter;
import org.slipstream.local.maildrop.MaildropFolder;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.CommandParser;
import org.slipstream.smtpin.command.Extension;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpin.protocol.ProtocolAction;
import org.slipstream.smtpin.protocol.ProtocolAction.Impersonate;
import org.slipstream.smtpin.protocol.ProtocolAction.Wake;
import org.slipstream.smtpin.protocol.ProtocolStep;
import org.slipstream.smtpin.protocol.ServerProtocol;
import org.slipstream.smtpin.protocol.ServiceOffer;
import org.slipstream.smtpin.protocol.ServicePolicy;
import org.slipstream.smtpin.protocol.SessionState;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// `sendmail -bs`: SMTP on standard input and output, for programs that know nothing else. The dialogue is
/// that of the server ([ServerProtocol]) without TLS and login.
///
/// Messages go into the maildrop like those of other calls, so the user is the one who runs the program, and
/// no command checks more than the form of an address. Local trouble ends the dialogue.
public final class SmtpOnStandardInput {
    private static final int MOST_LINE_BYTES = 1 << 20;
    private static final String HOSTNAME = "localhost";
    private static final ServicePolicy SERVICE = ServicePolicy.mx().withTurns(false, 0).with(Extension.SMTPUTF8)
            .without(Extension.SIZE);
    /// The process belongs to one user, so the number of messages has no limit.
    private static final Limits LIMITS = SettingsRecords.with(Limits.standard(), "messagesPerConnection",
            Integer.MAX_VALUE);
    /// A user of this host may be named without a domain, which the grammar of SMTP requires.
    private static final Pattern BARE_NAME = Pattern.compile("((?:MAIL FROM|RCPT TO): *<[^<>@]+)(>.*)",
            Pattern.CASE_INSENSITIVE);
    private static final String NO_DOMAIN = "@unqualified.invalid";

    private final CommandParser parser = new CommandParser(HOSTNAME);
    private final ServerProtocol protocol = new ServerProtocol(SERVICE, LIMITS, HOSTNAME,
            new ServiceOffer(SERVICE, LIMITS, HOSTNAME, false, List.of(), List.of()));
    private final MaildropFolder maildrop;
    private final CallingUser user;
    private final InputStream in;
    private final PrintStream out;
    private final List<String> recipients = new ArrayList<>();
    private SessionState state = SessionState.start(false, false);
    private boolean open = true;

    public SmtpOnStandardInput(MaildropFolder maildrop, CallingUser user, InputStream in, PrintStream out) {
        this.maildrop = maildrop;
        this.user = user;
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.out = out;
    }

    /// Returns after QUIT or at the end of the input.
    public void run() throws SendmailException {
        // A program need not say HELO.
        state = protocol.greeted(state, new Command.Hello(HOSTNAME, Command.Greeting.HELO), Optional.empty(),
                Instant.now()).next();
        try {
            send(protocol.greeting());
            for (Optional<String> line = line(); line.isPresent(); line = open ? line() : Optional.empty()) {
                apply(protocol.decide(state, parser.parse(BARE_NAME.matcher(line.get()).replaceFirst("$1" + NO_DOMAIN
                        + "$2")), Instant.now()));
            }
        } catch (IOException broken) {
            throw new SendmailException(SysExit.IO_ERROR, "the dialogue broke off: " + FailureWords.of(broken), broken);
        }
    }

    private void send(Reply reply) {
        out.print(reply.toWire());
        out.flush();
    }

    private void apply(ProtocolStep step) throws IOException {
        step.replies().forEach(this::send);
        state = step.next();
        switch (step.action()) {
            case ProtocolAction.ReadCommand _,ProtocolAction.ResetTransaction _ -> {
            }
            case ProtocolAction.Close _ -> open = false;
            case ProtocolAction.AskHello(Command.Hello hello) ->
                apply(protocol.greeted(state, hello, Optional.empty(), Instant.now()));
            case ProtocolAction.AskSender(Command.Mail mail) -> {
                recipients.clear();
                apply(protocol.sender(state, mail, Optional.empty()));
            }
            case ProtocolAction.AskRecipient(Command.Rcpt rcpt) -> {
                recipients.add(text(rcpt.recipient()));
                apply(protocol.recipient(state, rcpt, Optional.empty()));
            }
            case ProtocolAction.TakeData _ -> data();
            case ProtocolAction.SkipChunk(long bytes, Reply refusal) -> {
                in.skipNBytes(bytes);
                apply(protocol.skipped(state, refusal));
            }
            case ProtocolAction.TakeChunk _,ProtocolAction.Encrypt _,ProtocolAction.Authenticate _,Wake _,Impersonate _ ->
                throw new IllegalStateException("not offered: " + step.action());
        }
    }

    private static String text(Address address) {
        String text = address.toString();
        return text.endsWith(NO_DOMAIN) ? text.substring(0, text.length() - NO_DOMAIN.length()) : text;
    }

    private void data() throws IOException {
        send(Reply.of(354, "End data with <CR><LF>.<CR><LF>"));
        Command.Mail mail = state.mail().orElseThrow().command();
        DropEnvelope envelope = new DropEnvelope(mail.sender().map(SmtpOnStandardInput::text).orElse(""),
                user.fullName(), recipients, Set.of(), DsnReturn.UNSPECIFIED, Optional.empty(),
                mail.parameters().body().orElse(BodyType.SEVEN_BIT));
        try (DropFileWriter file = maildrop.write(envelope)) {
            copy(file);
            file.finish();
        }
        apply(protocol.content(state, Reply.of(250, "2.0.0", "Ok: in the maildrop"), false));
    }

    /// The content without its dots, which a client doubles at the beginning of a line.
    private void copy(DropFileWriter file) throws IOException {
        for (Optional<String> line = line(); !line.equals(Optional.of(".")); line = line()) {
            String text = line.orElseThrow(() -> new IOException("no end of the message"));
            String unstuffed = text.startsWith(".") ? text.substring(1) : text;
            file.write((unstuffed + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /// A line without its end, one character per octet; empty at the end of the input.
    private Optional<String> line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int c = in.read();
        for (; c >= 0 && c != '\n'; c = in.read()) {
            if (line.size() > MOST_LINE_BYTES) {
                throw new IOException("a line is longer than " + MOST_LINE_BYTES + " bytes");
            }
            line.write(c);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return c < 0 && text.isEmpty()
                ? Optional.empty()
                : Optional.of(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
    }
}
