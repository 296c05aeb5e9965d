package org.slipstream.server.shard;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.spool.Draft;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// A draft whose end is told, so that no shard is closed while a session writes to it.
final class CountedDraft implements Draft {
    private final Draft draft;
    private final Runnable ended;
    private final AtomicBoolean open = new AtomicBoolean(true);

    CountedDraft(Draft draft, Runnable ended) {
        this.draft = draft;
        this.ended = ended;
    }

    @Override
    public QueueId id() {
        return draft.id();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        draft.write(bytes, offset, length);
    }

    @Override
    public Content content() {
        return draft.content();
    }

    @Override
    public void replaceStart(int bytes, byte[] start) throws IOException {
        draft.replaceStart(bytes, start);
    }

    @Override
    public MessageSummary commit(Envelope envelope, Optional<ContentFacts> facts) throws IOException {
        MessageSummary committed = draft.commit(envelope, facts);
        end();
        return committed;
    }

    @Override
    public void close() {
        draft.close();
        end();
    }

    private void end() {
        if (open.getAndSet(false)) {
            ended.run();
        }
    }
}
