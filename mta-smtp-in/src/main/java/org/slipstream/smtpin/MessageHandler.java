package org.slipstream.smtpin;

import org.slipstream.core.Address;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.policy.Client;

import java.io.IOException;
import java.util.Optional;

/// What the listener needs of the house: a say at MAIL and RCPT, and a place to put the letter. Called on session threads,
/// may block on disk.
public interface MessageHandler {
    /// At MAIL. `declaredBytes` is the SIZE parameter or 0.
    Verdict sender(Client client, Optional<Address> sender, long declaredBytes);

    /// At RCPT: known local mailbox or alias, relaying for a listed network, or neither.
    Verdict recipient(Client client, Optional<Address> sender, Address recipient);

    /// At the start of DATA. @throws IOException local trouble, answered by [#troubleReply]
    DraftContent draft(Client client) throws IOException;

    /// How the content of a message from this client is treated before it is kept.
    default ContentRules rules(Client client) {
        return ContentRules.STRICT;
    }

    /// What may be mended of a message.
    ///
    /// @param normalizes a bare LF is read as CR LF, but for the end of the message
    /// @param completes a missing Date and Message-ID are added (RFC 6409 section 8)
    record ContentRules(boolean normalizes, boolean completes) {
        /// Nothing is.
        public static final ContentRules STRICT = new ContentRules(false, false);
    }

    sealed interface Verdict {
        record Accept() implements Verdict {}

        record Refuse(Reply reply) implements Verdict {}

        static Verdict accept() {
            return new Accept();
        }

        static Verdict refuse(int code, String status, String text) {
            return new Refuse(Reply.of(code, status, text));
        }
    }

    /// A letter being written; closing it uncommitted leaves nothing behind.
    interface DraftContent extends AutoCloseable {
        QueueId id();

        void write(byte[] bytes, int offset, int length) throws IOException;

        /// Returns when the message is durable. The envelope is as the client gave it; aliases are the house's business.
        ///
        /// @param extras what the client asked for besides; a service offers only what its house keeps
        /// @param facts about all that was written; empty when nothing is known
        void commit(Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts) throws IOException;

        @Override
        void close();
    }

    /// The 4xx reply for local trouble: local trouble is never the sender's fault.
    Reply troubleReply(IOException trouble);
}
