package org.slipstream.guard.dkim;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.auth.dkim.BodyHash;
import org.slipstream.auth.dkim.DkimSigner;
import org.slipstream.auth.dkim.KeyFailedException;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dkim.SignedFields;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.auth.dkim.SigningKeys;
import org.slipstream.auth.dkim.StreamedMessage;
import org.slipstream.auth.dmarc.AuthorDomains;
import org.slipstream.core.Content;
import org.slipstream.core.FailureWords;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Signs messages of the own domains at their delivery, each form of a message once.
///
/// The thread of a connection reads the content, hashes the body, and lets other connections go on
/// after each block. The signature itself, a millisecond with RSA, is computed on the threads
/// `sign-<n>`, one for each processor, which never wait for a disk. A connection has one message there
/// at most, so the number of connections bounds the queue.
public final class MailSigner {
    private static final Logger log = LoggerFactory.getLogger(MailSigner.class);
    private static final byte[] NONE = {};
    private static final ThreadPoolExecutor COMPUTING = pool(Runtime.getRuntime().availableProcessors());

    private final InstantSource clock;
    private volatile InForce inForce = new InForce(new SigningKeys(Map.of()), new RememberedSignatures());

    /// Signatures of a key that is retired are not used again, because its record may be gone.
    private record InForce(SigningKeys keys, RememberedSignatures remembered) {}

    /// A message in one of its forms.
    ///
    /// @param form the same for equal octets
    public record MessageForm(int shard, QueueId id, String form) {}

    public MailSigner(InstantSource clock) {
        this.clock = clock;
    }

    private static ThreadPoolExecutor pool(int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("sign-", 0).factory());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /// The keys for messages that are delivered from now on.
    public void use(SigningKeys keys) {
        inForce = new InForce(keys, new RememberedSignatures());
    }

    /// The fields for the top of a message: a signature for each key of each domain in From. None for a
    /// domain without keys, for a signature that the message has already, and for a message without
    /// exactly one From.
    ///
    /// @param onWire as it will be sent
    /// @throws IOException when the content cannot be read; [KeyFailedException] when a key fails
    public byte[] fields(MessageForm message, Content onWire) throws IOException {
        InForce now = inForce;
        if (now.keys.isEmpty()) {
            return NONE;
        }
        CompletableFuture<byte[]> own = new CompletableFuture<>();
        Optional<CompletableFuture<byte[]>> first = now.remembered.putIfAbsent(message, own);
        if (first.isPresent()) {
            return joined(first.get());
        }
        try {
            byte[] fields = sign(message, now.keys, onWire);
            own.complete(fields);
            return fields;
        } catch (IOException | RuntimeException failed) {
            own.completeExceptionally(failed);
            throw failed;
        } finally {
            now.remembered.done(message, own);
        }
    }

    private byte[] sign(MessageForm message, SigningKeys all, Content onWire) throws IOException {
        try (InputStream in = onWire.open()) {
            StreamedMessage streamed = new StreamedMessage(in);
            Optional<RawHeader> header = streamed.header();
            if (header.isEmpty()) {
                log.warn("event=message-not-signed queue={} reason=\"its header has more than {} octets\"",
                        message.id(), StreamedMessage.MOST_HEADER);
                return NONE;
            }
            List<SigningKey> keys = keys(all, header.get(), clock.instant());
            if (keys.isEmpty()) {
                return NONE;
            }
            BodyHash hash = DkimSigner.bodyHash();
            streamed.body((octets, from, to) -> {
                hash.update(octets, from, to);
                Thread.yield();
            });
            byte[] digest = hash.finish();
            return joined(CompletableFuture.supplyAsync(() -> DkimSigner.fields(keys, SignedFields.USUAL,
                    header.get(), digest, clock.instant()).getBytes(StandardCharsets.US_ASCII), COMPUTING));
        }
    }

    /// The keys that sign a message: those of the domains in From whose signature it has not.
    public static List<SigningKey> keys(SigningKeys all, RawHeader header, Instant now) {
        List<String> from = header.values("from");
        return from.size() == 1
                ? DkimSigner.without(AuthorDomains.of(from).domains().stream().limit(AuthorDomains.MOST)
                        .flatMap(domain -> all.of(domain).stream()).distinct().toList(), header, now)
                : List.of();
    }

    private static <T> T joined(CompletableFuture<T> result) throws IOException {
        try {
            return result.join();
        } catch (CompletionException failed) {
            Throwable cause = Objects.requireNonNullElse(failed.getCause(), failed);
            throw cause instanceof IOException unread && !(cause instanceof KeyFailedException)
                    ? new IOException(FailureWords.of(unread), unread)
                    : new KeyFailedException(cause);
        }
    }
}
