package org.slipstream.guard.rspamd;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A worker of Rspamd whose answers a test prepares; it keeps the last request.
final class FakeRspamd implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    final CountDownLatch silence = new CountDownLatch(1);
    volatile int status = 200;
    volatile String answer = "{\"action\":\"no action\"}";
    volatile boolean silent;
    volatile Headers facts = new Headers();
    volatile String path = "";
    volatile long bytes;
    volatile String start = "";

    FakeRspamd() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange; InputStream body = exchange.getRequestBody()) {
            path = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            facts = exchange.getRequestHeaders();
            start = new String(body.readNBytes(200), StandardCharsets.UTF_8);
            bytes = start.length() + body.transferTo(OutputStream.nullOutputStream());
            if (silent) {
                silence.await();
            }
            byte[] reply = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, reply.length);
            exchange.getResponseBody().write(reply);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        silence.countDown();
        server.stop(0);
        threads.shutdown();
    }
}
