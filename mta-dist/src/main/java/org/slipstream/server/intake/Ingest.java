package org.slipstream.server.intake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.LogText;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.AliasExpansion;
import org.slipstream.spool.Draft;
import org.slipstream.spool.history.History;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The way of every message into the spool, whether a client or this server wrote it: aliases are
/// expanded, the spool commits, the queue manager is notified. [RecipientPolicy] has the policy.
/// May be called by any thread.
public final class Ingest {
    private static final int BLOCK_BYTES = 64 * 1024;
    private static final Logger log = LoggerFactory.getLogger(Ingest.class);

    private final DraftSource drafts;
    private final AddressBook book;
    private final Consumer<MessageSummary> arrivals;
    private final History history;

    /// Begins new messages, as [org.slipstream.spool.Spool#draft] does.
    @FunctionalInterface
    public interface DraftSource {
        Draft draft() throws IOException;
    }

    /// @param arrivals called for each message that is on disk; must not block
    public Ingest(DraftSource drafts, AddressBook book, Consumer<MessageSummary> arrivals) {
        this(drafts, book, arrivals, History.OFF);
    }

    public Ingest(DraftSource drafts, AddressBook book, Consumer<MessageSummary> arrivals, History history) {
        this.drafts = drafts;
        this.book = book;
        this.arrivals = arrivals;
        this.history = history;
    }

    /// Begins the message of a client or program.
    ///
    /// @param ours it may ask for a priority
    /// @param rewrites its addresses may be replaced
    public SpoolDraft begin(boolean ours, boolean rewrites) throws IOException {
        return begin(ours, rewrites, () -> {});
    }

    /// @param stored told when the message is durable, before the queue manager
    SpoolDraft begin(boolean ours, boolean rewrites, Runnable stored) throws IOException {
        return new SpoolDraft(drafts.draft(), this, ours, rewrites, stored);
    }

    /// Submits a complete message that this server wrote.
    ///
    /// @throws IOException on a local failure; the message is not in the spool
    public MessageSummary submit(Envelope envelope, byte[] content) throws IOException {
        return submit(drafts.draft(), envelope, content);
    }

    /// As above, into this draft, which it closes.
    public MessageSummary submit(Draft into, Envelope envelope, byte[] content) throws IOException {
        try (Draft draft = into) {
            draft.write(content, 0, content.length);
            return commit(draft, envelope, envelope, ContentFacts.of(content), Optional.empty(), () -> {});
        }
    }

    /// Ends the message of [#begin]: replaces addresses, adds copies, then as for [#submit].
    ///
    /// @param hold present: the message waits for an operator
    void accept(SpoolDraft draft, Envelope envelope, Optional<ContentFacts> facts,
            Optional<Instruction.HoldNote> hold) throws IOException {
        Envelope rewritten = draft.rewrites() ? book.rewriting().envelope(envelope) : envelope;
        commit(draft.draft(), rewritten, book.copies().added(rewritten), facts, hold, draft.stored());
    }

    /// Expands aliases and commits. Where only a part of the recipients needs another sender, this part
    /// becomes a message of its own, which is committed first: after a failure in between the client sends
    /// again, and this part arrives twice.
    ///
    /// @param named without the copies that this server adds
    private MessageSummary commit(Draft draft, Envelope named, Envelope envelope, Optional<ContentFacts> facts,
            Optional<Instruction.HoldNote> hold, Runnable stored) throws IOException {
        List<Envelope> parts = AliasExpansion.bySender(named, AliasExpansion.of(envelope, book), book);
        for (Envelope forwarded : parts.subList(1, parts.size())) {
            try (Draft copy = drafts.draft(); InputStream content = draft.content().open()) {
                byte[] block = new byte[BLOCK_BYTES];
                for (int got = content.read(block); got >= 0; got = content.read(block)) {
                    copy.write(block, 0, got);
                }
                MessageSummary message = store(copy, forwarded, facts, hold, () -> {});
                log.info("event=forwarded-copy queue={} of={} sender={} recipients={}", message.id(), draft.id(),
                        LogText.path(forwarded.sender()), forwarded.recipients().size());
            }
        }
        return store(draft, parts.getFirst(), facts, hold, stored);
    }

    /// Commits, notifies the queue manager.
    private MessageSummary store(Draft draft, Envelope envelope, Optional<ContentFacts> facts,
            Optional<Instruction.HoldNote> hold, Runnable stored) throws IOException {
        MessageSummary message = draft.commit(envelope, facts, hold);
        stored.run();
        history.accepted(message, envelope);
        if (message.held()) {
            history.held(message.id(), true);
        }
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
