package org.slipstream.cluster.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/// Keys of clusters, made by the tool of the JDK.
final class Identities {
    private static final String WORD = "changeit";

    private Identities() {}

    static Path file(Path folder, String name) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve(name + ".p12");
        Process tool = new ProcessBuilder(System.getProperty("java.home") + "/bin/keytool", "-genkeypair", "-alias",
                "cluster", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name, "-validity", "1",
                "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", WORD)
                .redirectErrorStream(true).start();
        String said = new String(tool.getInputStream().readAllBytes());
        if (tool.waitFor() != 0) {
            throw new IOException(said);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, WORD.toCharArray());
        }
        return Files.writeString(folder.resolve(name + ".pem"),
                pem("PRIVATE KEY", keys.getKey("cluster", WORD.toCharArray()).getEncoded())
                        + pem("CERTIFICATE", keys.getCertificate("cluster").getEncoded()));
    }

    private static String pem(String kind, byte[] octets) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(octets)
                + "\n-----END " + kind + "-----\n";
    }
}
