package org.slipstream.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLSocket;

/// An SMTP client for tests that sends exactly what a test tells it to, in or out of turn.
///
/// Replies are checked for form: each line ends in CRLF. No call waits longer than a minute. One
/// thread.
public final class SmtpTalker implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;

    private Socket socket;
    private InputStream in;

    private SmtpTalker(Socket socket) throws IOException {
        use(socket);
    }

    /// Connects and reads nothing.
    public static SmtpTalker to(InetSocketAddress server) {
        return over(connected(server, new InetSocketAddress(0)));
    }

    /// Connects from this address of this machine and reads nothing.
    public static SmtpTalker to(InetSocketAddress server, InetAddress from) {
        return over(connected(server, new InetSocketAddress(from, 0)));
    }

    /// Talks over a connection that the test has made.
    public static SmtpTalker over(Socket connected) {
        try {
            return new SmtpTalker(connected);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Connects and reads the greeting, which must be 220.
    public static SmtpTalker greetedBy(InetSocketAddress server) {
        SmtpTalker talker = to(server);
        String greeting = talker.reply();
        if (!greeting.startsWith("220 ") && !greeting.startsWith("220-")) {
            talker.close();
            throw new AssertionError("the server greets with: " + greeting);
        }
        return talker;
    }

    /// Connects, reads the greeting and sends EHLO.
    public static SmtpTalker introducedTo(InetSocketAddress server) {
        SmtpTalker talker = greetedBy(server);
        talker.must(250, "EHLO client.example");
        return talker;
    }

    private static Socket connected(InetSocketAddress server, InetSocketAddress from) {
        try {
            Socket socket = new Socket();
            socket.bind(from);
            socket.connect(server, TIMEOUT_MILLIS);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void use(Socket next) throws IOException {
        socket = next;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /// The socket below, for what only a socket can do.
    public Socket socket() {
        return socket;
    }

    /// Continues on another socket, for instance on one with TLS around the first.
    public void continueOn(Socket other) {
        try {
            use(other);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sends octets, one per character, and no line end.
    public void send(String octets) {
        send(octets.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// Sends octets and no line end.
    public void send(byte[] octets) {
        try {
            write(octets);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sends octets that may not arrive.
    ///
    /// @return false when the server has closed the connection
    public boolean trySend(byte[] octets) {
        try {
            write(octets);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private void write(byte[] octets) throws IOException {
        socket.getOutputStream().write(octets);
        socket.getOutputStream().flush();
    }

    /// Sends commands in one write and reads their replies (RFC 2920).
    public List<String> pipeline(String... lines) {
        send(String.join("\r\n", lines) + "\r\n");
        List<String> replies = new ArrayList<>();
        for (int i = 0; i < lines.length; i++) {
            replies.add(reply());
        }
        return replies;
    }

    /// The next line without CRLF; empty text when the server has closed the connection.
    public String line() {
        StringBuilder line = new StringBuilder();
        try {
            for (int octet = in.read(); octet >= 0; octet = in.read()) {
                line.append((char) octet);
                if (octet == '\n') {
                    if (!line.toString().endsWith("\r\n")) {
                        throw new AssertionError("a reply line that does not end in CRLF: " + line);
                    }
                    return line.substring(0, line.length() - 2);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!line.isEmpty()) {
            throw new AssertionError("the connection ends in a reply line: " + line);
        }
        return "";
    }

    /// The next reply as it came, its lines separated by LF; empty text when the server has closed
    /// the connection.
    public String reply() {
        List<String> lines = new ArrayList<>(List.of(line()));
        while (lines.getLast().length() > 3 && lines.getLast().charAt(3) == '-') {
            lines.add(line());
        }
        return String.join("\n", lines);
    }

    /// The next reply, or empty text when the server has closed or reset the connection.
    public String replyOrNothing() {
        try {
            return reply();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof SocketTimeoutException) {
                throw e;
            }
            return "";
        }
    }

    /// Sends a line of octets and gives the reply as it came.
    public String ask(String line) {
        send(line + "\r\n");
        return reply();
    }

    /// Sends a line in UTF-8 and gives the parsed reply.
    ///
    /// @throws UncheckedIOException when the server has closed the connection
    public SmtpReply say(String line) {
        send((line + "\r\n").getBytes(StandardCharsets.UTF_8));
        return parsedReply();
    }

    /// Sends a line and fails unless the reply has this code.
    public SmtpReply must(int code, String line) {
        SmtpReply reply = say(line);
        if (reply.code() != code) {
            throw new AssertionError("sent: " + line + "\nexpected " + code + ", received: " + reply);
        }
        return reply;
    }

    private SmtpReply parsedReply() {
        String raw = reply();
        if (raw.isEmpty()) {
            throw new UncheckedIOException(new EOFException("the server closed the connection"));
        }
        return SmtpReply.parse(raw);
    }

    /// Sends a whole transaction. Gives the reply to the final dot, or the first refusal before it.
    public SmtpReply send(OutgoingMessage message) {
        SmtpReply sender = say("MAIL FROM:<" + message.sender() + ">");
        if (sender.code() != 250) {
            return sender;
        }
        for (String recipient : message.recipients()) {
            SmtpReply refused = say("RCPT TO:<" + recipient + ">");
            if (refused.code() != 250) {
                say("RSET");
                return refused;
            }
        }
        SmtpReply go = say("DATA");
        return go.code() == 354 ? data(message.content()) : go;
    }

    /// Sends content with dot-stuffing and the final dot, and gives the reply to it.
    public SmtpReply data(byte[] content) {
        ByteArrayOutputStream stuffed = new ByteArrayOutputStream(content.length + 16);
        boolean lineStart = true;
        for (byte octet : content) {
            if (lineStart && octet == '.') {
                stuffed.write('.');
            }
            stuffed.write(octet);
            lineStart = octet == '\n';
        }
        stuffed.writeBytes(".\r\n".getBytes(StandardCharsets.US_ASCII));
        send(stuffed.toByteArray());
        return parsedReply();
    }

    /// Sends half of the content and closes the connection.
    public void closeInTheMiddleOf(OutgoingMessage message) {
        must(250, "MAIL FROM:<" + message.sender() + ">");
        message.recipients().forEach(recipient -> must(250, "RCPT TO:<" + recipient + ">"));
        must(354, "DATA");
        send(new String(message.content(), 0, message.content().length / 2, StandardCharsets.ISO_8859_1));
        close();
    }

    /// Sends STARTTLS, continues in TLS whatever certificate the server shows, and gives the
    /// certificate.
    public X509Certificate startTls() {
        must(220, "STARTTLS");
        return handshake();
    }

    /// Continues in TLS whatever certificate the server shows, and gives the certificate.
    public X509Certificate handshake() {
        try {
            SSLSocket secure = (SSLSocket) TestCertificates.trustingAll().getSocketFactory().createSocket(socket,
                    "localhost", socket.getPort(), true);
            secure.startHandshake();
            use(secure);
            return (X509Certificate) secure.getSession().getPeerCertificates()[0];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Waits for the end; true when the server has closed the connection in order and nothing more
    /// is to be read.
    ///
    /// @throws UncheckedIOException after a TCP reset, or when nothing happens for a minute
    public boolean isClosedInOrder() {
        try {
            return in.read() < 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Waits for the end; true when the server has closed or reset the connection and nothing more
    /// is to be read.
    public boolean isClosedByServer() {
        try {
            return in.read() < 0;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    /// Reads whatever comes until the server has closed or reset the connection; false when it has
    /// not after a minute.
    public boolean isClosedByServerInTheEnd() {
        try {
            while (in.read() >= 0) {
                // An alert, or a last reply.
            }
            return true;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
