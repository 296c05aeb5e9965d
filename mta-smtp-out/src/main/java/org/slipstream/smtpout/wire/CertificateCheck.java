package org.slipstream.smtpout.wire;

import org.slipstream.auth.dane.CertificateNames;
import org.slipstream.auth.tlsreport.TlsResult;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/// The check of a host's certificate, with the reason of a refusal in words: its dates, its names, its
/// issuer. Java's own text names a step of its algorithm and not the certificate.
///
/// The decision is Java's; this class only looks for the reason afterwards.
public final class CertificateCheck extends X509ExtendedTrustManager {
    private static final String EXPIRED = " expired on ";
    private static final String NOT_FOR = " is not for ";
    /// Certificates of providers have hundreds of names.
    private static final int NAMES_SHOWN = 4;

    private final X509ExtendedTrustManager decides;
    private Optional<SSLSocketFactory> sockets = Optional.empty();

    private CertificateCheck(X509ExtendedTrustManager decides) {
        this.decides = decides;
    }

    /// A refusal in words.
    public static final class RefusedCertificate extends CertificateException {
        private static final long serialVersionUID = 1L;

        private final TlsResult result;

        RefusedCertificate(TlsResult result, String words, CertificateException refused) {
            super(words, refused);
            this.result = result;
        }

        /// As a TLS report counts it.
        public TlsResult result() {
            return result;
        }
    }

    /// The reason for which a certificate that was accepted without a check would be refused.
    public Optional<RefusedCertificate> judge(List<X509Certificate> chain, String host) {
        try {
            decides.checkServerTrusted(chain.toArray(X509Certificate[]::new), "UNKNOWN");
            return CertificateNames.cover(chain.getFirst(), host)
                    ? Optional.empty()
                    : Optional.of(refusal(chain, host, new CertificateException("another name")));
        } catch (CertificateException refused) {
            return Optional.of(refusal(chain, host, refused));
        }
    }

    /// Knows authorities, and refuses in words.
    ///
    /// @param authorities empty for those of the Java runtime
    public static CertificateCheck trusting(Optional<KeyStore> authorities) throws GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(authorities.orElse(null));
        return Stream.of(trust.getTrustManagers()).filter(X509ExtendedTrustManager.class::isInstance)
                .map(each -> new CertificateCheck((X509ExtendedTrustManager) each)).findFirst()
                .orElseThrow(() -> new GeneralSecurityException("this Java runtime checks no certificates"));
    }

    /// Sockets that check certificates. They have one context, so a later session can resume an earlier one.
    public synchronized SSLSocketFactory sockets() {
        if (sockets.isEmpty()) {
            sockets = Optional.of(context().getSocketFactory());
        }
        return sockets.get();
    }

    /// TLS with this check.
    public SSLContext context() {
        return OpportunisticTls.context(this);
    }

    /// The refusal among the causes of a failed handshake.
    static Optional<RefusedCertificate> refusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RefusedCertificate refused) {
                return Optional.of(refused);
            }
        }
        return Optional.empty();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        try {
            decides.checkServerTrusted(chain, type, socket);
        } catch (CertificateException refused) {
            String host = Objects.toString(((SSLSocket) socket).getHandshakeSession().getPeerHost(), "");
            throw refusal(List.of(chain), host, refused);
        }
    }

    private static RefusedCertificate refusal(List<X509Certificate> chain, String host, CertificateException refused) {
        String words = reason(chain, host, Instant.now());
        TlsResult result = words.contains(EXPIRED)
                ? TlsResult.CERTIFICATE_EXPIRED
                : words.contains(NOT_FOR)
                        ? TlsResult.CERTIFICATE_HOST_MISMATCH
                        : TlsResult.CERTIFICATE_NOT_TRUSTED;
        return new RefusedCertificate(result, words, refused);
    }

    /// The reason of a refusal: a date, another name, or the issuer.
    static String reason(List<X509Certificate> chain, String host, Instant now) {
        for (X509Certificate each : chain) {
            String which = each == chain.getFirst() ? "its certificate" : "the certificate of its issuer";
            if (now.isAfter(each.getNotAfter().toInstant())) {
                return which + EXPIRED + each.getNotAfter().toInstant() + names(each);
            }
            if (now.isBefore(each.getNotBefore().toInstant())) {
                return which + " is valid from " + each.getNotBefore().toInstant() + " on" + names(each);
            }
        }
        X509Certificate own = chain.getFirst();
        if (!CertificateNames.cover(own, host)) {
            return "its certificate" + NOT_FOR + host + names(own);
        }
        String issuer = chain.getLast().getIssuerX500Principal().getName();
        return own.getIssuerX500Principal().equals(own.getSubjectX500Principal())
                ? "its certificate is self-signed" + names(own)
                : "no known authority signed its certificate; the issuer is " + issuer + names(own);
    }

    private static String names(X509Certificate certificate) {
        List<String> names = CertificateNames.of(certificate);
        String more = names.size() > NAMES_SHOWN ? " and " + (names.size() - NAMES_SHOWN) + " more" : "";
        return names.isEmpty()
                ? " (subject " + certificate.getSubjectX500Principal().getName() + ")"
                : " (for " + String.join(", ", names.subList(0, Math.min(NAMES_SHOWN, names.size()))) + more + ")";
    }

    // ---- not used by a client with sockets

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        decides.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        decides.checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        decides.checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        decides.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        decides.checkClientTrusted(chain, type, engine);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return decides.getAcceptedIssuers();
    }
}
