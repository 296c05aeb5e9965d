package org.slipstream.it.cluster;

import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/// Messages for a host that refuses connections: they wait during all faults, and none may be missing at the
/// end.
final class WaitingMail implements AutoCloseable {
    static final String DOMAIN = "waiting.example";
    private static final int CLIENTS_OF_A_NODE = 24;
    private static final int MESSAGES_OF_A_CONNECTION = 100;
    private final UnusedPort port = new UnusedPort();
    private final AtomicInteger numbers = new AtomicInteger();
    private int accepted;

    String route() {
        return "smtp:127.0.0.1:" + port.port();
    }

    /// Before all faults, so each message is accepted.
    void load(List<NodeProcess> nodes, int messages) {
        try (ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory())) {
            List<Future<?>> clients = new ArrayList<>();
            for (NodeProcess node : nodes) {
                for (int i = 0; i < CLIENTS_OF_A_NODE; i++) {
                    clients.add(threads.submit(() -> send(node, messages)));
                }
            }
            for (Future<?> client : clients) {
                client.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("not all of the waiting mail was accepted", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        accepted = messages;
    }

    int accepted() {
        return accepted;
    }

    private void send(NodeProcess node, int messages) {
        while (numbers.get() < messages) {
            try (SmtpTalker talk = SmtpTalker.introducedTo(node.smtp())) {
                for (int i = 0; i < MESSAGES_OF_A_CONNECTION; i++) {
                    int number = numbers.incrementAndGet();
                    if (number > messages) {
                        return;
                    }
                    int code = talk.send(OutgoingMessage.of("w" + number, "sender@far.example",
                            "w" + number + "@" + DOMAIN)).code();
                    if (code != 250) {
                        throw new IllegalStateException("answered with " + code);
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        port.close();
    }
}
