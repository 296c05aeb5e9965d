package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/// A connection over a socket, in clear text and later perhaps in TLS.
///
/// The session's thread records each wait, and the [SessionWatchdog] ends it when it is over: a read by
/// ending the input, so that a last reply can still be sent, everything else by closing the TCP
/// connection. TLS may write while it reads, so a read can continue after its input has ended; it is
/// aborted when `linger` is over. An abort at the next scan would lose that reply under
/// load, when the session's thread notices the end of its input only after that scan.
final class SocketLink implements Link {
    private static final Logger log = LoggerFactory.getLogger(SocketLink.class);
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};
    private static final int BINDING_BYTES = 32;

    private final long number;
    private final AcceptedSocket tcp;
    private Socket socket;
    private InputStream in;
    private OutputStream out;
    // Two, because the thread that stops the listener writes while the session's thread reads.
    private volatile ClientWait reading = ClientWait.NONE;
    private volatile ClientWait writing = ClientWait.NONE;
    private final long lingerNanos;
    // Since when the input has ended. Only the watchdog uses it.
    private ClientWait ended = ClientWait.NONE;

    /// @param number of the session, for the log
    /// @param linger how long a read may continue after its input has ended
    SocketLink(AcceptedSocket tcp, long number, Duration linger) throws IOException {
        this.tcp = tcp;
        this.number = number;
        this.lingerNanos = linger.toNanos();
        // SmtpStream collects replies, so each write is complete.
        tcp.setTcpNoDelay(true);
        tcp.setSoTimeout(0);
        adopt(tcp);
    }

    private void adopt(Socket other) throws IOException {
        socket = other;
        in = other.getInputStream();
        out = other.getOutputStream();
    }

    @Override
    public int read(byte[] into, int offset, int length, ClientWait wait) throws IOException {
        reading = wait;
        try {
            return in.read(into, offset, length);
        } finally {
            reading = ClientWait.NONE;
        }
    }

    @Override
    public int readWithin(byte[] into, int offset, int length, int millis, ClientWait wait) throws IOException {
        tcp.setSoTimeout(millis);
        try {
            return read(into, offset, length, wait);
        } finally {
            tcp.setSoTimeout(0);
        }
    }

    @Override
    public boolean isInputEnded() {
        return tcp.isTimedOut();
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public void write(byte[] bytes, int offset, int length, ClientWait wait) throws IOException {
        writing = wait;
        try {
            out.write(bytes, offset, length);
            out.flush();
        } finally {
            writing = ClientWait.NONE;
        }
    }

    // By address and port: a host name would cause a DNS lookup and has no use on this side.
    @Override
    public String startTls(SSLContext context, ClientWait wait) throws IOException {
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(tcp, tcp.getInetAddress().getHostAddress(),
                tcp.getPort(), true);
        tls.setUseClientMode(false);
        tls.setEnabledProtocols(VERSIONS);
        tls.setEnabledCipherSuites(authenticated(tls.getEnabledCipherSuites()));
        writing = wait;
        try {
            tls.startHandshake();
        } finally {
            writing = ClientWait.NONE;
        }
        // A client that renegotiates (TLS 1.2) finds no common cipher suite, and its connection
        // closes. The JDK's own switch applies to the whole process and is read once, perhaps
        // before this code runs.
        tls.setEnabledCipherSuites(new String[0]);
        adopt(tls);
        return tls.getSession().getProtocol() + " " + tls.getSession().getCipherSuite();
    }

    // AEAD suites only: CBC with HMAC has been a source of attacks for twenty years (RFC 9325
    // section 4.2).
    private static String[] authenticated(String[] suites) {
        return Arrays.stream(suites)
                .filter(suite -> suite.contains("_GCM_") || suite.contains("_POLY1305_")).toArray(String[]::new);
    }

    @Override
    public boolean isTls() {
        return socket instanceof SSLSocket;
    }

    @Override
    public Map<String, byte[]> bindings() {
        Map<String, byte[]> values = new HashMap<>();
        if (socket instanceof SSLSocket tls) {
            exporter(tls.getSession()).ifPresent(value -> values.put("tls-exporter", value));
            endPoint(tls.getSession()).ifPresent(value -> values.put("tls-server-end-point", value));
        }
        return values;
    }

    @Override
    public Optional<InetAddress> localAddress() {
        return Optional.ofNullable(tcp.getLocalAddress());
    }

    // RFC 9266 section 2. Under TLS 1.2 it needs the extended master secret; otherwise the JDK
    // throws.
    private static Optional<byte[]> exporter(SSLSession tls) {
        try {
            return tls instanceof ExtendedSSLSession extended
                    ? Optional.of(extended.exportKeyingMaterialData("EXPORTER-Channel-Binding", new byte[0],
                            BINDING_BYTES))
                    : Optional.empty();
        } catch (IOException | RuntimeException unavailable) {
            log.debug("event=channel-binding-unavailable binding=tls-exporter error=\"{}\"",
                    LogText.text(unavailable.toString()));
            return Optional.empty();
        }
    }

    // RFC 5929 section 4.1: the certificate's hash, with the hash of its signature, but SHA-256
    // instead of MD5 and SHA-1.
    private static Optional<byte[]> endPoint(SSLSession tls) {
        try {
            if (tls.getLocalCertificates() == null
                    || !(tls.getLocalCertificates()[0] instanceof X509Certificate certificate)) {
                return Optional.empty();
            }
            String signature = certificate.getSigAlgName().toUpperCase(Locale.ROOT);
            String hash = signature.startsWith("SHA384")
                    ? "SHA-384"
                    : signature.startsWith("SHA512")
                            ? "SHA-512"
                            : "SHA-256";
            return Optional.of(MessageDigest.getInstance(hash).digest(certificate.getEncoded()));
        } catch (GeneralSecurityException unavailable) {
            log.debug("event=channel-binding-unavailable binding=tls-server-end-point error=\"{}\"",
                    LogText.text(unavailable.toString()));
            return Optional.empty();
        }
    }

    @Override
    public void endOutput(ClientWait wait) throws IOException {
        writing = wait;
        try {
            socket.shutdownOutput();
        } finally {
            writing = ClientWait.NONE;
        }
    }

    /// Closes, under TLS with a close_notify.
    void close(ClientWait wait) {
        writing = wait;
        try {
            socket.close();
        } catch (IOException gone) {
            // The client has disconnected before.
        } finally {
            writing = ClientWait.NONE;
            abort();
        }
    }

    /// Ends a wait that is over. Called by the watchdog; does not block.
    void endIfOver(long nowNanos, Predicate<ClientWait> over) {
        if (tcp.isClosed()) {
            return;
        }
        boolean readIsOver = over.test(reading);
        if (over.test(writing) || readIsOver && ended.isOver(nowNanos)) {
            log.info("event=connection-aborted session={} client={} reason=\"Timeout exceeded\"", number,
                    ReceivedLine.literal(tcp.getInetAddress()));
            abort();
        } else if (readIsOver && !isInputEnded()) {
            ended = new ClientWait(nowNanos, lingerNanos);
            tcp.timeOut();
        }
    }

    @Override
    public void awaitAbort(Duration most) throws InterruptedException {
        tcp.awaitClose(most);
    }

    @Override
    public void abort() {
        try {
            tcp.close();
        } catch (IOException e) {
            // Nothing is left to release.
        }
    }
}
