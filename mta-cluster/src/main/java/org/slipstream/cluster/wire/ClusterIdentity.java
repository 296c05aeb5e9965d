package org.slipstream.cluster.wire;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// The key that all nodes of a cluster have, with its self-signed certificate: a node is a peer that proves in
/// the handshake of TLS 1.3 (RFC 8446 section 4.4) to have it.
///
/// The certificate is compared octet by octet. So its names and dates do not matter, no authority can vouch for
/// a stranger, and an address of a node needs no name. One file for all nodes is the most that two people
/// remember to renew; a node that must not be trusted any more means a new file for the others.
public final class ClusterIdentity {
    private static final int MOST_OCTETS = 64 << 10;
    private static final Pattern BLOCK = Pattern
            .compile("-----BEGIN (CERTIFICATE|PRIVATE KEY)-----\\s([A-Za-z0-9+/=\\s]+)-----END \\1-----");

    private final SSLContext context;

    private ClusterIdentity(SSLContext context) {
        this.context = context;
    }

    /// @param file a certificate and its private key (PKCS #8) in PEM, in any order
    /// @throws IOException with a sentence for the operator
    public static ClusterIdentity read(Path file) throws IOException {
        if (Files.size(file) > MOST_OCTETS) {
            throw new IOException(file + " is longer than " + MOST_OCTETS + " octets");
        }
        try {
            return of(file, Files.readString(file, StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException | IllegalArgumentException unusable) {
            throw new IOException(file + " is not usable: " + unusable.getMessage(), unusable);
        }
    }

    private static ClusterIdentity of(Path file, String text) throws GeneralSecurityException, IOException {
        byte[] certificate = {};
        byte[] key = {};
        for (Matcher block = BLOCK.matcher(text); block.find();) {
            byte[] octets = Base64.getMimeDecoder().decode(block.group(2));
            if (block.group(1).equals("CERTIFICATE")) {
                certificate = octets;
            } else {
                key = octets;
            }
        }
        if (certificate.length == 0 || key.length == 0) {
            throw new IOException(file + " must have a CERTIFICATE and a PRIVATE KEY in PEM");
        }
        X509Certificate own = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(certificate));
        return new ClusterIdentity(context(own, key(own, key)));
    }

    private static PrivateKey key(X509Certificate certificate, byte[] key) throws GeneralSecurityException {
        String algorithm = certificate.getPublicKey().getAlgorithm();
        return KeyFactory.getInstance(algorithm.toUpperCase(Locale.ROOT)).generatePrivate(new PKCS8EncodedKeySpec(key));
    }

    private static SSLContext context(X509Certificate own, PrivateKey key)
            throws GeneralSecurityException, IOException {
        char[] none = {};
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, none);
        store.setKeyEntry("cluster", key, none, new X509Certificate[]{own});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, none);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(keys.getKeyManagers(), new TrustManager[]{new OnlyThisCertificate(own)}, null);
        return context;
    }

    SSLContext context() {
        return context;
    }

    /// For the port: a client without the key does not get through the handshake.
    SSLSocketFactory serverSockets() {
        return new DemandingSockets(context.getSocketFactory());
    }

    /// Trusts one certificate.
    private static final class OnlyThisCertificate extends X509ExtendedTrustManager {
        private final X509Certificate own;

        OnlyThisCertificate(X509Certificate own) {
            this.own = own;
        }

        private void require(X509Certificate[] chain) throws CertificateException {
            if (chain.length == 0 || !Arrays.equals(chain[0].getEncoded(), own.getEncoded())) {
                throw new CertificateException("the peer does not belong to this cluster");
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            require(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            require(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            require(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            require(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            require(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            require(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /// Sockets that demand the certificate of the client.
    private static final class DemandingSockets extends SSLSocketFactory {
        private final SSLSocketFactory sockets;

        DemandingSockets(SSLSocketFactory sockets) {
            this.sockets = sockets;
        }

        private static Socket demanding(Socket socket) {
            SSLSocket secured = (SSLSocket) socket;
            secured.setUseClientMode(false);
            secured.setNeedClientAuth(true);
            return secured;
        }

        @Override
        public Socket createSocket(Socket socket, String host, int port, boolean autoClose) throws IOException {
            return demanding(sockets.createSocket(socket, host, port, autoClose));
        }

        @Override
        public Socket createSocket(Socket socket, InputStream consumed, boolean autoClose) throws IOException {
            return demanding(sockets.createSocket(socket, consumed, autoClose));
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return demanding(sockets.createSocket(host, port));
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
            return demanding(sockets.createSocket(host, port, local, localPort));
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return demanding(sockets.createSocket(host, port));
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
            return demanding(sockets.createSocket(host, port, local, localPort));
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return sockets.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return sockets.getSupportedCipherSuites();
        }
    }
}
