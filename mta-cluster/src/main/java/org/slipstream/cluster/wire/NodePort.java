package org.slipstream.cluster.wire;

import org.slipstream.http.HttpAnswer;
import org.slipstream.http.HttpListener;
import org.slipstream.http.HttpPage;
import org.slipstream.http.HttpRequest;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The port on which a node takes messages of the others. A peer without the key of the cluster
/// ([ClusterIdentity]) does not get through the handshake, so it sends no message at all.
///
/// Limits in octets, number and time are those of [HttpListener], and those here of one message.
public final class NodePort implements AutoCloseable {
    /// Octets of one message, and of one answer.
    public static final int MOST_OCTETS = 4 << 20;
    /// The version of the messages. A node answers messages of other versions as far as it knows them.
    static final int VERSION = 1;
    static final Duration MOST_TIME = Duration.ofSeconds(10);
    static final String JSON = "application/json";
    static final String VERSION_HEADER = "Slipstream-Cluster";

    private final HttpListener listener;

    /// Answers the messages of one kind.
    @FunctionalInterface
    public interface NodeService {
        /// @param message as the other node sent it
        /// @throws IllegalArgumentException for one that this version does not understand
        String answer(String message) throws IOException;
    }

    private record ServicePage(NodeService service) implements HttpPage {
        @Override
        public HttpAnswer answer(HttpRequest request) throws IOException {
            if (!request.method().equals("POST")) {
                return HttpAnswer.text(405, "nodes send POST");
            }
            String message = new String(request.body().readAllBytes(), StandardCharsets.UTF_8);
            try {
                return HttpAnswer.of(200, JSON, service.answer(message))
                        .with(Map.of(VERSION_HEADER, Integer.toString(VERSION)));
            } catch (IllegalArgumentException unknown) {
                return HttpAnswer.text(400, String.valueOf(unknown.getMessage()));
            }
        }

        @Override
        public long mostOctets() {
            return MOST_OCTETS;
        }

        @Override
        public Duration mostTime() {
            return MOST_TIME;
        }
    }

    private NodePort(HttpListener listener) {
        this.listener = listener;
    }

    /// Takes the port. Messages are answered from [#serve] on.
    public static NodePort bind(InetSocketAddress where, ClusterIdentity identity) throws IOException {
        return new NodePort(HttpListener.bind(where, () -> Optional.of(identity.serverSockets())));
    }

    /// @param services by the name of the kind
    public void serve(Map<String, NodeService> services) {
        listener.serve(services.entrySet().stream().collect(
                Collectors.toMap(each -> "/" + each.getKey(), each -> new ServicePage(each.getValue()))));
    }

    public InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public void close() {
        listener.close();
    }
}
