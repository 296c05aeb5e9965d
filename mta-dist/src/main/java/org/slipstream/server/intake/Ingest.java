package org.slipstream.server.intake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.MessageSummary;
import org.slipstream.spool.Draft;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/// The way into the spool that every message takes, from a client or from ourselves: aliases are expanded, the spool commits, the queue
/// manager hears of it. No policy; that is the [RecipientPolicy]'s. Any thread.
public final class Ingest {
    private static final Logger log = LoggerFactory.getLogger(Ingest.class);

    private final Spool spool;
    private final AddressBook book;
    private final Consumer<MessageSummary> arrivals;

    /// @param arrivals told of each message after it is on disk; must not block
    public Ingest(Spool spool, AddressBook book, Consumer<MessageSummary> arrivals) {
        this.spool = spool;
        this.book = book;
        this.arrivals = arrivals;
    }

    /// A message that we made ourselves, as a whole.
    ///
    /// @throws IOException local trouble; the message is not in the spool
    public MessageSummary submit(Envelope envelope, byte[] content) throws IOException {
        try (Draft draft = begin()) {
            draft.write(content, 0, content.length);
            return commit(draft, envelope, ContentFacts.of(content));
        }
    }

    Draft begin() throws IOException {
        return spool.draft();
    }

    MessageSummary commit(Draft draft, Envelope envelope, Optional<ContentFacts> facts) throws IOException {
        MessageSummary message = draft.commit(AliasExpansion.of(envelope, book), facts);
        try {
            arrivals.accept(message);
        } catch (RuntimeException e) {
            // The message is on disk and will be found by a scan. A client must not hear of trouble and send it again.
            log.error("queue={} msg=\"arrival not announced\"", message.id(), e);
        }
        return message;
    }
}
