package org.slipstream.testkit;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// One client of a sink that follows a [SinkScript]. The script is looked up at each phase, so a
/// change applies to open connections, too.
final class SinkSession {
    private final SmtpSink sink;
    private final SinkLink link;
    private final int connection;
    private boolean mail;
    private String mailArguments = "";
    private final List<String> recipients = new ArrayList<>();
    private ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    private boolean refusedChunk;
    private boolean encrypted;

    SinkSession(SmtpSink sink, SinkLink link, int connection) {
        this.sink = sink;
        this.link = link;
        this.connection = connection;
    }

    private SinkScript script() {
        return sink.script(connection);
    }

    void run() throws IOException, InterruptedException {
        SinkScript.Traits traits = script().traits();
        link.limit(traits.readOctets(), traits.writtenOctets());
        if (sink.open() > traits.connections()) {
            link.write(traits.tooMany() + "\r\n");
            link.flush();
            return;
        }
        phase(SinkPhase.CONNECT, "", "220 " + SinkScript.HOST + (script().isLmtp() ? " LMTP" : " ESMTP"));
        while (true) {
            String line;
            try {
                line = link.line();
            } catch (EOFException _) {
                return;
            }
            sink.heard(connection, line);
            if (script().traits().discardsPipelined()) {
                link.discardInput();
            }
            switch (verb(line)) {
                case "EHLO", "LHLO", "HELO" -> hello(verb(line));
                case "STARTTLS" -> startTls();
                case "MAIL" -> mail(line);
                case "RCPT" -> recipient(line);
                case "DATA" -> data();
                case "BDAT" -> chunk(line);
                case "RSET" -> {
                    forget();
                    phase(SinkPhase.RSET, "", "250 2.0.0 Ok");
                }
                case "NOOP" -> phase(SinkPhase.RSET, "", "250 2.0.0 Ok");
                case "QUIT" -> {
                    phase(SinkPhase.QUIT, "", "221 2.0.0 Bye");
                    link.flush();
                    return;
                }
                default -> reply("500 5.5.2 Error: command not recognized");
            }
        }
    }

    private static String verb(String line) {
        return line.split("[ :]", 2)[0].toUpperCase(Locale.ROOT);
    }

    private void hello(String verb) throws IOException, InterruptedException {
        if (verb.equals("LHLO") != script().isLmtp()) {
            reply("500 5.5.1 Error: command not implemented");
            return;
        }
        forget();
        List<String> lines = new ArrayList<>(List.of(SinkScript.HOST));
        if (!verb.equals("HELO")) {
            lines.addAll(script().traits().extensions());
            if (script().traits().tls().isPresent() && !encrypted) {
                lines.add("STARTTLS");
            }
        }
        StringBuilder reply = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            reply.append(i == 0 ? "" : "\r\n").append("250").append(i == lines.size() - 1 ? ' ' : '-')
                    .append(lines.get(i));
        }
        phase(SinkPhase.EHLO, "", reply.toString());
    }

    private void startTls() throws IOException, InterruptedException {
        var context = script().traits().tls();
        if (context.isEmpty()) {
            reply("502 5.5.1 Error: command not implemented");
        } else if (phase(SinkPhase.STARTTLS, "", "220 2.0.0 Ready to start TLS").startsWith("220")) {
            link.startTls(context.get());
            encrypted = true;
            forget();
        }
    }

    private void mail(String line) throws IOException, InterruptedException {
        String sender = betweenAngles(line);
        if (mail) {
            reply("503 5.5.1 Error: nested MAIL command");
        } else if (phase(SinkPhase.MAIL, sender, "250 2.1.0 Ok").startsWith("2")) {
            mail = true;
            sink.transactionBegins();
            mailArguments = line.substring("MAIL FROM:".length()).strip();
        }
    }

    private void recipient(String line) throws IOException, InterruptedException {
        String recipient = betweenAngles(line);
        if (!mail) {
            reply("503 5.5.1 Error: need MAIL command");
        } else if (phase(SinkPhase.RCPT, recipient, "250 2.1.5 Ok").startsWith("2")) {
            recipients.add(recipient);
        }
    }

    private void data() throws IOException, InterruptedException {
        if (recipients.isEmpty()) {
            reply(noRecipients());
        } else if (phase(SinkPhase.DATA, "", "354 End data with <CR><LF>.<CR><LF>").startsWith("354")) {
            byte[] wire = link.stuffedContent();
            received(wire, SinkLink.unstuffed(wire));
        }
    }

    private void chunk(String line) throws IOException, InterruptedException {
        if (!script().announces("CHUNKING")) {
            reply("502 5.5.1 Error: command not implemented");
            return;
        }
        String[] words = line.split(" ");
        byte[] chunk = link.read(Integer.parseInt(words[1]));
        refusedChunk |= recipients.isEmpty();
        if (refusedChunk) {
            reply(noRecipients());
            return;
        }
        chunks.write(chunk);
        if (words.length > 2) {
            received(chunks.toByteArray(), chunks.toByteArray());
        } else {
            refusedChunk = !phase(SinkPhase.CHUNK, "", "250 2.0.0 " + chunk.length + " octets").startsWith("2");
        }
    }

    private String noRecipients() {
        return mail ? "554 5.5.1 Error: no valid recipients" : "503 5.5.1 Error: need MAIL command";
    }

    /// The message is kept before the final reply leaves, so that a client that has the reply finds
    /// the message kept.
    private void received(byte[] wire, byte[] content) throws IOException, InterruptedException {
        List<String> perReply = script().isLmtp() ? List.copyOf(recipients) : List.of(String.join(",", recipients));
        String arguments = mailArguments;
        List<String> envelope = List.copyOf(recipients);
        forget();
        for (int i = 0; i < perReply.size(); i++) {
            SinkAction action = sink.action(script(), SinkPhase.FINAL_DOT, perReply.get(i));
            String reply = action.reply().orElse("250 2.0.0 Ok: queued");
            pause(action);
            if (i == 0) {
                sink.keep(wire, new ReceivedMessage(betweenAngles(arguments), envelope, arguments, content, connection,
                        reply, System.nanoTime()));
            }
            send(action, reply);
        }
    }

    void forget() {
        if (mail) {
            sink.transactionEnds();
        }
        mail = false;
        mailArguments = "";
        recipients.clear();
        chunks = new ByteArrayOutputStream();
        refusedChunk = false;
    }

    /// Gives the reply that was sent.
    private String phase(SinkPhase phase, String address, String usual) throws IOException, InterruptedException {
        SinkAction action = sink.action(script(), phase, address);
        String reply = action.reply().orElse(usual);
        pause(action);
        send(action, reply);
        return reply;
    }

    private void pause(SinkAction action) throws IOException, InterruptedException {
        if (action.held() || action.delay().isPositive()) {
            link.flush();
        }
        if (action.held()) {
            sink.awaitRelease();
        }
        Thread.sleep(action.delay());
    }

    private void send(SinkAction action, String reply) throws IOException, InterruptedException {
        if (!reply.isEmpty()) {
            if (action.drip().isPositive()) {
                link.drip(reply + "\r\n", action.drip());
            } else {
                reply(reply);
            }
        }
        switch (action.after()) {
            case CONTINUE -> {
            }
            case CLOSE -> {
                link.flush();
                throw new SinkLink.Closed();
            }
            case RESET -> {
                link.flush();
                link.reset();
                throw new SinkLink.Closed();
            }
            case STALL -> {
                link.flush();
                sink.awaitClose();
            }
        }
    }

    private void reply(String text) throws IOException {
        link.write(text + "\r\n");
    }

    private static String betweenAngles(String line) {
        int open = line.indexOf('<');
        int close = line.indexOf('>', open);
        return open < 0 || close < 0 ? line : line.substring(open + 1, close);
    }
}
