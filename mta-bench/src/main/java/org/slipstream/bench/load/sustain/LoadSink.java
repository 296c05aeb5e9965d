package org.slipstream.bench.load.sustain;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongConsumer;

/// The last server: accepts every message, keeps only the numbers, and replies when it has nothing
/// left to read. A thread for each connection.
public final class LoadSink implements AutoCloseable {
    private final ServerSocket listener;
    private final LoadMode mode;
    private final LongConsumer arrivals;

    /// @param arrivals gets the number at the end of a message, before the sink replies; called by
    ///     many threads
    public LoadSink(LoadMode mode, LongConsumer arrivals) throws IOException {
        this.mode = mode;
        this.arrivals = arrivals;
        listener = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("sink").start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread.ofPlatform().daemon().name("sink-" + socket.getPort()).start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The end.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            new Session(socket, mode, arrivals).run();
        } catch (IOException gone) {
            // The server has closed it, or will open another one.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    /// One connection, used by its own thread.
    private static final class Session {
        private static final byte[] OK = ascii("250 ok\r\n");
        private static final byte[] END = ascii("\r\n.\r\n");
        private static final int DIGITS = 12;

        private final Socket socket;
        private final InputStream in;
        private final LoadMode mode;
        private final LongConsumer arrivals;
        private final byte[] read = new byte[1 << 16];
        private int from;
        private int to;
        private final ByteArrayOutputStream answers = new ByteArrayOutputStream();
        /// The last octets of a line or of a message: enough for a command, the number, and the end
        /// of a text.
        private final byte[] tail = new byte[512];
        private int length;

        Session(Socket socket, LoadMode mode, LongConsumer arrivals) throws IOException {
            this.socket = socket;
            this.in = socket.getInputStream();
            this.mode = mode;
            this.arrivals = arrivals;
        }

        void run() throws IOException {
            answer(ascii("220 sink.example ESMTP\r\n"));
            while (true) {
                String command = command();
                switch (command.substring(0, Math.min(4, command.length())).toUpperCase(Locale.ROOT)) {
                    case "EHLO" -> answer(mode.answerToEhlo());
                    case "DATA" -> {
                        answer(ascii("354 go on\r\n"));
                        text();
                        arrived(END.length - 2);
                    }
                    case "BDAT" -> {
                        String[] words = command.split(" ");
                        skip(Integer.parseInt(words[1]));
                        if (words.length > 2) {
                            arrived(0);
                        } else {
                            answer(OK);
                        }
                    }
                    case "QUIT" -> {
                        answer(ascii("221 bye\r\n"));
                        flush();
                        return;
                    }
                    default -> answer(OK);
                }
            }
        }

        private void answer(byte[] reply) {
            answers.writeBytes(reply);
        }

        private void flush() throws IOException {
            if (answers.size() > 0) {
                answers.writeTo(socket.getOutputStream());
                answers.reset();
            }
        }

        private void fill() throws IOException {
            flush();
            from = 0;
            to = in.read(read);
            if (to <= 0) {
                throw new IOException("gone");
            }
        }

        private String command() throws IOException {
            length = 0;
            do {
                keep(octet());
            } while (tail[length - 1] != '\n');
            return new String(tail, 0, length, StandardCharsets.ISO_8859_1).strip();
        }

        private void text() throws IOException {
            length = 0;
            do {
                keep(octet());
            } while (tail[length - 1] != '\n' || !endsText());
        }

        private boolean endsText() {
            return length >= END.length
                    && Arrays.equals(tail, length - END.length, length, END, 0, END.length);
        }

        private byte octet() throws IOException {
            if (from == to) {
                fill();
            }
            return read[from++];
        }

        private void keep(byte octet) {
            if (length == tail.length) {
                System.arraycopy(tail, length - 64, tail, 0, 64);
                length = 64;
            }
            tail[length++] = octet;
        }

        /// Only the end of the chunk is read.
        private void skip(int octets) throws IOException {
            length = 0;
            for (int left = octets; left > 0;) {
                if (from == to) {
                    fill();
                }
                int here = Math.min(left, to - from);
                for (int i = Math.max(from, from + here - 32); i < from + here; i++) {
                    keep(read[i]);
                }
                from += here;
                left -= here;
            }
        }

        /// @param behind octets behind the line end that follows the number
        private void arrived(int behind) {
            long number = 0;
            int end = length - behind - 2;
            for (int i = end - DIGITS; number >= 0 && i < end; i++) {
                number = i < 0 || tail[i] < '0' || tail[i] > '9' ? -1 : number * 10 + tail[i] - '0';
            }
            // The server gets this reply after the message has been counted.
            arrivals.accept(number);
            answer(OK);
        }

        private static byte[] ascii(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }
}
