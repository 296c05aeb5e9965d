package org.slipstream.spool.work;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Content;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueueName;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Messages and envelopes for tests of the spool, and the few steps that every test needs.
final class TestMessages {
    private TestMessages() {}

    static Envelope envelope(String... recipients) {
        List<Address> addresses = new ArrayList<>();
        for (String recipient : recipients) {
            addresses.add(Address.of(recipient));
        }
        return Envelope.of(Optional.of(Address.of("ann@example.org")), addresses);
    }

    /// With everything that an envelope can have.
    static Envelope richEnvelope() {
        return new Envelope(Optional.of(new Address("ann lee", "Example.ORG")), BodyType.BINARY_MIME, true,
                Optional.of("QQ314159"), DsnReturn.HEADERS,
                List.of(new Recipient(1, Address.of("bob@example.net"), Optional.of("rfc822;Bob+40Example.NET"),
                        Set.of(DsnNotify.SUCCESS, DsnNotify.DELAY)),
                        new Recipient(2, Address.of("jürgen@bücher.example"), Optional.empty(),
                                Set.of(DsnNotify.NEVER)),
                        new Recipient(3, Address.of("carol@[192.0.2.1]"))));
    }

    static byte[] body(int size, long seed) {
        byte[] body = new byte[size];
        new java.util.SplittableRandom(seed).nextBytes(body);
        return body;
    }

    static MessageSummary commit(Spool spool, Envelope envelope, byte[] body) throws IOException {
        try (Draft draft = spool.draft()) {
            // In pieces, as sessions do it.
            for (int at = 0; at < body.length; at += 4000) {
                draft.write(body, at, Math.min(4000, body.length - at));
            }
            return draft.commit(envelope);
        }
    }

    static QueueId commit(Spool spool, String recipient, byte[] body) throws IOException {
        return commit(spool, envelope(recipient), body).id();
    }

    static byte[] read(Spool spool, QueueId id) throws IOException {
        return read(spool.content(id));
    }

    static byte[] read(Content content) throws IOException {
        try (InputStream input = content.open()) {
            return input.readAllBytes();
        }
    }

    /// Calls a method that answers later and waits for the answer.
    static <T> T await(Consumer<Consumer<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        call.accept(answer::complete);
        return answer.orTimeout(20, TimeUnit.SECONDS).join();
    }

    static void done(Consumer<Runnable> call) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        call.accept(() -> answer.complete(null));
        answer.orTimeout(20, TimeUnit.SECONDS).join();
    }

    static Spool.Claimed claim(Spool spool, QueueName queue, long nowMillis, int limit, long leaseUntilMillis) {
        return await(then -> spool.claimDue(queue, nowMillis, limit, leaseUntilMillis, 0, Long.MAX_VALUE, then));
    }

    /// One scan of each queue: what came in, then what is deferred.
    static List<QueueId> claim(Spool spool, long nowMillis, int limit, long leaseUntilMillis) {
        return Arrays.stream(QueueName.values())
                .flatMap(queue -> claim(spool, queue, nowMillis, limit, leaseUntilMillis).messages().stream())
                .map(MessageSummary::id).toList();
    }

    static List<QueueId> ids(List<MessageSummary> messages) {
        return messages.stream().map(MessageSummary::id).toList();
    }
}
