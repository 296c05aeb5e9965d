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

/// The way of every message into the spool, whether a client or this server wrote it: aliases are
/// expanded, the spool commits, the queue manager is notified. [RecipientPolicy] has the policy.
/// May be called by any thread.
public final class Ingest {
    private static final Logger log = LoggerFactory.getLogger(Ingest.class);

    private final Spool spool;
    private final AddressBook book;
    private final Consumer<MessageSummary> arrivals;

    /// @param arrivals called for each message that is on disk; must not block
    public Ingest(Spool spool, AddressBook book, Consumer<MessageSummary> arrivals) {
        this.spool = spool;
        this.book = book;
        this.arrivals = arrivals;
    }

    /// Submits a complete message that this server wrote.
    ///
    /// @throws IOException on a local failure; the message is not in the spool
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
            // The message is on disk, and a scan will find it. An error reply would make the client
            // send it again.
            log.error("event=arrival-not-announced queue={} next=\"the next scan finds the message\"", message.id(), e);
        }
        return message;
    }
}
