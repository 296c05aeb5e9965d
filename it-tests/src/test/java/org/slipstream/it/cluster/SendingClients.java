package org.slipstream.it.cluster;

import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpTalker;

import java.io.UncheckedIOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Clients that send all the time, some to each node, and write the [MailHistory]. A message that was not
/// acknowledged is not sent again: the next one takes its place.
final class SendingClients implements AutoCloseable {
    private static final int MESSAGES_OF_A_CONNECTION = 20;
    private static final long PAUSE_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);

    private final MailHistory history;
    private final long paceNanos;
    private final ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());
    private volatile boolean stopped;

    /// @param paceNanos between two messages of a client
    SendingClients(MailHistory history, long paceNanos) {
        this.history = history;
        this.paceNanos = paceNanos;
    }

    void sendTo(NodeProcess node, int clients) {
        for (int i = 0; i < clients; i++) {
            threads.submit(() -> send(node));
        }
    }

    private void send(NodeProcess node) {
        while (!stopped) {
            try (SmtpTalker talk = SmtpTalker.introducedTo(node.smtp())) {
                for (int sent = 0; sent < MESSAGES_OF_A_CONNECTION && !stopped; sent++) {
                    sendOne(node, talk);
                    LockSupport.parkNanos(paceNanos);
                }
            } catch (UncheckedIOException e) {
                failed(node, "");
            } catch (AssertionError e) {
                // A greeting with 421, or a reply that ends in its middle, as of a killed node.
                failed(node, String.valueOf(e.getMessage()));
            }
        }
    }

    private void failed(NodeProcess node, String reply) {
        history.refused(new MailHistory.Refused(node.name(), reply, System.nanoTime()));
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
    }

    private void sendOne(NodeProcess node, SmtpTalker talk) {
        OutgoingMessage message = history.next();
        long begun = System.nanoTime();
        SmtpReply reply = talk.send(message);
        long now = System.nanoTime();
        if (reply.code() == 250) {
            history.acknowledged(new MailHistory.Acknowledged(MailHistory.number(message), node.name(), begun, now));
        } else {
            failed(node, reply.toString());
        }
    }

    /// The clients end after their present message.
    @Override
    public void close() {
        stopped = true;
        threads.shutdown();
        try {
            // Longer than a reply may take; a client that still waits then is left behind.
            threads.awaitTermination(70, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.shutdownNow();
    }
}
