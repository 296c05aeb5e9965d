package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.data.Pace;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.protocol.ServicePolicy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Instant;
import java.util.Optional;

/// The data phase of a session: receives messages by DATA or BDAT, not slower than permitted
/// ([Pace]), and returns the outcome of each. One per session, on its thread.
///
/// By DATA a message is one long read. By BDAT it is several commands, and the draft stays open
/// between them. The pace keeps counting between chunks, or a client could hold a draft
/// indefinitely by sending a byte now and then.
final class DataPhase implements AutoCloseable {
    /// The outcome of a message or of a chunk.
    sealed interface ContentResult {
        /// A chunk that is not the last.
        record Continued() implements ContentResult {}

        /// The message is durable.
        record Accepted(Reply reply) implements ContentResult {}

        record Refused(Reply reply) implements ContentResult {}

        /// A local problem that is not the client's fault.
        record LocalFailure(Reply reply) implements ContentResult {}

        /// Server and client disagree about where the message ends.
        record OutOfSync(Reply reply) implements ContentResult {}
    }

    private static final Logger log = LoggerFactory.getLogger(DataPhase.class);

    private final SmtpStream wire;
    private final ListenerConfig config;
    private final MessageHandler handler;
    private final Policy policy;
    private final Tuning tuning;
    private Optional<IncomingMessage> chunked = Optional.empty();
    private Pace pace;

    DataPhase(SmtpStream wire, ListenerConfig config, ListenerServices services, Tuning tuning) {
        this.wire = wire;
        this.config = config;
        this.handler = services.handler();
        this.policy = services.policy();
        this.tuning = tuning;
        this.pace = newPace();
    }

    /// Replies 354 and receives everything up to the final dot.
    ///
    /// @throws IOException when the client disconnects before the end: then there is no message
    ContentResult data(Client client, ReceivingTransaction mail) throws IOException {
        Optional<IncomingMessage> begun;
        try {
            begun = Optional.of(begin(client, mail));
        } catch (IOException localFailure) {
            return localFailure(client, localFailure, handler.troubleReply(localFailure));
        }
        try (IncomingMessage incoming = begun.get()) {
            wire.send(Reply.of(354, "End data with <CR><LF>.<CR><LF>"));
            wire.flush();
            pace = newPace();
            receive(incoming);
            return conclude(client, incoming, mail);
        }
    }

    /// Receives a chunk (RFC 3030 section 2), the whole of it even when its message is already
    /// refused.
    ///
    /// @throws IOException when the client disconnects before the end: then there is no message
    ContentResult chunk(Client client, ReceivingTransaction mail, long bytes, boolean last) throws IOException {
        if (chunked.isEmpty()) {
            try {
                chunked = Optional.of(begin(client, mail));
                pace = newPace();
            } catch (IOException localFailure) {
                skip(bytes);
                return localFailure(client, localFailure, handler.troubleReply(localFailure));
            }
        }
        IncomingMessage incoming = chunked.get();
        wire.useLargeBuffer();
        try {
            takeChunk(bytes, (from, to) -> incoming.takeChunk(wire.buffer(), from, to));
        } finally {
            wire.useSmallBuffer();
        }
        if (last) {
            incoming.endOfChunks();
        } else if (incoming.refusal().isEmpty()) {
            return new ContentResult.Continued();
        }
        ContentResult answer = conclude(client, incoming, mail);
        close();
        return answer;
    }

    /// Reads and discards a refused chunk, so that its content is not read as commands.
    void skip(long bytes) throws IOException {
        takeChunk(bytes, (_, _) -> {});
    }

    /// The timeout for the next command of a message in chunks; `otherwise` outside of one.
    long timeoutNanos(long otherwise) {
        return chunked.isPresent() ? Math.min(otherwise, pace.timeoutNanos()) : otherwise;
    }

    /// Counts the wait for a command between two chunks.
    void waited(long nanos) {
        if (chunked.isPresent()) {
            pace.waited(nanos, 0);
        }
    }

    /// Discards a message that is not complete.
    @Override
    public void close() {
        chunked.ifPresent(IncomingMessage::close);
        chunked = Optional.empty();
    }

    private IncomingMessage begin(Client client, ReceivingTransaction mail) throws IOException {
        Instant now = tuning.clock().instant();
        IncomingMessage incoming = new IncomingMessage(config, handler.draft(client), handler::troubleReply,
                mail.isBinary(),
                policy.readsHeader(), mail::takeMemory, handler.rules(client), now);
        boolean lmtp = config.service().dialect() == ServicePolicy.Dialect.LMTP;
        incoming.begin(ReceivedLine.compose(client, ReceivedLine.Protocol.of(lmtp, mail.isInternational()),
                config.hostname(), incoming.id(), mail.onlyRecipient(), now));
        return incoming;
    }

    /// Returns at the end of the message, or when the client has exceeded every limit.
    private void receive(IncomingMessage incoming) throws IOException {
        wire.useLargeBuffer();
        try {
            receiveAll(incoming);
        } finally {
            wire.useSmallBuffer();
        }
    }

    private void receiveAll(IncomingMessage incoming) throws IOException {
        while (!incoming.isComplete() && !incoming.isEndless()) {
            boolean here;
            try {
                here = await(incoming.isAmbiguous());
            } catch (SocketTimeoutException silent) {
                if (!incoming.isAmbiguous() && !incoming.hasMalformedEnd()) {
                    throw silent;
                }
                incoming.refuseMalformedEnd();
                return;
            }
            if (!here) {
                throw SmtpStream.disconnected();
            }
            wire.consumeTo(incoming.take(wire.buffer(), wire.from(), wire.to()));
        }
    }

    private interface Piece {
        void take(int from, int to) throws IOException;
    }

    private void takeChunk(long bytes, Piece piece) throws IOException {
        long left = bytes;
        while (left > 0) {
            if (!await(false)) {
                throw SmtpStream.disconnected();
            }
            int end = wire.from() + (int) Math.min(left, wire.to() - wire.from());
            left -= end - wire.from();
            piece.take(wire.from(), end);
            wire.consumeTo(end);
        }
    }

    private boolean await(boolean briefly) throws IOException {
        if (wire.from() < wire.to()) {
            return true;
        }
        long start = tuning.nanos().getAsLong();
        long timeout = pace.timeoutNanos();
        boolean here = wire.await(briefly ? Math.min(timeout, tuning.linger().toNanos()) : timeout);
        pace.waited(tuning.nanos().getAsLong() - start, wire.to() - wire.from());
        return here;
    }

    private Pace newPace() {
        return new Pace(config.limits().dataRate(), tuning.dataCredit().toNanos());
    }

    private ContentResult conclude(Client client, IncomingMessage incoming, ReceivingTransaction mail) {
        if (incoming.isComplete() && incoming.refusal().isEmpty()) {
            MessageEnd.checkAndCommit(policy, client, incoming, mail);
        }
        Optional<Reply> refusal = incoming.refusal();
        if (refusal.isEmpty()) {
            MessageEnd.logAccepted(client, incoming, mail);
            return new ContentResult.Accepted(Reply.of(250, "2.0.0", "Ok: queued as " + incoming.id()));
        }
        if (incoming.trouble().isPresent()) {
            return localFailure(client, incoming.trouble().get(), refusal.get());
        }
        boolean ended = incoming.isComplete() || chunked.isPresent();
        return ended ? new ContentResult.Refused(refusal.get()) : new ContentResult.OutOfSync(refusal.get());
    }

    private static ContentResult localFailure(Client client, IOException localFailure, Reply reply) {
        log.warn("event=message-not-stored session={} client={} reply=\"{}\" error=\"{}\"", client.session(),
                ReceivedLine.literal(client.address()), LogText.text(reply.toString()),
                LogText.text(localFailure.toString()));
        return new ContentResult.LocalFailure(reply);
    }
}
