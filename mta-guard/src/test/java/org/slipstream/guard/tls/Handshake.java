package org.slipstream.guard.tls;

import org.slipstream.testkit.TestCertificates;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/// A client that trusts every certificate and keeps the one that it is shown.
final class Handshake {
    private Handshake() {}

    /// @param asksFor by SNI
    static X509Certificate shown(SSLContext context, Optional<String> asksFor, String... protocols) throws Exception {
        return chain(context, asksFor, protocols).getFirst();
    }

    /// The whole chain that a server with this context sends.
    static List<X509Certificate> chain(SSLContext context, Optional<String> asksFor, String... protocols)
            throws Exception {
        try (SSLServerSocket server = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1,
                InetAddress.getLoopbackAddress())) {
            CompletableFuture<Integer> served = CompletableFuture.supplyAsync(() -> {
                try (SSLSocket session = (SSLSocket) server.accept(); var in = session.getInputStream()) {
                    return in.read();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try (SSLSocket socket = (SSLSocket) TestCertificates.trustingAll().getSocketFactory().createSocket(
                    server.getInetAddress(),
                    server.getLocalPort())) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setServerNames(asksFor.stream().<javax.net.ssl.SNIServerName>map(SNIHostName::new).toList());
                if (protocols.length > 0) {
                    parameters.setProtocols(protocols);
                }
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                socket.getOutputStream().write('x');
                served.get();
                return List.of(socket.getSession().getPeerCertificates()).stream().map(X509Certificate.class::cast)
                        .toList();
            }
        }
    }

    static String name(SSLContext context, String asksFor, String... protocols) throws Exception {
        return shown(context, Optional.of(asksFor), protocols).getSubjectX500Principal().getName();
    }
}
