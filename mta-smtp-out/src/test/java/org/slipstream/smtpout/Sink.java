package org.slipstream.smtpout;

import org.slipstream.core.Route;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/// A small mail server that keeps to the book and remembers what it took, with the one freedom of the book that is dangerous
/// to a client that writes ahead: a transaction whose BDAT or DATA was refused stays open until RSET.
///
/// Recipients whose name begins with `no` do not exist, those with `full` have no room for now; a sender whose name begins with `bad` is
/// refused. It takes content with bare CR and LF as it comes, so that a test sees them.
final class Sink implements AutoCloseable {
    /// One message, taken whole.
    record Taken(String sender, List<String> recipients, String content) {}

    /// When a connection breaks.
    interface Faults {
        Faults NONE = new Faults() {};

        /// The connection is cut when so many bytes have been read. From then on nothing is answered.
        default long afterReading(int connection) {
            return Long.MAX_VALUE;
        }

        /// The connection is cut when so many bytes of replies have been written.
        default long afterWriting(int connection) {
            return Long.MAX_VALUE;
        }
    }

    private final ServerSocket listener;
    private final List<String> extensions;
    private final Faults faults;
    private final List<Taken> taken = Collections.synchronizedList(new ArrayList<>());
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean keeping = true;

    Sink(Faults faults, String... extensions) throws IOException {
        this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        this.extensions = List.of(extensions);
        this.faults = faults;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    Route route() {
        return new Route.Smtp("[127.0.0.1]:" + port(), List.of(new Route.Host("127.0.0.1", port(), 0)));
    }

    List<Taken> taken() {
        return List.copyOf(taken);
    }

    /// Messages taken, also when they are not kept.
    int count() {
        return count.get();
    }

    int connections() {
        return connections.get();
    }

    /// Counts messages and keeps none.
    Sink forgetful() {
        keeping = false;
        return this;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : List.copyOf(sockets)) {
            socket.close();
        }
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                int number = connections.incrementAndGet();
                Thread.ofVirtual().start(() -> {
                    try (socket) {
                        new Talk(socket, number).run();
                    } catch (IOException _) {
                        // Cut, by the client or as planned.
                    } finally {
                        sockets.remove(socket);
                    }
                });
            } catch (IOException _) {
                return;
            }
        }
    }

    private static final class Cut extends IOException {
        private static final long serialVersionUID = 1;
    }

    private final class Talk {
        private final InputStream in;
        private final OutputStream out;
        private final byte[] buffer = new byte[32 * 1024];
        private int at;
        private int filled;
        private long mayRead;
        private long mayWrite;
        private boolean mail;
        private String sender = "";
        private final List<String> recipients = new ArrayList<>();
        private ByteArrayOutputStream chunks = new ByteArrayOutputStream();
        private boolean failed;

        Talk(Socket socket, int number) throws IOException {
            this.in = socket.getInputStream();
            this.out = new BufferedOutputStream(socket.getOutputStream(), 32 * 1024);
            this.mayRead = faults.afterReading(number);
            this.mayWrite = faults.afterWriting(number);
        }

        void run() throws IOException {
            say("220 sink");
            while (true) {
                String line = line();
                String verb = line.split("[ :]", 2)[0].toUpperCase(Locale.ROOT);
                switch (verb) {
                    case "EHLO" -> hello();
                    case "MAIL" -> mail(line);
                    case "RCPT" -> recipient(line);
                    case "DATA" -> data();
                    case "BDAT" -> bdat(line);
                    case "RSET" -> {
                        reset();
                        say("250 2.0.0 forgotten");
                    }
                    case "QUIT" -> {
                        say("221 2.0.0 bye");
                        out.flush();
                        return;
                    }
                    default -> say("500 5.5.1 what is " + verb);
                }
            }
        }

        private void hello() throws IOException {
            StringBuilder reply = new StringBuilder(extensions.isEmpty() ? "250 sink" : "250-sink");
            for (int i = 0; i < extensions.size(); i++) {
                reply.append("\r\n250").append(i == extensions.size() - 1 ? ' ' : '-').append(extensions.get(i));
            }
            say(reply.toString());
        }

        private void mail(String line) throws IOException {
            String from = angled(line);
            if (mail) {
                say("503 5.5.1 nested MAIL");
            } else if (from.startsWith("bad")) {
                say("550 5.7.1 not you");
            } else {
                mail = true;
                sender = from;
                say("250 2.1.0 ok");
            }
        }

        private void recipient(String line) throws IOException {
            String to = angled(line);
            if (!mail) {
                say("503 5.5.1 MAIL first");
            } else if (to.startsWith("no")) {
                say("550 5.1.1 nobody of that name");
            } else if (to.startsWith("full")) {
                say("452 4.2.2 full");
            } else {
                recipients.add(to);
                say("250 2.1.5 ok");
            }
        }

        private void data() throws IOException {
            if (recipients.isEmpty()) {
                say(mail ? "554 5.5.1 no valid recipients" : "503 5.5.1 MAIL first");
                return;
            }
            say("354 go");
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            for (byte[] next = rawLine(); next.length != 3 || next[0] != '.'; next = rawLine()) {
                int from = next[0] == '.' ? 1 : 0;
                content.write(next, from, next.length - from);
            }
            take(content);
        }

        private void bdat(String line) throws IOException {
            String[] words = line.split(" ");
            byte[] chunk = read(Integer.parseInt(words[1]));
            boolean last = words.length > 2;
            failed |= recipients.isEmpty();
            if (failed) {
                say(mail ? "554 5.5.1 no valid recipients" : "503 5.5.1 MAIL first");
            } else {
                chunks.write(chunk);
                if (last) {
                    take(chunks);
                } else {
                    say("250 2.0.0 " + chunk.length + " octets");
                }
            }
        }

        private void take(ByteArrayOutputStream content) throws IOException {
            count.incrementAndGet();
            if (keeping) {
                taken.add(new Taken(sender, List.copyOf(recipients), content.toString(StandardCharsets.ISO_8859_1)));
            }
            reset();
            say("250 2.0.0 taken");
        }

        private void reset() {
            mail = false;
            failed = false;
            recipients.clear();
            chunks = new ByteArrayOutputStream();
        }

        private static String angled(String line) {
            return line.substring(line.indexOf('<') + 1, line.indexOf('>'));
        }

        // Replies go out when there is nothing left to read, as busy servers do.
        private void say(String reply) throws IOException {
            byte[] bytes = (reply + "\r\n").getBytes(StandardCharsets.US_ASCII);
            int length = (int) Math.min(bytes.length, mayWrite);
            out.write(bytes, 0, length);
            mayWrite -= length;
            if (mayWrite == 0) {
                out.flush();
                throw new Cut();
            }
        }

        private int next() throws IOException {
            if (mayRead-- == 0) {
                out.flush();
                throw new Cut();
            }
            if (at == filled) {
                if (in.available() == 0) {
                    out.flush();
                }
                filled = in.read(buffer);
                at = 0;
                if (filled <= 0) {
                    throw new Cut();
                }
            }
            return buffer[at++] & 0xff;
        }

        private byte[] read(int count) throws IOException {
            byte[] bytes = new byte[count];
            for (int i = 0; i < count; i++) {
                bytes[i] = (byte) next();
            }
            return bytes;
        }

        private byte[] rawLine() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int before = 0;
            while (true) {
                int next = next();
                line.write(next);
                if (next == '\n' && before == '\r') {
                    return line.toByteArray();
                }
                before = next;
            }
        }

        private String line() throws IOException {
            byte[] raw = rawLine();
            return new String(raw, 0, raw.length - 2, StandardCharsets.UTF_8);
        }
    }
}
