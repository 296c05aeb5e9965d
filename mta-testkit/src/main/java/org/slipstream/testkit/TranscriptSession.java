package org.slipstream.testkit;

import org.slipstream.sink.server.SinkLink;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// One client of a sink that follows a [Transcript]. A difference is an [AssertionError].
final class TranscriptSession {
    private final SmtpSink sink;
    private final SinkLink link;
    private final int connection;

    TranscriptSession(SmtpSink sink, SinkLink link, int connection) {
        this.sink = sink;
        this.link = link;
        this.connection = connection;
    }

    void run(Transcript transcript) throws IOException, InterruptedException {
        for (String line : transcript.text().lines().filter(l -> !l.isBlank()).toList()) {
            int blank = line.indexOf(' ');
            String verb = blank < 0 ? line : line.substring(0, blank);
            String rest = blank < 0 ? "" : line.substring(blank + 1);
            if (verb.equals("S")) {
                link.write(rest + "\r\n");
                continue;
            }
            link.flush();
            switch (verb) {
                case "C" -> expect(rest);
                case "DATA" -> sink.keepContent(link.stuffedContent());
                case "CHUNK" -> sink.keepContent(chunk(rest));
                case "TORN" -> expectTorn();
                case "BYTES" -> link.read(Integer.parseInt(rest));
                case "TLS" -> link.startTls(transcript.tls().orElseThrow());
                case "NOTLS" -> expectRefusedTls(transcript);
                case "RAW" -> link.write(rest);
                case "GATE" -> sink.awaitRelease();
                case "STALL" -> sink.awaitClose();
                case "EOF" -> expectEnd();
                case "DROP" -> {
                    return;
                }
                case "CUT" -> {
                    link.reset();
                    return;
                }
                default -> throw new AssertionError("no such line in a transcript: " + line);
            }
        }
        link.flush();
    }

    private void expect(String pattern) throws IOException {
        String line = line();
        String regex = Pattern.quote(pattern).replace("*", "\\E.*\\Q");
        if (!line.matches(regex)) {
            throw new AssertionError("expected <" + pattern + "> but got <" + line + ">");
        }
    }

    private String line() throws IOException {
        try {
            String line = link.line();
            if (line.indexOf('\n') >= 0) {
                throw new AssertionError("bare LF in <" + line + ">");
            }
            sink.heard(connection, line);
            return line;
        } catch (EOFException e) {
            throw new IOException("client closed, the transcript waits for a line", e);
        }
    }

    private byte[] chunk(String last) throws IOException {
        String line = line();
        if (!line.matches("BDAT [0-9]+" + (last.isEmpty() ? "" : " " + last))) {
            throw new AssertionError("expected <BDAT n " + last + "> but got <" + line + ">");
        }
        return link.read(Integer.parseInt(line.split(" ")[1]));
    }

    private void expectTorn() throws IOException {
        String all = new String(link.readToEnd(), StandardCharsets.ISO_8859_1);
        if (all.isEmpty() || all.contains("\r\n.\r\n")) {
            throw new AssertionError("expected content without an end but got " + all.length() + " octets");
        }
    }

    private void expectRefusedTls(Transcript transcript) {
        try {
            link.startTls(transcript.tls().orElseThrow());
            // TLS 1.3: the server's half is complete before the client has verified the
            // certificate.
            if (link.read() >= 0) {
                throw new AssertionError("the client continues under TLS");
            }
        } catch (IOException _) {
            // The client refused, as expected.
        }
    }

    private void expectEnd() throws IOException {
        int next = link.read();
        if (next >= 0) {
            throw new AssertionError("expected the end but got " + (char) next);
        }
    }
}
