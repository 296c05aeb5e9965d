package org.slipstream.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/// Self-signed key pairs as an operator without a certificate authority would make them, and faulty
/// ones.
///
/// A pair takes about a second, because `keytool` makes it; tests keep it in a static field.
public final class TestCertificates {
    private static final String SECRET = "secret";

    private TestCertificates() {}

    /// Serves a valid certificate for each name and 127.0.0.1, chosen by SNI, and trusts these and
    /// no others.
    public static SSLContext of(String... names) {
        List<String> options = List.of("-validity", "2");
        return context(store(options, names), names);
    }

    /// Serves a certificate whose validity ended nine days ago.
    public static SSLContext expired(String name) {
        List<String> options = List.of("-startdate", "-10d", "-validity", "1");
        return context(store(options, name), name);
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

    private static KeyStore store(List<String> options, String... names) {
        try {
            Path folder = Files.createTempDirectory("certificates");
            Path file = folder.resolve("server.p12");
            Path output = folder.resolve("keytool.log");
            try {
                for (String name : names) {
                    generate(file, name, options, output);
                }
                KeyStore keys = KeyStore.getInstance("PKCS12");
                try (InputStream in = Files.newInputStream(file)) {
                    keys.load(in, SECRET.toCharArray());
                }
                return keys;
            } finally {
                Files.deleteIfExists(file);
                Files.deleteIfExists(output);
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has PKCS12", e);
        }
    }

    private static void generate(Path store, String name, List<String> options, Path output) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", name,
                "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "SAN=dns:" + name + ",ip:127.0.0.1", "-storetype",
                "PKCS12",
                "-keystore", store.toString(), "-storepass", SECRET));
        command.addAll(options);
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                .start();
        try {
            if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IOException("keytool: " + Files.readString(output));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    // The default key manager serves the first key; NewSunX509 chooses by the name that the client
    // requested.
    private static SSLContext context(KeyStore keys, String... names) {
        try {
            KeyManagerFactory served = KeyManagerFactory.getInstance("NewSunX509");
            served.init(keys, SECRET.toCharArray());
            KeyStore certificates = KeyStore.getInstance("PKCS12");
            certificates.load(null, null);
            for (String name : names) {
                certificates.setCertificateEntry(name, keys.getCertificate(name));
            }
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(certificates);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(served.getKeyManagers(), trusted.getTrustManagers(), null);
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
