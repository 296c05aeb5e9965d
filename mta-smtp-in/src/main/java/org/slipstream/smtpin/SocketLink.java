package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.subethamail.smtp.server.Session;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/// A connection over the library's socket, in clear text and then perhaps in TLS. The library's own streams stay unused: they
/// are buffers around the same socket from which nobody has read yet.
///
/// A last wait in clear text is ended by the session's [Alarm], which closes our ear: the read ends, and a reply can still be
/// sent. Under TLS that would end the encryption too, and a wait that is not the last must leave the ear open; both are left to
/// the socket's own timeout.
final class SocketLink implements Link {
    private static final Logger log = LoggerFactory.getLogger(SocketLink.class);
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};
    private static final int BINDING_BYTES = 32;

    private final Session session;
    private final Socket tcp;
    private final Alarm alarm;
    private Socket socket;
    private InputStream in;
    private OutputStream out;
    private int timeoutMillis;
    private int alarmMillis;
    private volatile boolean deaf;

    /// @param clock for the alarm
    SocketLink(Session session, ScheduledExecutorService clock) throws IOException {
        this.session = session;
        this.alarm = new Alarm(clock, this::closeEar);
        this.tcp = session.getSocket();
        // Replies are collected by us; what is sent is meant to go.
        tcp.setTcpNoDelay(true);
        // The library made its writer on the accepting thread, where the JDK gives it 16 KiB; made again on a virtual thread it gets
        // 1 KiB. Nobody uses it, and an idle session weighs 11 KiB instead of 26.
        session.setSocket(tcp);
        adopt(tcp);
    }

    private void adopt(Socket other) throws IOException {
        socket = other;
        timeoutMillis = other.getSoTimeout();
        in = other.getInputStream();
        out = other.getOutputStream();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (alarmMillis == 0) {
            return in.read(into, offset, length);
        }
        alarm.set(alarmMillis);
        try {
            int count = in.read(into, offset, length);
            if (count < 0 && deaf) {
                throw new SocketTimeoutException("nothing within " + alarmMillis + " ms");
            }
            return count;
        } finally {
            alarm.clear();
        }
    }

    private void closeEar() {
        deaf = true;
        try {
            tcp.shutdownInput();
        } catch (IOException e) {
            // The client has gone, and whoever waits for it is told so.
        }
    }

    @Override
    public boolean isDeaf() {
        return deaf;
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        out.flush();
    }

    @Override
    public void patience(int millis) throws IOException {
        alarmMillis = 0;
        timeout(millis);
    }

    @Override
    public void lastPatience(int millis) throws IOException {
        alarmMillis = isTls() ? 0 : millis;
        timeout(isTls() ? millis : 0);
    }

    private void timeout(int millis) throws IOException {
        if (timeoutMillis != millis) {
            socket.setSoTimeout(millis);
            timeoutMillis = millis;
        }
    }

    // By address and port: a name would be looked up in the DNS, and has no use on this side.
    @Override
    public String startTls(SSLContext context) throws IOException {
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket,
                socket.getInetAddress().getHostAddress(), socket.getPort(), true);
        tls.setUseClientMode(false);
        tls.setEnabledProtocols(VERSIONS);
        tls.startHandshake();
        session.setSocket(tls);
        session.setTlsStarted(true);
        adopt(tls);
        return tls.getSession().getProtocol() + " " + tls.getSession().getCipherSuite();
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

    // RFC 9266 section 2. Under TLS 1.2 it needs the extended master secret; the JDK throws when there was none.
    private static Optional<byte[]> exporter(SSLSession tls) {
        try {
            return tls instanceof ExtendedSSLSession extended
                    ? Optional.of(extended.exportKeyingMaterialData("EXPORTER-Channel-Binding", new byte[0],
                            BINDING_BYTES))
                    : Optional.empty();
        } catch (IOException | RuntimeException unavailable) {
            log.debug("binding=tls-exporter unavailable=\"{}\"", LogText.text(unavailable.toString()));
            return Optional.empty();
        }
    }

    // RFC 5929 section 4.1: the certificate's hash, by the hash of its signature, but SHA-256 for MD5 and SHA-1.
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
            log.debug("binding=tls-server-end-point unavailable=\"{}\"", LogText.text(unavailable.toString()));
            return Optional.empty();
        }
    }

    @Override
    public void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /// The session is over.
    void watchNoMore() {
        alarm.close();
    }

    @Override
    public void cut() {
        alarm.close();
        try {
            tcp.close();
        } catch (IOException e) {
            // There is nothing left to save.
        }
    }
}
