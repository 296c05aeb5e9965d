package org.slipstream.smtpout.demand;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.smtpout.wire.CertificateCheck;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import javax.net.ssl.SSLContext;

/// A web server with the policy of a domain, and with mistakes on request.
public final class PolicyServer implements AutoCloseable {
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger requests = new AtomicInteger();
    public volatile String body = "version: STSv1\nmode: enforce\nmx: mx.a.example\nmax_age: 86400\n";
    volatile String type = "text/plain";
    public volatile int status = 200;
    volatile boolean drips;

    /// @param certificate of `localhost`, whose trust the client shares
    public PolicyServer(SSLContext certificate) {
        try {
            server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        server.setHttpsConfigurator(new HttpsConfigurator(certificate));
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        byte[] octets = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", type);
        if (status / 100 == 3) {
            exchange.getResponseHeaders().add("Location", "/elsewhere");
        }
        exchange.sendResponseHeaders(status, octets.length);
        try (OutputStream out = exchange.getResponseBody()) {
            if (drips) {
                out.write(octets, 0, 5);
                out.flush();
                closed.await();
            }
            out.write(octets);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /// Demands by the policy here, for every domain, which is kept in memory.
    ///
    /// @param certificate of this server
    /// @param authorities of the hosts
    public TlsDemands demands(SSLContext certificate, KeyStore authorities, Consumer<TlsOutcome> outcomes)
            throws GeneralSecurityException {
        CertificateCheck check = CertificateCheck.trusting(Optional.of(authorities));
        TlsDemands.OutcomeListener listener = new TlsDemands.OutcomeListener(outcomes);
        StsPolicies policies = new StsPolicies((_, _) -> new TextAnswer.Found(List.of("v=STSv1; id=one")),
                new StsDownload(Optional.of(certificate), this::place, Duration.ofSeconds(20)),
                new StsStore(Optional.empty(), 10), System::currentTimeMillis, listener);
        return new TlsDemands(Optional.of(policies), Optional.empty(), () -> check, listener);
    }

    URI place(URI address) {
        return URI.create("https://localhost:" + server.getAddress().getPort() + address.getPath());
    }

    int requests() {
        return requests.get();
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
        try {
            threads.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
