package org.slipstream.inject;

import org.slipstream.http.HttpListener;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The page on a port of its own, with a client.
final class InjectionWorld implements AutoCloseable {
    final FakeServer server = new FakeServer();
    final RequestKeys keys;
    private final HttpListener listener;
    private final HttpClient client = HttpClient.newHttpClient();

    InjectionWorld(Path folder) throws IOException {
        this(folder, 64 << 20);
    }

    InjectionWorld(Path folder, long heapBytes) throws IOException {
        keys = RequestKeys.open(folder.resolve(RequestKeys.FILE), _ -> false, System::currentTimeMillis);
        listener = HttpListener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional::empty);
        listener.serve(Map.of(InjectionPage.ROOT, new InjectionPage(server, keys, false, heapBytes)));
    }

    InetSocketAddress address() {
        return listener.address();
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + listener.address().getPort() + path))
                .header("Authorization", "Bearer " + FakeServer.TOKEN);
    }

    HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> json(String body, String... headers) throws IOException, InterruptedException {
        return post("application/json", BodyPublishers.ofString(body), headers);
    }

    HttpResponse<String> mailing(String body, String... headers) throws IOException, InterruptedException {
        return post("application/x-ndjson", BodyPublishers.ofString(body), headers);
    }

    HttpResponse<String> post(String type, BodyPublisher body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = request("/api/v1/messages").header("Content-Type", type).POST(body);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return send(request.build());
    }

    @Override
    public void close() throws IOException {
        client.close();
        listener.close();
        keys.close();
    }
}
