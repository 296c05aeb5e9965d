package org.slipstream.smtpin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Self-signed pairs as an operator without a certificate authority would make them; made once for all tests.
final class Certificates {
    private static final String SECRET = "secret";

    private Certificates() {}

    /// Serves and trusts `mx.test`.
    static SSLContext mx() {
        return Holder.MX;
    }

    /// Serves `one.test` and `two.test`, and trusts both.
    static SSLContext both() {
        return Holder.BOTH;
    }

    private static final class Holder {
        static final SSLContext MX = context("mx.test");
        static final SSLContext BOTH = context("one.test", "two.test");
    }

    private static SSLContext context(String... names) {
        try {
            Path folder = Files.createTempDirectory("certificates");
            Path store = folder.resolve("server.p12");
            for (String name : names) {
                generate(store, name, folder.resolve("keytool.log"));
            }
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, SECRET.toCharArray());
            }
            try (var files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
            return context(keys, names);
        } catch (IOException | GeneralSecurityException e) {
            throw new LinkageError("a key pair can be made", e);
        }
    }

    private static void generate(Path store, String name, Path output) throws IOException {
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "SAN=dns:" + name,
                "-validity", "2", "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", SECRET)
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IOException("keytool: " + Files.readString(output));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    // The default key manager takes the first key; this one (NewSunX509) looks at the name the client asked for.
    private static SSLContext context(KeyStore keys, String... names) throws GeneralSecurityException, IOException {
        KeyManagerFactory ours = KeyManagerFactory.getInstance("NewSunX509");
        ours.init(keys, SECRET.toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        for (String name : names) {
            trusted.setCertificateEntry(name, keys.getCertificate(name));
        }
        TrustManagerFactory theirs = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        theirs.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(ours.getKeyManagers(), theirs.getTrustManagers(), null);
        return context;
    }
}
