package org.slipstream.smtpout;

import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A measurement of messages per second into a sink. Start one first, for instance
/// `smtp-sink -u nobody -c 127.0.0.1:2526 100`, then run this with `host:port connections messages
/// bytes-per-message [lmtp]`.
final class SinkSpeed implements CarrierEvents {
    private final int messages;
    private final Carriers carriers;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger delivered = new AtomicInteger();
    private final CountDownLatch all;
    private final Envelope envelope = Envelope.of(Optional.of(Address.of("me@here.example")),
            List.of(Address.of("you@there.example")));
    private final Content content;

    private SinkSpeed(int messages, int bytes) {
        this.messages = messages;
        this.all = new CountDownLatch(messages);
        this.carriers = new Carriers(ClientConfig.of("me.example"), this);
        String line = "x".repeat(70) + "\r\n";
        this.content = Post.content("Subject: speed\r\n\r\n" + line.repeat(Math.max(1, bytes / line.length())));
    }

    public static void main(String[] args) throws InterruptedException {
        String host = args[0].substring(0, args[0].lastIndexOf(':'));
        int port = Integer.parseInt(args[0].substring(host.length() + 1));
        int connections = Integer.parseInt(args[1]);
        Route route = args.length > 4 && args[4].equals("lmtp")
                ? new Route.Lmtp(args[0])
                : new Route.Smtp("[" + args[0] + "]", List.of(new Route.Host(host, port, 0)));
        for (int round = 1; round <= 4; round++) {
            new SinkSpeed(Integer.parseInt(args[2]), Integer.parseInt(args[3])).run(route, connections, round);
        }
    }

    private void run(Route route, int connections, int round) throws InterruptedException {
        long start = System.nanoTime();
        for (int i = 1; i <= connections; i++) {
            carriers.open(i, route, false);
        }
        boolean finished = all.await(120, TimeUnit.SECONDS);
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(Locale.ROOT, "round %d: %d of %d delivered on %d connections, %.0f messages/s%s%n", round,
                delivered.get(), messages, connections, delivered.get() / seconds, finished ? "" : " (gave up)");
        carriers.close();
    }

    private void deliver(long connection) {
        int number = next.getAndIncrement();
        if (number < messages) {
            Post.deliver(carriers, connection, Post.transfer(number, envelope, content));
        }
    }

    @Override
    public void ready(long connection) {
        deliver(connection);
    }

    @Override
    public void failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis,
            Optional<QueuePhase.Code> phase) {
        System.out.println("failed: " + reason);
    }

    @Override
    public void done(DeliveryResult result) {
        if (result instanceof DeliveryResult.Answered answered
                && answered.outcomes().getFirst().outcome() instanceof Outcome.Delivered) {
            delivered.incrementAndGet();
        }
        all.countDown();
        deliver(result.connection());
    }

    @Override
    public void depth(long connection, int deliveries) {}

    @Override
    public void pipelinesBadly(long connection, String what) {
        System.out.println("pipelines badly: " + what);
    }

    @Override
    public void lost(long connection, String reason) {
        System.out.println("lost: " + reason);
    }
}
