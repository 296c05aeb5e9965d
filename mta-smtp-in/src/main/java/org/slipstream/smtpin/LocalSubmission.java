package org.slipstream.smtpin;

import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.SenderTls;
import org.slipstream.smtpin.MessageHandler.ContentRules;
import org.slipstream.smtpin.protocol.Limits;

import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Takes messages of programs on this machine that bring no session: the content passes the checks
/// and corrections of a message that a client submits by BDAT. A missing From, Date or Message-ID is
/// added (RFC 6409 section 8), and a bare LF counts as CRLF.
///
/// Immutable; may be used by any thread.
public final class LocalSubmission {
    private static final int BLOCK_BYTES = 64 * 1024;
    /// Local trouble is thrown, so no client reads this.
    private static final Reply TROUBLE = Reply.of(451, "4.3.0", "Temporary system problem");

    private final Limits limits;
    private final String hostname;
    private final Clock clock;
    private final UnaryOperator<byte[]> header;

    /// @param header returns the fields of a header that are stored instead
    public LocalSubmission(Limits limits, String hostname, Clock clock, UnaryOperator<byte[]> header) {
        this.header = header;
        this.limits = limits;
        this.hostname = hostname;
        this.clock = clock;
    }

    /// A user of this machine.
    ///
    /// @param name empty when the number has none
    /// @param author the value of the From field of a message that has none
    public record LocalUser(int id, String name, String author) {}

    /// The end of a message.
    public sealed interface TakenOrRefused {
        /// The message is durable.
        ///
        /// @param bytes without the added lines
        record Committed(QueueId id, long bytes, Optional<String> messageId) implements TakenOrRefused {}

        /// The message violates a limit; another attempt has the same result.
        record Refused(Reply reply) implements TakenOrRefused {}
    }

    /// More octets than this are always refused.
    public long largestBytes() {
        return limits.messageSize().bytes();
    }

    /// Reads no further than to the first octet that has to be refused.
    ///
    /// @param service of the origin
    /// @param draft is closed
    /// @param content its reader throws what it finds wrong at the end, so that nothing is committed
    /// @throws IOException local trouble, or trouble of the content; nothing is committed
    public TakenOrRefused take(String service, MessageHandler.DraftContent draft, Envelope envelope, LocalUser user,
            InputStream content) throws IOException {
        Instant now = clock.instant();
        try (IncomingMessage incoming = new IncomingMessage(limits, hostname, draft, _ -> TROUBLE, false, false,
                _ -> true, new ContentRules(true, true, header), now, Optional.of(user.author()))) {
            incoming.begin(ReceivedLine.composeLocal(hostname, incoming.id(), user.id(), now));
            byte[] block = new byte[BLOCK_BYTES];
            int length = content.read(block);
            while (length >= 0 && incoming.refusal().isEmpty()) {
                incoming.takeChunk(block, 0, length);
                length = content.read(block);
            }
            if (incoming.refusal().isPresent() && incoming.trouble().isEmpty()) {
                return new TakenOrRefused.Refused(incoming.refusal().get());
            }
            incoming.endOfChunks();
            EnvelopeExtras extras = EnvelopeExtras.NONE
                    .with(incoming.isTlsOptional() ? SenderTls.OPTIONAL : SenderTls.USUAL);
            incoming.commit(envelope.withOrigin(new Origin(service, "", "", user.name(),
                    incoming.messageId().orElse(""), Optional.empty())), extras);
            if (incoming.trouble().isPresent()) {
                throw incoming.trouble().get();
            }
            return incoming.refusal().<TakenOrRefused>map(TakenOrRefused.Refused::new)
                    .orElseGet(() -> new TakenOrRefused.Committed(
                            incoming.id(), incoming.sizeBytes(), incoming.messageId()));
        }
    }
}
