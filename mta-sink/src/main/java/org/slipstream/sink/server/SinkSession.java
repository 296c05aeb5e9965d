package org.slipstream.sink.server;

import org.slipstream.sink.script.OctetPace;
import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ScriptPhase;
import org.slipstream.sink.script.TlsBehaviour;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// One session of SMTP or LMTP (RFC 5321, RFC 2033): the order of commands, their arguments, the
/// content. A [SessionPolicy] decides each reply.
public final class SinkSession {
    static final int HANDSHAKE_FAILURE = 40;
    static final int PROTOCOL_VERSION = 70;
    /// Characters of all recipients of a transaction: 16,000 addresses of the greatest length.
    private static final int MOST_RECIPIENT_CHARACTERS = 4 << 20;
    /// Parameters of MAIL and RCPT, and the extension that each belongs to.
    private static final Map<String, String> PARAMETERS = Map.ofEntries(Map.entry("SIZE", "SIZE"),
            Map.entry("BODY", "8BITMIME"), Map.entry("SMTPUTF8", "SMTPUTF8"), Map.entry("RET", "DSN"),
            Map.entry("ENVID", "DSN"), Map.entry("NOTIFY", "DSN"), Map.entry("ORCPT", "DSN"),
            Map.entry("AUTH", "AUTH"), Map.entry("BY", "DELIVERBY"), Map.entry("HOLDFOR", "FUTURERELEASE"),
            Map.entry("HOLDUNTIL", "FUTURERELEASE"), Map.entry("MT-PRIORITY", "MT-PRIORITY"),
            Map.entry("REQUIRETLS", "REQUIRETLS"), Map.entry("RRVS", "RRVS"));

    private final SessionPolicy policy;
    private final SinkLink link;
    private boolean introduced;
    private boolean encrypted;
    private boolean authenticated;
    private boolean mail;
    private String mailArguments = "";
    private final List<String> recipients = new ArrayList<>();
    private int recipientCharacters;
    private ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    private boolean refusedChunk;
    private boolean tooBig;

    public SinkSession(SessionPolicy policy, SinkLink link) {
        this.policy = policy;
        this.link = link;
    }

    private ServerTraits traits() {
        return policy.traits();
    }

    /// Returns when the session has ended.
    public void run() throws IOException, InterruptedException {
        link.limit(traits().readOctets(), traits().writtenOctets());
        try {
            phase(ScriptPhase.CONNECT, "", "220 " + traits().name() + (traits().lmtp() ? " LMTP" : " ESMTP"));
            while (command(link.line())) {
                link.readAt(OctetPace.FULL);
            }
        } catch (EOFException _) {
            // The client closed without QUIT.
        } finally {
            forget();
        }
    }

    private boolean command(String line) throws IOException, InterruptedException {
        policy.heard(line);
        if (traits().discards()) {
            link.discardInput();
        }
        if (line.indexOf('\r') >= 0 || line.indexOf('\n') >= 0) {
            // A line end inside of an address would become a header field of a stored message.
            refuse("500 5.5.2 Error: bare <CR> or <LF> in a command");
            return true;
        }
        switch (verb(line)) {
            case "EHLO", "LHLO", "HELO" -> hello(verb(line), line);
            case "STARTTLS" -> startTls();
            case "AUTH" -> login(line);
            case "MAIL" -> mail(line);
            case "RCPT" -> recipient(line);
            case "DATA" -> data();
            case "BDAT" -> chunk(line);
            case "RSET" -> {
                forget();
                phase(ScriptPhase.OTHER, "", "250 2.0.0 Ok");
            }
            case "NOOP" -> phase(ScriptPhase.OTHER, "", "250 2.0.0 Ok");
            case "VRFY", "EXPN" -> phase(ScriptPhase.OTHER, "", "252 2.1.5 Cannot VRFY user");
            case "HELP" -> phase(ScriptPhase.OTHER, "", "214 2.0.0 See RFC 5321");
            case "QUIT" -> {
                phase(ScriptPhase.QUIT, "", "221 2.0.0 Bye");
                link.flush();
                return false;
            }
            default -> refuse("500 5.5.2 Error: command not recognized");
        }
        return true;
    }

    private static String verb(String line) {
        return line.split("[ :]", 2)[0].toUpperCase(Locale.ROOT);
    }

    // ---- introduction

    private void hello(String verb, String line) throws IOException, InterruptedException {
        String[] words = line.strip().split(" +");
        if (verb.equals("LHLO") != traits().lmtp()) {
            refuse("500 5.5.1 Error: command not implemented");
            return;
        }
        if (traits().strict() && words.length < 2) {
            refuse("501 5.5.4 Syntax: " + verb + " hostname");
            return;
        }
        forget();
        List<String> lines = new ArrayList<>(List.of(traits().name()));
        if (!verb.equals("HELO")) {
            lines.addAll(traits().extensions());
            if (traits().offersTls() && !encrypted) {
                lines.add("STARTTLS");
            }
        }
        introduced |= phase(ScriptPhase.HELO, words.length > 1 ? words[1] : "", several("250", lines))
                .startsWith("2");
    }

    private static String several(String code, List<String> lines) {
        StringBuilder reply = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            reply.append(i == 0 ? "" : "\r\n").append(code).append(i == lines.size() - 1 ? ' ' : '-')
                    .append(lines.get(i));
        }
        return reply.toString();
    }

    private void startTls() throws IOException, InterruptedException {
        if (!traits().offersTls() || encrypted) {
            refuse("502 5.5.1 Error: command not implemented");
            return;
        }
        boolean refused = traits().tlsBehaviour() == TlsBehaviour.REFUSED;
        String usual = refused
                ? "454 4.7.0 TLS not available due to local problem"
                : "220 2.0.0 Ready to start TLS";
        if (phase(ScriptPhase.STARTTLS, "", usual).startsWith("220")) {
            handshake();
            encrypted = true;
            introduced = false;
            authenticated = false;
            forget();
        }
    }

    private void handshake() throws IOException {
        switch (traits().tlsBehaviour()) {
            case HANDSHAKE_FAILURE -> failHandshake(HANDSHAKE_FAILURE);
            case OLD_PROTOCOLS -> failHandshake(PROTOCOL_VERSION);
            case CLOSES -> {
                link.flush();
                link.read();
                throw new SinkLink.LinkClosed();
            }
            default -> link.startTls(traits().tls().orElseThrow());
        }
    }

    private void failHandshake(int alert) throws IOException {
        link.alert(alert);
        throw new SinkLink.LinkClosed();
    }

    /// Every name and password is accepted (RFC 4954).
    private void login(String line) throws IOException, InterruptedException {
        String[] words = line.strip().split(" +");
        String mechanism = words.length > 1 ? words[1].toUpperCase(Locale.ROOT) : "";
        if (!traits().announces("AUTH")) {
            refuse("502 5.5.1 Error: command not implemented");
        } else if (authenticated || mail) {
            refuse("503 5.5.1 Error: AUTH is not permitted now");
        } else if (!mechanism.equals("PLAIN") && !mechanism.equals("LOGIN")) {
            refuse("504 5.5.4 Unrecognized authentication type");
        } else if (isAnswered(mechanism, words.length > 2)) {
            authenticated = phase(ScriptPhase.AUTH, "", "235 2.7.0 Authentication successful").startsWith("2");
        } else {
            refuse("501 5.7.0 Authentication aborted");
        }
    }

    private boolean isAnswered(String mechanism, boolean initial) throws IOException {
        if (mechanism.equals("PLAIN")) {
            return initial || isAnswered("");
        }
        return (initial || isAnswered("Username:")) && isAnswered("Password:");
    }

    private boolean isAnswered(String challenge) throws IOException {
        String text = "334 " + Base64.getEncoder().encodeToString(challenge.getBytes(StandardCharsets.US_ASCII));
        policy.replies(text);
        link.write(text + "\r\n");
        String answer = link.line();
        policy.heard("(answer of " + answer.length() + " characters)");
        return !answer.equals("*");
    }

    // ---- transaction

    private void mail(String line) throws IOException, InterruptedException {
        String mistake = mail ? "503 5.5.1 Error: nested MAIL command" : mistake(line, "MAIL FROM:");
        if (!mistake.isEmpty()) {
            refuse(mistake);
        } else if (declaredSize(line) > traits().sizeLimit()) {
            refuse("552 5.3.4 Message size exceeds fixed limit");
        } else if (phase(ScriptPhase.MAIL, betweenAngles(line), "250 2.1.0 Ok").startsWith("2")) {
            mail = true;
            policy.transactionBegins();
            mailArguments = line.substring("MAIL FROM:".length()).strip();
        }
    }

    private void recipient(String line) throws IOException, InterruptedException {
        String mistake = !mail ? "503 5.5.1 Error: need MAIL command" : mistake(line, "RCPT TO:");
        String recipient = betweenAngles(line);
        if (!mistake.isEmpty()) {
            refuse(mistake);
        } else if (traits().strict() && recipient.isEmpty()) {
            refuse("501 5.1.3 Bad recipient address syntax");
        } else if (recipientCharacters + recipient.length() > MOST_RECIPIENT_CHARACTERS) {
            refuse("452 4.5.3 Error: too many recipients");
        } else if (phase(ScriptPhase.RCPT, recipient, "250 2.1.5 Ok").startsWith("2")) {
            recipients.add(recipient);
            recipientCharacters += recipient.length();
        }
    }

    /// The refusal of a line that is not as RFC 5321 section 4.1.2 asks; empty when it is.
    private String mistake(String line, String start) {
        if (!traits().strict()) {
            return "";
        }
        if (!introduced) {
            return "503 5.5.1 Error: send " + (traits().lmtp() ? "LHLO" : "HELO/EHLO") + " first";
        }
        int close = line.indexOf('>');
        if (!line.regionMatches(true, 0, start, 0, start.length()) || line.indexOf('<') < 0 || close < 0) {
            return "501 5.5.4 Syntax: " + start + "<address>";
        }
        for (String parameter : line.substring(close + 1).strip().split(" +")) {
            String keyword = parameter.split("=", 2)[0].toUpperCase(Locale.ROOT);
            if (!parameter.isEmpty()
                    && (!PARAMETERS.containsKey(keyword) || !traits().announces(PARAMETERS.get(keyword)))) {
                return "555 5.5.4 Unsupported option: " + keyword;
            }
        }
        return "";
    }

    private static long declaredSize(String line) {
        for (String word : line.toUpperCase(Locale.ROOT).split(" +")) {
            if (word.matches("SIZE=[0-9]{1,18}")) {
                return Long.parseLong(word.substring("SIZE=".length()));
            }
        }
        return 0;
    }

    private void data() throws IOException, InterruptedException {
        if (recipients.isEmpty()) {
            refuse(noRecipients());
        } else if (chunks.size() > 0) {
            refuse("503 5.5.1 Error: DATA after BDAT");
        } else if (phase(ScriptPhase.DATA, "", "354 End data with <CR><LF>.<CR><LF>").startsWith("354")) {
            byte[] wire = link.stuffedContent(traits().sizeLimit() + 1);
            tooBig = wire.length > traits().sizeLimit();
            received(wire, SinkLink.unstuffed(wire));
        }
    }

    private void chunk(String line) throws IOException, InterruptedException {
        String[] words = line.strip().split(" +");
        if (!traits().announces("CHUNKING")) {
            refuse("502 5.5.1 Error: command not implemented");
            return;
        }
        if (words.length < 2 || !words[1].matches("[0-9]{1,15}")) {
            refuse("501 5.5.4 Syntax: BDAT count [LAST]");
            return;
        }
        long count = Long.parseLong(words[1]);
        tooBig |= chunks.size() + count > traits().sizeLimit();
        refusedChunk |= recipients.isEmpty();
        if (tooBig || refusedChunk) {
            link.skip(count);
        } else {
            chunks.write(link.read((int) count));
        }
        if (refusedChunk) {
            refuse(noRecipients());
        } else if (words.length > 2) {
            received(chunks.toByteArray(), chunks.toByteArray());
        } else {
            refusedChunk = !phase(ScriptPhase.CHUNK, "", "250 2.0.0 " + count + " octets").startsWith("2");
        }
    }

    private String noRecipients() {
        return mail ? "554 5.5.1 Error: no valid recipients" : "503 5.5.1 Error: need MAIL command";
    }

    private void received(byte[] wire, byte[] content) throws IOException, InterruptedException {
        List<String> envelope = List.copyOf(recipients);
        List<String> perReply = traits().lmtp() ? envelope : List.of(String.join(",", envelope));
        String arguments = mailArguments;
        String usual = tooBig ? "552 5.3.4 Message size exceeds fixed limit" : "250 2.0.0 Ok: queued";
        forget();
        for (int i = 0; i < perReply.size(); i++) {
            Reaction reaction = tooBig(usual)
                    ? policy.mistake(usual)
                    : policy.react(ScriptPhase.CONTENT, perReply.get(i));
            String reply = reaction.reply().orElse(usual);
            pause(reaction);
            if (i == 0) {
                usual = kept(new ReceivedContent(betweenAngles(arguments), envelope, arguments, wire, content, reply),
                        usual);
                reply = reaction.reply().orElse(usual);
            }
            send(reaction, reply);
        }
    }

    private static boolean tooBig(String usual) {
        return usual.startsWith("5");
    }

    private String kept(ReceivedContent message, String usual) {
        try {
            policy.received(message);
            return usual;
        } catch (IOException e) {
            return "451 4.3.0 The message cannot be kept: " + e.getMessage();
        }
    }

    private void forget() {
        if (mail) {
            policy.transactionEnds();
        }
        mail = false;
        mailArguments = "";
        recipients.clear();
        recipientCharacters = 0;
        chunks = new ByteArrayOutputStream();
        refusedChunk = false;
        tooBig = false;
    }

    // ---- replies

    /// Gives the reply that was sent.
    private String phase(ScriptPhase phase, String argument, String usual) throws IOException, InterruptedException {
        Reaction reaction = policy.react(phase, argument);
        String reply = reaction.reply().orElse(usual);
        pause(reaction);
        send(reaction, reply);
        return reply;
    }

    private void refuse(String text) throws IOException, InterruptedException {
        Reaction reaction = policy.mistake(text);
        pause(reaction);
        send(reaction, reaction.reply().orElse(text));
    }

    private void pause(Reaction reaction) throws IOException, InterruptedException {
        if (reaction.held() || reaction.delay().isPositive()) {
            link.flush();
        }
        if (reaction.held()) {
            policy.awaitRelease();
        }
        if (reaction.delay().isPositive()) {
            Thread.sleep(reaction.delay());
        }
    }

    private void send(Reaction reaction, String reply) throws IOException, InterruptedException {
        if (!reply.isEmpty()) {
            policy.replies(reply);
            if (reaction.drip().isSlow()) {
                link.drip(reply + "\r\n", reaction.drip());
            } else {
                link.write(reply + "\r\n");
            }
        }
        if (reaction.read().isSlow()) {
            link.readAt(reaction.read());
        }
        if (reaction.closeAfter() >= 0) {
            link.closeAfter(reaction.closeAfter());
        }
        end(reaction.after());
    }

    private void end(Reaction.After after) throws IOException, InterruptedException {
        switch (after) {
            case CONTINUE -> {
            }
            case CLOSE -> {
                link.flush();
                throw new SinkLink.LinkClosed();
            }
            case RESET -> {
                link.flush();
                link.reset();
                throw new SinkLink.LinkClosed();
            }
            case STALL -> {
                link.flush();
                policy.awaitEnd();
            }
        }
    }

    private static String betweenAngles(String line) {
        int open = line.indexOf('<');
        int close = line.indexOf('>', open);
        return open < 0 || close < 0 ? line : line.substring(open + 1, close);
    }
}
