package org.slipstream.smtpout.wire;

import org.slipstream.auth.dane.DaneCertificates;
import org.slipstream.auth.dane.TlsaRecord;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.TlsDemand;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// TLS without authentication (RFC 7435), which protects from passive attackers. Checking
/// certificates here would protect from nothing more, because an active attacker can remove
/// STARTTLS from the EHLO reply. It would also lose mail to the many MX hosts with a self-signed
/// certificate.
///
/// The first use loads some hundred classes of the JDK. Virtual threads that load them, or wait for
/// another to do so, pin their carrier threads, of which there are only as many as processors. So a
/// platform thread loads them once ahead of time, and earlier users wait without pinning a carrier
/// thread.
final class OpportunisticTls {
    static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    /// Shared by all wires, so that sessions are resumed.
    private static final FutureTask<SSLSocketFactory> FACTORY = new FutureTask<>(OpportunisticTls::prepare);
    private static final AtomicBoolean PREPARING = new AtomicBoolean();

    private static final int MOST_DEMANDS = 200;

    // Guarded by itself. In order of use.
    private static final LinkedHashMap<TlsDemand, SSLSocketFactory> NAMING = new LinkedHashMap<>(16, 0.75f, true);

    private OpportunisticTls() {}

    /// Starts the preparation once.
    static void warmUp() {
        if (PREPARING.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("out-tls").start(FACTORY);
        }
    }

    static SSLSocketFactory factory(long millis) throws IOException {
        warmUp();
        try {
            return FACTORY.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("this Java runtime has no TLS", e);
        } catch (TimeoutException e) {
            throw new IOException("TLS is not ready after " + millis + " ms", e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("a carrier must not be interrupted", e);
        }
    }

    private static SSLSocketFactory prepare() throws IOException {
        SSLContext context = context(new TrustAnyone());
        // As far as a client gets without a server: ClientHello.
        SSLEngine rehearsal = context.createSSLEngine("localhost", 25);
        rehearsal.setUseClientMode(true);
        rehearsal.setEnabledProtocols(VERSIONS);
        rehearsal.wrap(ByteBuffer.allocate(0), ByteBuffer.allocate(rehearsal.getSession().getPacketBufferSize()));
        return context.getSocketFactory();
    }

    static SSLContext context(TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[]{trust}, new SecureRandom());
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new LinkageError("every Java runtime has TLS", impossible);
        }
    }

    /// Sockets that demand a certificate which TLSA records name, shared by connections with equal demands
    /// only: a resumed session is not checked again, so it must not be found under another demand.
    static SSLSocketFactory naming(TlsDemand demand) {
        synchronized (NAMING) {
            SSLSocketFactory sockets = NAMING.computeIfAbsent(demand, OpportunisticTls::checking);
            if (NAMING.size() > MOST_DEMANDS) {
                NAMING.remove(NAMING.firstEntry().getKey());
            }
            return sockets;
        }
    }

    private static SSLSocketFactory checking(TlsDemand demand) {
        return context(new NamedInDns(demand.associations().stream()
                .flatMap(each -> TlsaRecord.usable(each).stream()).toList(), demand.names())).getSocketFactory();
    }

    private static final class NamedInDns extends TrustAnyone {
        private final List<TlsaRecord> records;
        private final List<String> names;

        NamedInDns(List<TlsaRecord> records, List<String> names) {
            this.records = records;
            this.names = names;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            Optional<String> refused = DaneCertificates.refusal(records, names, List.of(chain), Instant.now());
            if (refused.isPresent()) {
                throw new CertificateCheck.RefusedCertificate(TlsResult.TLSA_INVALID, refused.get(),
                        new CertificateException("DANE"));
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("TLSA records are checked on sockets only");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("TLSA records are checked on sockets only");
        }
    }

    // The extended interface, because the JDK wraps the plain one in checks of its own.
    private static class TrustAnyone extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
