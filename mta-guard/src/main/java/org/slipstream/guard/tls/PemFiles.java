package org.slipstream.guard.tls;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.openssl.PEMEncryptedKeyPair;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.pkcs.PKCS8EncryptedPrivateKeyInfo;
import org.slipstream.settings.BoundedFiles;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/// Reads PEM files (RFC 7468) in the forms of certificate authorities and `openssl`: certificate
/// chains; keys in PKCS#8, PKCS#1 (`RSA PRIVATE KEY`) and SEC 1 (`EC PRIVATE KEY`) without a
/// passphrase. Text around the blocks and blocks of other kinds are skipped: a file may hold chain
/// and key together.
final class PemFiles {
    private PemFiles() {}

    /// At least one certificate, in the order of the file.
    static List<X509Certificate> chain(Path file) throws TlsFailure {
        JcaX509CertificateConverter converter = new JcaX509CertificateConverter();
        List<X509Certificate> chain = new ArrayList<>();
        for (Object block : blocks("certificate", file)) {
            if (block instanceof X509CertificateHolder holder) {
                try {
                    chain.add(converter.getCertificate(holder));
                } catch (CertificateException e) {
                    throw damaged("certificate", file, e);
                }
            }
        }
        if (chain.isEmpty()) {
            throw new TlsFailure(file, "The certificate " + file
                    + " has no block \"BEGIN CERTIFICATE\": a certificate chain in PEM form is required.", null);
        }
        return chain;
    }

    static PrivateKey key(Path file) throws TlsFailure {
        JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
        for (Object block : blocks("key", file)) {
            try {
                switch (block) {
                    case PrivateKeyInfo pkcs8 -> {
                        return converter.getPrivateKey(pkcs8);
                    }
                    case PEMKeyPair pair -> {
                        return converter.getPrivateKey(pair.getPrivateKeyInfo());
                    }
                    case PKCS8EncryptedPrivateKeyInfo _,PEMEncryptedKeyPair _ -> throw new TlsFailure(file, "The key "
                            + file
                            + " is encrypted with a passphrase, which cannot be entered at a start: store it without one, "
                            + "readable by this user alone.", null);
                    default -> {
                        // A certificate, or the parameters that some programs write before an EC
                        // key.
                    }
                }
            } catch (IOException e) {
                throw damaged("key", file, e);
            }
        }
        throw new TlsFailure(file, "The key " + file
                + " has no block \"BEGIN PRIVATE KEY\": a key in PEM form (PKCS#8, PKCS#1 or SEC 1) is required.",
                null);
    }

    private static List<Object> blocks(String what, Path file) throws TlsFailure {
        List<Object> blocks = new ArrayList<>();
        // Text around the blocks may be in any charset; ISO 8859-1 decodes every byte.
        try (PEMParser parser = new PEMParser(new StringReader(new String(
                BoundedFiles.bytes(file, BoundedFiles.MOST_TEXT_OCTETS), StandardCharsets.ISO_8859_1)))) {
            for (Object block = parser.readObject(); block != null; block = parser.readObject()) {
                blocks.add(block);
            }
            return blocks;
        } catch (NoSuchFileException e) {
            throw new TlsFailure(file, "The " + what + " " + file + " does not exist.", e);
        } catch (AccessDeniedException e) {
            throw new TlsFailure(file, "The " + what + " " + file + " is not readable for this user.", e);
        } catch (IOException | RuntimeException e) {
            // The parser throws these for broken Base64 and broken ASN.1.
            throw Files.isDirectory(file)
                    ? new TlsFailure(file, "The " + what + " " + file + " is a directory.", e)
                    : damaged(what, file, e);
        }
    }

    private static TlsFailure damaged(String what, Path file, Exception e) {
        return new TlsFailure(file, "The " + what + " " + file + " is damaged: " + e.getMessage() + ".", e);
    }
}
