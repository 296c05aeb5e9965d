package org.slipstream.smtpout.wire;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
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
    private static final int DNS_NAME = 2;
    /// Certificates of providers have hundreds of names.
    private static final int NAMES_SHOWN = 4;

    private final X509ExtendedTrustManager decides;

    private CertificateCheck(X509ExtendedTrustManager decides) {
        this.decides = decides;
    }

    /// A refusal in words.
    static final class RefusedCertificate extends CertificateException {
        private static final long serialVersionUID = 1L;

        RefusedCertificate(String words, CertificateException refused) {
            super(words, refused);
        }
    }

    /// Sockets that check certificates.
    ///
    /// @param authorities empty for those of the Java runtime
    public static SSLSocketFactory factory(Optional<KeyStore> authorities) throws GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(authorities.orElse(null));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, Stream.of(trust.getTrustManagers()).filter(X509ExtendedTrustManager.class::isInstance)
                .map(each -> new CertificateCheck((X509ExtendedTrustManager) each))
                .toArray(CertificateCheck[]::new), null);
        return context.getSocketFactory();
    }

    /// The words of a refusal among the causes of a failed handshake.
    static Optional<String> words(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RefusedCertificate refused) {
                return Optional.ofNullable(refused.getMessage());
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
            throw new RefusedCertificate(reason(List.of(chain), host, Instant.now()), refused);
        }
    }

    /// The reason of a refusal: a date, another name, or the issuer.
    static String reason(List<X509Certificate> chain, String host, Instant now) {
        for (X509Certificate each : chain) {
            String which = each == chain.getFirst() ? "its certificate" : "the certificate of its issuer";
            if (now.isAfter(each.getNotAfter().toInstant())) {
                return which + " expired on " + each.getNotAfter().toInstant() + names(each);
            }
            if (now.isBefore(each.getNotBefore().toInstant())) {
                return which + " is valid from " + each.getNotBefore().toInstant() + " on" + names(each);
            }
        }
        X509Certificate own = chain.getFirst();
        List<String> names = namesOf(own);
        if (names.stream().noneMatch(name -> covers(name, host))) {
            return "its certificate is not for " + host + names(own);
        }
        String issuer = chain.getLast().getIssuerX500Principal().getName();
        return own.getIssuerX500Principal().equals(own.getSubjectX500Principal())
                ? "its certificate is self-signed" + names(own)
                : "no known authority signed its certificate; the issuer is " + issuer + names(own);
    }

    private static boolean covers(String name, String host) {
        int dot = host.indexOf('.');
        return name.equalsIgnoreCase(host)
                || name.startsWith("*.") && dot > 0 && name.substring(1).equalsIgnoreCase(host.substring(dot));
    }

    private static String names(X509Certificate certificate) {
        List<String> names = namesOf(certificate);
        String more = names.size() > NAMES_SHOWN ? " and " + (names.size() - NAMES_SHOWN) + " more" : "";
        return names.isEmpty()
                ? " (subject " + certificate.getSubjectX500Principal().getName() + ")"
                : " (for " + String.join(", ", names.subList(0, Math.min(NAMES_SHOWN, names.size()))) + more + ")";
    }

    private static List<String> namesOf(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            for (List<?> name : all == null ? List.<List<?>>of() : all) {
                if (name.get(1) instanceof String text && (name.getFirst().equals(DNS_NAME) || text.indexOf('@') < 0)) {
                    names.add(text);
                }
            }
        } catch (CertificateParsingException unreadable) {
            // The subject is shown instead.
            return List.of();
        }
        return names;
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
