package org.slipstream.server.intake;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.spool.Draft;
import org.slipstream.spool.NoSpaceException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Drafts without a disk, which fail on request.
public final class MemoryDrafts implements Ingest.DraftSource {
    /// A committed message.
    public record Stored(Envelope envelope, byte[] content, Optional<ContentFacts> facts) {}

    public final Map<QueueId, Stored> messages = new LinkedHashMap<>();
    public Optional<IOException> onCommit = Optional.empty();
    public boolean full;
    private long last = 1_795_269_600_000L << 10;

    @Override
    public Draft draft() throws NoSpaceException {
        if (full) {
            throw new NoSpaceException("full");
        }
        QueueId id = new QueueId(++last);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        return new Draft() {
            @Override
            public QueueId id() {
                return id;
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                content.write(bytes, offset, length);
            }

            @Override
            public Content content() {
                return Content.of(content.toByteArray());
            }

            @Override
            public void replaceStart(int bytes, byte[] start) {
                byte[] before = content.toByteArray();
                content.reset();
                content.writeBytes(start);
                content.write(before, bytes, before.length - bytes);
            }

            @Override
            public MessageSummary commit(Envelope envelope, Optional<ContentFacts> facts,
                    Optional<Instruction.HoldNote> hold) throws IOException {
                if (onCommit.isPresent()) {
                    throw onCommit.get();
                }
                messages.put(id, new Stored(envelope, content.toByteArray(), facts));
                int recipients = envelope.recipients().size();
                return new MessageSummary(id, envelope.sender(), id.value() >> 10, content.size(), recipients,
                        recipients, 0, 0, hold.isPresent(), false);
            }

            @Override
            public void close() {}
        };
    }
}
