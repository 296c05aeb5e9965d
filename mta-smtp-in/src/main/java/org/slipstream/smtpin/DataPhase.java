package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Envelope;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.data.Pace;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.protocol.ServicePolicy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;

/// Takes messages from the wire, at the client's pace but not slower than permitted, and knows what became of each. One per session,
/// on its thread.
///
/// By DATA a message is one long read. In chunks it is many commands, between which the draft stays open here; so does the
/// clock, or a client could keep a draft for ever by sending a byte now and then.
final class DataPhase implements AutoCloseable {
    /// What became of a message, or of a chunk.
    sealed interface Answer {
        /// A chunk that is not the last.
        record GoOn() implements Answer {}

        /// It is durable.
        record Accepted(Reply reply) implements Answer {}

        record Refused(Reply reply) implements Answer {}

        /// Local trouble, not the client's fault.
        record Trouble(Reply reply) implements Answer {}

        /// The client does not know where its message ends.
        record Hopeless(Reply reply) implements Answer {}
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

    /// Says 354 and takes everything up to the final dot.
    ///
    /// @throws IOException when the client has left in the middle: then there is no message
    Answer data(Client client, ReceivingTransaction mail) throws IOException {
        Optional<IncomingMessage> begun;
        try {
            begun = Optional.of(begin(client, mail));
        } catch (IOException trouble) {
            return trouble(client, trouble, handler.troubleReply(trouble));
        }
        try (IncomingMessage incoming = begun.get()) {
            wire.say(Reply.of(354, "End data with <CR><LF>.<CR><LF>"));
            wire.flush();
            pace = newPace();
            receive(incoming);
            return conclude(client, incoming, mail);
        }
    }

    /// Takes a chunk (RFC 3030 section 2); all of it, also when its message is refused already.
    ///
    /// @throws IOException when the client has left in the middle: then there is no message
    Answer chunk(Client client, ReceivingTransaction mail, long bytes, boolean last) throws IOException {
        if (chunked.isEmpty()) {
            try {
                chunked = Optional.of(begin(client, mail));
                pace = newPace();
            } catch (IOException trouble) {
                skip(bytes);
                return trouble(client, trouble, handler.troubleReply(trouble));
            }
        }
        IncomingMessage incoming = chunked.get();
        wire.widen();
        try {
            takeChunk(bytes, (from, to) -> incoming.takeChunk(wire.buffer(), from, to));
        } finally {
            wire.narrow();
        }
        if (last) {
            incoming.endOfChunks();
        } else if (incoming.refusal().isEmpty()) {
            return new Answer.GoOn();
        }
        Answer answer = conclude(client, incoming, mail);
        close();
        return answer;
    }

    /// Reads a chunk that nobody wants, so that nobody's message is read as commands.
    void skip(long bytes) throws IOException {
        takeChunk(bytes, (_, _) -> {});
    }

    /// How long the next command of a message in chunks may take; `otherwise` when there is none.
    long patienceNanos(long otherwise) {
        return chunked.isPresent() ? Math.min(otherwise, pace.patienceNanos()) : otherwise;
    }

    /// The client was waited for between two commands.
    void waited(long nanos) {
        if (chunked.isPresent()) {
            pace.waited(nanos, 0);
        }
    }

    /// Forgets what has come so far.
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

    /// Returns at the end of the message, or when the client has shown that it will never come.
    private void receive(IncomingMessage incoming) throws IOException {
        wire.widen();
        try {
            receiveAll(incoming);
        } finally {
            wire.narrow();
        }
    }

    private void receiveAll(IncomingMessage incoming) throws IOException {
        while (!incoming.isComplete() && !incoming.isEndless()) {
            boolean here;
            try {
                here = await(incoming.isAmbiguous());
            } catch (SocketTimeoutException silent) {
                if (!incoming.isAmbiguous() && !incoming.hasOddEnd()) {
                    throw silent;
                }
                incoming.refuseOddEnd();
                return;
            }
            if (!here) {
                throw SmtpStream.gone();
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
                throw SmtpStream.gone();
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
        long patience = pace.patienceNanos();
        boolean here = wire.await(briefly ? Math.min(patience, tuning.lastWord().toNanos()) : patience);
        pace.waited(tuning.nanos().getAsLong() - start, wire.to() - wire.from());
        return here;
    }

    private Pace newPace() {
        return new Pace(config.limits().dataRate(), tuning.dataCredit().toNanos());
    }

    private Answer conclude(Client client, IncomingMessage incoming, ReceivingTransaction mail) {
        if (incoming.isComplete() && incoming.refusal().isEmpty()) {
            judgeAndCommit(client, incoming, mail);
        }
        Optional<Reply> refusal = incoming.refusal();
        if (refusal.isEmpty()) {
            logAccepted(client, incoming, mail);
            return new Answer.Accepted(Reply.of(250, "2.0.0", "queued as " + incoming.id()));
        }
        if (incoming.trouble().isPresent()) {
            return trouble(client, incoming.trouble().get(), refusal.get());
        }
        boolean ended = incoming.isComplete() || chunked.isPresent();
        return ended ? new Answer.Refused(refusal.get()) : new Answer.Hopeless(refusal.get());
    }

    private void judgeAndCommit(Client client, IncomingMessage incoming, ReceivingTransaction mail) {
        Envelope envelope = mail.envelope(incoming.eightBit());
        Policy.Verdict verdict = policy.end(client,
                new Check.CheckedMessage(envelope, incoming.sizeBytes(), incoming.header()));
        mail.add(verdict.tags());
        if (verdict.refusal().isPresent()) {
            log.info("session={} client={} check={} queue={} msg=refused", client.session(),
                    ReceivedLine.literal(client.address()), verdict.decider().orElse(""), incoming.id());
            incoming.refuse(verdict.refusal().get());
        } else {
            incoming.commit(envelope, mail.extras(client.user()));
        }
    }

    private static void logAccepted(Client client, IncomingMessage incoming, ReceivingTransaction mail) {
        if (!log.isInfoEnabled()) {
            return;
        }
        EnvelopeExtras extras = mail.extras(client.user());
        String user = client.user().map(name -> " user=\"" + LogText.text(name) + "\"").orElse("");
        String tags = extras.tags().isEmpty()
                ? ""
                : extras.tags().stream().map(tag -> LogText.text(tag.toString()))
                        .collect(Collectors.joining(",", " tags=\"", "\""));
        String messageId = incoming.messageId().map(id -> " message-id=\"" + LogText.text(id) + "\"").orElse("");
        log.info("queue={} session={} client={} helo={}{} from={} rcpts={} size={}{}{} msg=accepted", incoming.id(),
                client.session(), ReceivedLine.literal(client.address()), LogText.word(client.helo().orElse("")), user,
                LogText.path(mail.sender()), mail.recipients(), incoming.sizeBytes(), messageId, tags);
    }

    private static Answer trouble(Client client, IOException trouble, Reply reply) {
        log.warn("session={} client={} reply=\"{}\" trouble=\"{}\"", client.session(),
                ReceivedLine.literal(client.address()), LogText.text(reply.toString()),
                LogText.text(trouble.toString()));
        return new Answer.Trouble(reply);
    }
}
