package org.slipstream.smtpout.wire;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// TLS without authentication (RFC 7435): it keeps out who only listens. Checking certificates here would keep out nobody
/// else, because whoever can forge one can also take STARTTLS out of the EHLO reply, and it would lose mail to the many
/// MX hosts with a self-signed one.
final class OpportunisticTls {
    /// One for all wires, so that sessions are resumed.
    static final SSLSocketFactory FACTORY = factory();
    static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private OpportunisticTls() {}

    private static SSLSocketFactory factory() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[]{new TrustAnyone()}, new SecureRandom());
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no TLS", e);
        }
    }

    // The extended kind, because the JDK wraps the plain one with checks of its own.
    private static final class TrustAnyone extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
