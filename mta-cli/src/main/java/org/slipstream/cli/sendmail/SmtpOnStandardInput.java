package org.slipstream.cli.sendmail;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.FailureWords;
import org.slipstream.local.maildrop.DropEnvelope;
import org.slipstream.local.maildrop.DropFileWriter;
import org.slipstream.local.maildrop.MaildropFolder;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `sendmail -bs`: SMTP on standard input and output, for programs that know nothing else. Messages
/// go into the maildrop like those of other calls, so the user is the one who runs the program, and
/// no command checks more than the form of an address. Local trouble ends the dialogue.
///
/// The dialogue is the minimum of RFC 5321 section 4.5.1, with 8BITMIME (RFC 6152) and PIPELINING
/// (RFC 2920), which need nothing more here.
public final class SmtpOnStandardInput {
    private static final int MOST_LINE_BYTES = 1 << 20;
    private static final Pattern PATH = Pattern
            .compile("(?:FROM|TO):[ ]?<([^<>]*)>((?: .*)?)", Pattern.CASE_INSENSITIVE);
    private static final String UNKNOWN_DOMAIN = "@localhost";

    private final MaildropFolder maildrop;
    private final CallingUser user;
    private final InputStream in;
    private final PrintStream out;
    private Optional<String> sender = Optional.empty();
    private BodyType body = BodyType.SEVEN_BIT;
    private final List<String> recipients = new ArrayList<>();

    public SmtpOnStandardInput(MaildropFolder maildrop, CallingUser user, InputStream in, PrintStream out) {
        this.maildrop = maildrop;
        this.user = user;
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.out = out;
    }

    /// Returns after QUIT or at the end of the input.
    public void run() throws SendmailException {
        try {
            reply("220 localhost ESMTP Slipstream");
            for (Optional<String> line = line(); line.isPresent() && obey(line.get()); line = line()) {
                out.flush();
            }
            out.flush();
        } catch (IOException broken) {
            throw new SendmailException(SysExit.IO_ERROR, "the dialogue broke off: " + FailureWords.of(broken), broken);
        }
    }

    /// @return false at the end
    private boolean obey(String line) throws IOException {
        int blank = line.indexOf(' ');
        String verb = (blank < 0 ? line : line.substring(0, blank)).toUpperCase(Locale.ROOT);
        String rest = blank < 0 ? "" : line.substring(blank + 1).strip();
        switch (verb) {
            case "HELO", "EHLO" -> {
                reset();
                reply(verb.equals("HELO") ? "250 localhost" : "250-localhost\r\n250-PIPELINING\r\n250 8BITMIME");
            }
            case "MAIL" -> mail(rest);
            case "RCPT" -> recipient(rest);
            case "DATA" -> data();
            case "RSET" -> {
                reset();
                reply("250 2.0.0 Ok");
            }
            case "NOOP" -> reply("250 2.0.0 Ok");
            case "VRFY" -> reply("252 2.5.2 Cannot VRFY user, but will accept message");
            case "QUIT" -> {
                reply("221 2.0.0 Bye");
                return false;
            }
            default -> reply("502 5.5.1 Error: command not recognized");
        }
        return true;
    }

    private void mail(String rest) {
        Matcher path = PATH.matcher(rest);
        if (sender.isPresent()) {
            reply("503 5.5.1 Error: nested MAIL command");
        } else if (!path.matches() || !path.group(1).isEmpty() && !isAddress(path.group(1))) {
            reply("501 5.1.7 Syntax: MAIL FROM:<address>");
        } else {
            switch (path.group(2).strip().toUpperCase(Locale.ROOT)) {
                case "", "BODY=7BIT" -> body = BodyType.SEVEN_BIT;
                case "BODY=8BITMIME" -> body = BodyType.EIGHT_BIT_MIME;
                default -> {
                    reply("555 5.5.4 Unsupported option");
                    return;
                }
            }
            sender = Optional.of(utf8(path.group(1)));
            reply("250 2.1.0 Ok");
        }
    }

    private void recipient(String rest) {
        Matcher path = PATH.matcher(rest);
        if (sender.isEmpty()) {
            reply("503 5.5.1 Error: need MAIL command");
        } else if (!path.matches() || !isAddress(path.group(1))) {
            reply("501 5.1.3 Syntax: RCPT TO:<address>");
        } else if (!path.group(2).isBlank()) {
            reply("555 5.5.4 Unsupported option");
        } else {
            recipients.add(utf8(path.group(1)));
            reply("250 2.1.5 Ok");
        }
    }

    private static String utf8(String octets) {
        return new String(octets.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static boolean isAddress(String text) {
        return Address.parse(utf8(text)).or(() -> Address.parse(utf8(text) + UNKNOWN_DOMAIN)).isPresent();
    }

    private void data() throws IOException {
        if (sender.isEmpty() || recipients.isEmpty()) {
            reply("503 5.5.1 Error: need RCPT command");
            return;
        }
        reply("354 End data with <CR><LF>.<CR><LF>");
        out.flush();
        DropEnvelope envelope = new DropEnvelope(sender.get(), user.fullName(), recipients, Set.of(),
                DsnReturn.UNSPECIFIED, Optional.empty(), body);
        try (DropFileWriter file = maildrop.write(envelope)) {
            copy(file);
            file.finish();
        }
        reply("250 2.0.0 Ok: in the maildrop");
        reset();
    }

    /// The content without its dots, which a client doubles at the beginning of a line.
    private void copy(DropFileWriter file) throws IOException {
        for (Optional<String> line = line(); !line.equals(Optional.of(".")); line = line()) {
            String text = line.orElseThrow(() -> new IOException("no end of the message"));
            String unstuffed = text.startsWith(".") ? text.substring(1) : text;
            file.write((unstuffed + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    private void reset() {
        sender = Optional.empty();
        recipients.clear();
    }

    private void reply(String text) {
        out.print(text + "\r\n");
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
