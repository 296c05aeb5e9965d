package org.slipstream.testkit;

import org.slipstream.sink.server.SinkCertificates;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/// Self-signed key pairs as an operator without a certificate authority would make them, and faulty
/// ones.
public final class TestCertificates {
    private TestCertificates() {}

    /// Serves a valid certificate for each name and 127.0.0.1, chosen by SNI, and trusts these and
    /// no others.
    public static SSLContext of(String... names) {
        return context(keys(Duration.ofDays(-1), Duration.ofDays(2), names), names);
    }

    /// Serves a certificate whose validity ended nine days ago.
    public static SSLContext expired(String name) {
        return context(keys(Duration.ofDays(-10), Duration.ofDays(-9), name), name);
    }

    /// Writes a certificate whose validity ended nine days ago, and its key, in PEM.
    public static void writeExpired(String name, Path certificate, Path key) throws IOException {
        KeyStore keys = keys(Duration.ofDays(-10), Duration.ofDays(-9), name);
        Files.writeString(certificate, certificatePem(keys, name));
        Files.writeString(key, keyPem(keys, name));
    }

    /// Writes a valid certificate and its key into one file, in PEM.
    public static void writePair(String name, Path file) throws IOException {
        KeyStore keys = keys(Duration.ofDays(-1), Duration.ofDays(2), name);
        Files.writeString(file, certificatePem(keys, name) + keyPem(keys, name));
    }

    private static String certificatePem(KeyStore keys, String name) {
        try {
            return pem("CERTIFICATE", keys.getCertificate(name).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has X.509", e);
        }
    }

    private static String keyPem(KeyStore keys, String name) {
        try {
            return pem("PRIVATE KEY", keys.getKey(name, new char[0]).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has PKCS12", e);
        }
    }

    private static String pem(String kind, byte[] octets) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(octets) + "\n-----END " + kind
                + "-----\n";
    }

    /// Verifies nothing, for clients that are shown a certificate and look at it themselves.
    public static SSLContext trustingAll() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[]{new TrustingAll()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has TLS", e);
        }
    }

    private static KeyStore keys(Duration from, Duration until, String... names) {
        Instant now = Instant.now();
        return SinkCertificates.keys(now.plus(from), now.plus(until), names);
    }

    private static SSLContext context(KeyStore keys, String... names) {
        try {
            KeyStore certificates = KeyStore.getInstance("PKCS12");
            certificates.load(null, null);
            for (String name : names) {
                certificates.setCertificateEntry(name, keys.getCertificate(name));
            }
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(certificates);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(SinkCertificates.served(keys).getKeyManagers(), trusted.getTrustManagers(), null);
            return context;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has TLS", e);
        }
    }

    /// The extended form also switches off the JDK's own checks of algorithms.
    private static final class TrustingAll extends X509ExtendedTrustManager {
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
