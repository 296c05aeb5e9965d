package org.slipstream.guard.tls;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/// Creates the TLS context of the listeners, for STARTTLS and for implicit TLS.
///
/// All faults of the files are found here, at the start, and not by the first client: a key that
/// does not match the certificate would otherwise only show as a handshake failure without a
/// reason.
public final class TlsContexts {
    private static final Logger log = LoggerFactory.getLogger(TlsContexts.class);

    private TlsContexts() {}

    /// From the configured files, or from the self-signed pair in `<home>/tls`, which is created
    /// when missing.
    public static SSLContext open(TlsSettings tls, Path home, String hostname) throws TlsFailure {
        List<PairChooser.KeyPairEntry> pairs = new ArrayList<>();
        pairs.add(first(tls, home, hostname));
        for (TlsSettings.Pair further : tls.further()) {
            pairs.add(pair(further.certificate(), further.key()));
        }
        return context(pairs);
    }

    /// True when [#open] would create nothing.
    public static boolean areThere(TlsSettings tls, Path home, String hostname) {
        return tls.certificate().isPresent() || tls.key().isPresent()
                || new SelfSigned(home.resolve("tls"), hostname).isThere();
    }

    /// The certificates of a file in PEM.
    public static List<X509Certificate> certificates(Path file) throws TlsFailure {
        return PemFiles.chain(file);
    }

    /// The configured certificate with its chain; empty for a self-signed pair.
    public static List<X509Certificate> chain(TlsSettings tls) throws TlsFailure {
        return tls.certificate().isPresent() ? PemFiles.chain(tls.certificate().get()) : List.of();
    }

    /// True when one of the configured certificates has this name.
    public static boolean isFor(TlsSettings tls, String name) throws TlsFailure {
        List<Path> files = new ArrayList<>(tls.certificate().stream().toList());
        tls.further().forEach(pair -> files.add(pair.certificate()));
        for (Path file : files) {
            if (PairChooser.isFor(PairChooser.namesOf(PemFiles.chain(file).getFirst()), name)) {
                return true;
            }
        }
        return false;
    }

    /// The configured keys that every user of the machine can read.
    public static List<Path> openKeys(TlsSettings tls) {
        return Stream.concat(tls.key().stream(), tls.further().stream().map(TlsSettings.Pair::key))
                .distinct().filter(TlsContexts::isReadableByAll).toList();
    }

    /// A folder that others may not pass hides what is in it.
    private static boolean isReadableByAll(Path file) {
        try {
            Path real = file.toRealPath();
            if (!Files.getPosixFilePermissions(real).contains(PosixFilePermission.OTHERS_READ)) {
                return false;
            }
            for (Path folder = real.getParent(); folder != null; folder = folder.getParent()) {
                if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return false;
                }
            }
            return true;
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    /// True when no file is configured, so that only the self-signed pair exists.
    static boolean onlySelfSigned(TlsSettings tls) {
        return tls.certificate().isEmpty() && tls.key().isEmpty() && tls.further().isEmpty();
    }

    /// The files that [#open] reads.
    static List<Path> files(TlsSettings tls, Path home, String hostname) {
        SelfSigned made = new SelfSigned(home.resolve("tls"), hostname);
        List<Path> files = new ArrayList<>(
                List.of(tls.certificate().orElseGet(made::certificate), tls.key().orElseGet(made::key)));
        tls.further().forEach(pair -> files.addAll(List.of(pair.certificate(), pair.key())));
        return files;
    }

    private static PairChooser.KeyPairEntry first(TlsSettings tls, Path home, String hostname) throws TlsFailure {
        if (tls.certificate().isPresent() && tls.key().isPresent()) {
            return pair(tls.certificate().get(), tls.key().get());
        }
        if (tls.certificate().isPresent() || tls.key().isPresent()) {
            throw new TlsFailure(tls.certificate().isPresent()
                    ? "tls.certificate is set without tls.key: set both, or neither for a self-signed pair."
                    : "tls.key is set without tls.certificate: set both, or neither for a self-signed pair.");
        }
        SelfSigned pair = new SelfSigned(home.resolve("tls"), hostname);
        pair.makeIfMissing();
        return pair(pair.certificate(), pair.key());
    }

    private static PairChooser.KeyPairEntry pair(Path certificateFile, Path keyFile) throws TlsFailure {
        List<X509Certificate> chain = PemFiles.chain(certificateFile);
        PrivateKey key = PemFiles.key(keyFile);
        X509Certificate own = chain.getFirst();
        if (!belongTogether(own.getPublicKey(), key)) {
            throw new TlsFailure(keyFile, "The key " + keyFile + " does not belong to the first certificate in "
                    + certificateFile + " (" + own.getSubjectX500Principal().getName()
                    + "): put the server's own certificate first, and name its key.", null);
        }
        requireOrder(certificateFile, chain);
        warnOfDates(certificateFile, own, Instant.now());
        return new PairChooser.KeyPairEntry(chain, key);
    }

    // RFC 5246 section 7.4.2 and Java require it; TLS 1.3 only recommends it (RFC 8446 section
    // 4.4.2).
    private static void requireOrder(Path file, List<X509Certificate> chain) throws TlsFailure {
        for (int i = 0; i + 1 < chain.size(); i++) {
            X509Certificate each = chain.get(i);
            if (!each.getIssuerX500Principal().equals(chain.get(i + 1).getSubjectX500Principal())) {
                throw new TlsFailure(file, "The certificates in " + file + " are not a chain: "
                        + each.getSubjectX500Principal().getName() + " must be followed by its issuer "
                        + each.getIssuerX500Principal().getName() + ", or by nothing.", null);
            }
        }
    }

    // An expired certificate is better than none: opportunistic senders do not check its dates.
    private static void warnOfDates(Path file, X509Certificate certificate, Instant now) {
        if (now.isAfter(certificate.getNotAfter().toInstant())) {
            log.warn("event=certificate-expired file={} until={}", file, certificate.getNotAfter().toInstant());
        } else if (now.isBefore(certificate.getNotBefore().toInstant())) {
            log.warn("event=certificate-not-yet-valid file={} from={}", file,
                    certificate.getNotBefore().toInstant());
        }
    }

    private static SSLContext context(List<PairChooser.KeyPairEntry> pairs) throws TlsFailure {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[]{new PairChooser(pairs)}, null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new TlsFailure("This Java does not support TLS: " + e.getMessage() + ".", e);
        }
    }

    /// Signs and verifies: a test for every kind of key, without its mathematics.
    private static boolean belongTogether(PublicKey certified, PrivateKey key) throws TlsFailure {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "EdDSA", "Ed25519", "Ed448" -> "EdDSA";
            default -> throw new TlsFailure("Keys of type " + key.getAlgorithm() + " are not usable for TLS.");
        };
        byte[] text = new byte[32];
        new SecureRandom().nextBytes(text);
        try {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(text);
            byte[] signature = signing.sign();
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(certified);
            verifying.update(text);
            return verifying.verify(signature);
        } catch (InvalidKeyException | SignatureException otherKind) {
            return false;
        } catch (GeneralSecurityException e) {
            throw new TlsFailure("This Java cannot use " + algorithm + ": " + e.getMessage() + ".", e);
        }
    }
}
