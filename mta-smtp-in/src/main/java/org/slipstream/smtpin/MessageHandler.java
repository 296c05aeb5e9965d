package org.slipstream.smtpin;

import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.policy.Client;

import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// The application behind the listener: decides about senders and recipients, and stores messages.
/// Called on session threads; may block on disk.
public interface MessageHandler {
    /// At MAIL. `declaredBytes` is the SIZE parameter or 0.
    HandlerVerdict sender(Client client, Optional<Address> sender, long declaredBytes);

    /// At RCPT: known local mailbox or alias, relaying for a listed network, or neither.
    HandlerVerdict recipient(Client client, Optional<Address> sender, Address recipient);

    /// At the start of DATA. @throws IOException local trouble, answered by [#troubleReply]
    DraftContent draft(Client client) throws IOException;

    /// The treatment of content from this client before it is stored.
    default ContentRules rules(Client client) {
        return ContentRules.STRICT;
    }

    /// The permitted changes of a message's content.
    ///
    /// @param normalizes a bare LF is read as CRLF, except in the end of data
    /// @param completes a missing Date and Message-ID are added (RFC 6409 section 8)
    /// @param header returns the fields of the header that are stored instead. It is asked only when
    ///     fields are completed
    record ContentRules(boolean normalizes, boolean completes, UnaryOperator<byte[]> header) {
        /// No changes.
        public static final ContentRules STRICT = new ContentRules(false, false);

        public ContentRules(boolean normalizes, boolean completes) {
            this(normalizes, completes, UnaryOperator.identity());
        }
    }

    sealed interface HandlerVerdict {
        record Accept() implements HandlerVerdict {}

        record Refuse(Reply reply) implements HandlerVerdict {}

        static HandlerVerdict accept() {
            return new Accept();
        }

        static HandlerVerdict refuse(int code, String status, String text) {
            return new Refuse(Reply.of(code, status, text));
        }
    }

    /// Content being written; closing it without a commit deletes it.
    interface DraftContent extends AutoCloseable {
        QueueId id();

        void write(byte[] bytes, int offset, int length) throws IOException;

        /// Everything that was written, readable until the draft ends.
        Content content();

        /// Replaces the first bytes of the content.
        void replaceStart(int bytes, byte[] start) throws IOException;

        /// Returns when the message is durable. The envelope is as the client gave it; the handler
        /// expands aliases.
        ///
        /// @param extras further MAIL parameters; a service offers only extensions that its handler
        ///     supports
        /// @param facts about everything written; empty when unknown
        void commit(Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts) throws IOException;

        @Override
        void close();
    }

    /// The 4xx reply to a local problem, which is never the sender's fault.
    Reply troubleReply(IOException trouble);
}
