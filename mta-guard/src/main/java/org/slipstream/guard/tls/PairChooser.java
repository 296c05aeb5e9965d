package org.slipstream.guard.tls;

import org.jspecify.annotations.Nullable;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;

/// Chooses the certificate for a client: the one with the name in the client's SNI (RFC 6066
/// section 3), and the first one without such a name or such a certificate.
///
/// The JDK asks once for each kind of key that the client can verify, in the client's order. For a
/// pair of another kind the answer is `null`, and the JDK asks for the next kind. If the first
/// certificate were returned instead, a client whose name is on an RSA certificate would get
/// another name's EC certificate. The JDK's own manager for several pairs is not used because its
/// choice for clients without a name depends on the order of a hash table.
///
/// Aliases are the pairs' positions.
final class PairChooser extends X509ExtendedKeyManager {
    /// @param chain own certificate first
    record KeyPairEntry(List<X509Certificate> chain, PrivateKey key, Set<String> names) {
        KeyPairEntry(List<X509Certificate> chain, PrivateKey key) {
            this(List.copyOf(chain), key, namesOf(chain.getFirst()));
        }

        boolean isFor(String name) {
            return PairChooser.isFor(names, name);
        }
    }

    // RFC 6125 section 6.4.3: a star matches one whole label at the left.
    static boolean isFor(Set<String> names, String name) {
        int dot = name.indexOf('.');
        return names.contains(name) || dot > 0 && names.contains("*" + name.substring(dot));
    }

    static Set<String> namesOf(X509Certificate certificate) {
        try {
            Collection<List<?>> alternatives = Optional.ofNullable(certificate.getSubjectAlternativeNames())
                    .orElse(List.of());
            // 2 is dNSName (RFC 5280 section 4.2.1.6).
            return alternatives.stream().filter(each -> each.getFirst().equals(2))
                    .map(each -> each.get(1).toString().toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
        } catch (CertificateParsingException unreadable) {
            return Set.of();
        }
    }

    private final List<KeyPairEntry> pairs;

    /// @param pairs at least one
    PairChooser(List<KeyPairEntry> pairs) {
        this.pairs = List.copyOf(pairs);
    }

    /// The position of the pair; empty when it has no key of this kind.
    Optional<Integer> choose(String keyType, Optional<String> name) {
        List<Integer> named = name.map(n -> n.toLowerCase(Locale.ROOT)).map(
                n -> IntStream.range(0, pairs.size()).filter(i -> pairs.get(i).isFor(n)).boxed().toList())
                .orElse(List.of());
        List<Integer> candidates = named.isEmpty() ? List.of(0) : named;
        return candidates.stream().filter(i -> pairs.get(i).key().getAlgorithm().equals(keyType)).findFirst();
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
        return alias(keyType, socket instanceof SSLSocket tls ? tls.getHandshakeSession() : null);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        return alias(keyType, engine.getHandshakeSession());
    }

    private @Nullable String alias(String keyType, @Nullable SSLSession session) {
        Optional<String> name = session instanceof ExtendedSSLSession extended
                ? extended.getRequestedServerNames().stream().filter(SNIHostName.class::isInstance)
                        .map(asked -> ((SNIHostName) asked).getAsciiName()).findFirst()
                : Optional.empty();
        return choose(keyType, name).map(String::valueOf).orElse(null);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return pairs.get(Integer.parseInt(alias)).chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return pairs.get(Integer.parseInt(alias)).key();
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
        return IntStream.range(0, pairs.size()).filter(i -> pairs.get(i).key().getAlgorithm().equals(keyType))
                .mapToObj(String::valueOf).toArray(String[]::new);
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
        return new String[0];
    }

    @Override
    public @Nullable String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
        return null;
    }
}
