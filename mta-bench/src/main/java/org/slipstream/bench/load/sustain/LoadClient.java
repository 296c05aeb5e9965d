package org.slipstream.bench.load.sustain;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// Sessions that are kept open, each with a thread. A free session takes the next message and waits
/// until it falls due; with [LoadMode#CHUNKED] it takes along what has fallen due behind it.
///
/// Messages of 4 KiB are made once; only the number in their last line changes. A thread for each
/// of few sessions and blocking sockets: every message costs one wait for the clock, one write and
/// one read for each reply that is awaited, and little else.
final class LoadClient {
    private final InetSocketAddress server;
    private final int sessions;
    private final LoadMode mode;
    private final Ledger ledger;
    private final AtomicLong next = new AtomicLong();

    LoadClient(InetSocketAddress server, int sessions, LoadMode mode, Ledger ledger) {
        this.server = server;
        this.sessions = sessions;
        this.mode = mode;
        this.ledger = ledger;
    }

    /// Of the next message; read while no message is sent.
    long nextNumber() {
        return next.get();
    }

    /// Returns at once; the threads end with the schedule.
    List<Thread> start(Schedule schedule) {
        ledger.follow(schedule);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            threads.add(Thread.ofPlatform().daemon().name("client-" + i).start(() -> follow(schedule)));
        }
        return threads;
    }

    private void follow(Schedule schedule) {
        while (!schedule.isOver(next.get())) {
            try (Session session = new Session(server, mode, ledger)) {
                session.follow(schedule, next);
                session.quit();
            } catch (IOException refused) {
                ledger.refused(String.valueOf(refused.getMessage()));
                // An error is not logged a hundred times a second.
                LockSupport.parkNanos(500_000_000);
            }
        }
    }

    /// One connection, used by its own thread.
    private static final class Session implements AutoCloseable {
        private static final int TIMEOUT_MILLIS = 120_000;
        private static final int DIGITS = 12;
        private static final String ENVELOPE = "MAIL FROM:<a@client.example>\r\nRCPT TO:<b@far.example>\r\n";
        private static final String CONTENT = "From: a@client.example\r\nSubject: sustain\r\n\r\n"
                + "x".repeat(76).concat("\r\n").repeat(51) + "0".repeat(DIGITS) + "\r\n";
        private static final byte[] IN_ONE = ascii(
                ENVELOPE + "BDAT " + CONTENT.length() + " LAST\r\n" + CONTENT);
        private static final byte[] BEGIN = ascii(ENVELOPE + "DATA\r\n");
        private static final byte[] TEXT = ascii(CONTENT + ".\r\n");

        private final Socket socket = new Socket();
        private final InputStream in;
        private final LoadMode mode;
        private final Ledger ledger;
        private final byte[] heard = new byte[4_096];
        private int from;
        private int to;
        private final byte[] text;
        private final long[] messages;

        Session(InetSocketAddress server, LoadMode mode, Ledger ledger) throws IOException {
            this.mode = mode;
            this.ledger = ledger;
            messages = new long[mode.ahead];
            text = mode == LoadMode.CHUNKED ? new byte[mode.ahead * IN_ONE.length] : TEXT.clone();
            for (int i = 0; mode == LoadMode.CHUNKED && i < mode.ahead; i++) {
                System.arraycopy(IN_ONE, 0, text, i * IN_ONE.length, IN_ONE.length);
            }
            socket.connect(server, TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            in = socket.getInputStream();
            hear(1);
            say(ascii("EHLO client.example\r\n"));
            hear(1);
        }

        void follow(Schedule schedule, AtomicLong next) throws IOException {
            for (long message = next.getAndIncrement(); !schedule.isOver(message); message = next.getAndIncrement()) {
                awaitTurn(schedule.dueNanos(message));
                messages[0] = message;
                int count = 1;
                while (count < messages.length && isDue(schedule, next.get())) {
                    messages[count++] = next.getAndIncrement();
                }
                send(count);
            }
        }

        private static boolean isDue(Schedule schedule, long message) {
            return !schedule.isOver(message) && System.nanoTime() - schedule.dueNanos(message) >= 0;
        }

        private static void awaitTurn(long dueNanos) {
            for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }

        private void send(int count) throws IOException {
            switch (mode) {
                case CHUNKED -> {
                    for (int i = 0; i < count; i++) {
                        number(messages[i], (i + 1) * IN_ONE.length - 2);
                    }
                    socket.getOutputStream().write(text, 0, count * IN_ONE.length);
                    for (int i = 0; i < count; i++) {
                        hear(3);
                        ledger.taken(messages[i]);
                    }
                }
                case PIPELINED -> {
                    say(BEGIN);
                    hear(3);
                    content();
                }
                case TURN -> {
                    for (String line : ENVELOPE.concat("DATA\r\n").split("(?<=\n)")) {
                        say(ascii(line));
                        hear(1);
                    }
                    content();
                }
            }
        }

        private void content() throws IOException {
            number(messages[0], CONTENT.length() - 2);
            say(text);
            hear(1);
            ledger.taken(messages[0]);
        }

        private void number(long message, int end) {
            long left = message;
            for (int i = 1; i <= DIGITS; i++) {
                text[end - i] = (byte) ('0' + left % 10);
                left /= 10;
            }
        }

        private void say(byte[] octets) throws IOException {
            socket.getOutputStream().write(octets);
        }

        /// Reads this number of replies, none of which may be a refusal.
        private void hear(int replies) throws IOException {
            for (int left = replies; left > 0;) {
                int end = line();
                if (heard[from] != '2' && heard[from] != '3') {
                    throw new IOException(new String(heard, from, end - from, StandardCharsets.ISO_8859_1).strip());
                }
                left -= heard[from + 3] == '-' ? 0 : 1;
                from = end;
            }
        }

        /// @return where it ends, behind its line feed
        private int line() throws IOException {
            for (int at = from;; at++) {
                if (at == to) {
                    at -= from;
                    fill();
                }
                if (heard[at] == '\n') {
                    return at + 1;
                }
            }
        }

        private void fill() throws IOException {
            System.arraycopy(heard, from, heard, 0, to - from);
            to -= from;
            from = 0;
            int more = in.read(heard, to, heard.length - to);
            if (more <= 0) {
                throw new IOException("the server hung up");
            }
            to += more;
        }

        void quit() throws IOException {
            say(ascii("QUIT\r\n"));
            hear(1);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }

        private static byte[] ascii(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }
}
