package org.slipstream.server.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Just enough of an SMTP server to see what a client sends, byte for byte. Replies can be changed by the start of the
/// command; `.` stands for the end of data.
final class TinySmtpServer implements AutoCloseable {
    final List<String> commands = Collections.synchronizedList(new ArrayList<>());
    final List<byte[]> contents = Collections.synchronizedList(new ArrayList<>());
    final Map<String, String> replies = Collections.synchronizedMap(new LinkedHashMap<>());

    private final ServerSocket listener;

    TinySmtpServer() throws IOException {
        listener = new ServerSocket(0, 5, InetAddress.ofLiteral("127.0.0.1"));
        replies.put("EHLO", "250-tiny.example\r\n250-8BITMIME\r\n250 SMTPUTF8");
        replies.put("DATA", "354 go ahead");
        replies.put(".", "250 2.0.0 queued as 1p4q0c8k2v0");
        replies.put("QUIT", "221 bye");
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try (Socket client = listener.accept()) {
                client.setSoTimeout(10_000);
                talk(new BufferedInputStream(client.getInputStream()), client.getOutputStream());
            } catch (IOException gone) {
                // The next one, or the end.
            }
        }
    }

    private void talk(BufferedInputStream in, OutputStream out) throws IOException {
        say(out, "220 tiny.example");
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            commands.add(line.strip());
            String reply = reply(line);
            say(out, reply);
            if (line.startsWith("DATA") && reply.startsWith("354")) {
                contents.add(data(in));
                say(out, replies.get("."));
            }
        }
    }

    private String reply(String line) {
        synchronized (replies) {
            return replies.entrySet().stream().filter(r -> line.startsWith(r.getKey())).map(Map.Entry::getValue)
                    .findFirst().orElse("250 2.1.0 ok");
        }
    }

    /// As it came over the wire, still with its stuffed dots, without the final dot.
    private static byte[] data(BufferedInputStream in) throws IOException {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        for (String line = line(in); !line.equals(".\r\n") && !line.isEmpty(); line = line(in)) {
            data.write(line.getBytes(StandardCharsets.ISO_8859_1));
        }
        return data.toByteArray();
    }

    /// Up to and with LF, one char per byte; empty at the end.
    private static String line(BufferedInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b >= 0; b = in.read()) {
            line.append((char) b);
            if (b == '\n') {
                break;
            }
        }
        return line.toString();
    }

    private static void say(OutputStream out, String reply) throws IOException {
        out.write((reply + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }
}
