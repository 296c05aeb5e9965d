package org.slipstream.spool.work;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.NewMessage;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Recently committed messages in memory, so that most mail is delivered without reading the disk.
/// Bounded by bytes; the least recently used is dropped first. May be called by any thread.
public final class RecentContents {
    /// Approximate heap size of the objects of an envelope and of a recipient.
    private static final int ENVELOPE_BYTES = 400;
    private static final int RECIPIENT_BYTES = 200;

    private static final class Fresh {
        Envelope envelope;
        final Optional<Content> message;
        final long weight;
        final BitSet delivered = new BitSet();
        boolean touched;
        boolean finished;

        Fresh(NewMessage from) {
            envelope = from.envelope();
            message = from.content() instanceof NewMessage.Inline inline
                    ? Optional.of(new InMemory(inline.bytes(), inline.length(), from.facts()))
                    : Optional.empty();
            weight = ENVELOPE_BYTES + (long) RECIPIENT_BYTES * envelope.recipients().size()
                    + from.envelopeBytes().length
                    + (from.content() instanceof NewMessage.Inline inline ? inline.bytes().length : 0);
        }
    }

    private record InMemory(byte[] bytes, int length, Optional<ContentFacts> facts) implements Content {
        @Override
        public long sizeBytes() {
            return length;
        }

        @Override
        public InputStream open() {
            return new ByteArrayInputStream(bytes, 0, length);
        }

        @Override
        public Optional<ContentSource> source() {
            return Optional.of(new ContentSource.InMemory(bytes, 0, length));
        }
    }

    private final long capacityBytes;
    private final Map<QueueId, Fresh> messages = new LinkedHashMap<>(1024, 0.75f, true);
    private long bytes;

    public RecentContents(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    /// Adds a whole group under one lock.
    synchronized void add(List<NewMessage> group) {
        for (NewMessage message : group) {
            Fresh fresh = new Fresh(message);
            messages.put(message.id(), fresh);
            bytes += fresh.weight;
        }
        Iterator<Fresh> oldest = messages.values().iterator();
        while (bytes > capacityBytes && oldest.hasNext()) {
            bytes -= oldest.next().weight;
            oldest.remove();
        }
    }

    synchronized Optional<Content> message(QueueId id) {
        return Optional.ofNullable(messages.get(id)).flatMap(fresh -> fresh.message);
    }

    synchronized Optional<Envelope> envelope(QueueId id) {
        return Optional.ofNullable(messages.get(id)).map(fresh -> fresh.envelope);
    }

    synchronized Optional<Spool.InMemory> inMemory(QueueId id) {
        return Optional.ofNullable(messages.get(id)).flatMap(fresh -> fresh.message
                .map(content -> new Spool.InMemory(fresh.envelope, content, !fresh.touched)));
    }

    /// Takes note of outcomes that are about to be recorded.
    ///
    /// @return true when all recipients have been delivered to and the message only has to be
    ///     removed; false when the sender asked for a receipt, which is made from the index first
    synchronized boolean recorded(QueueId id, List<RecipientOutcome> outcomes) {
        Fresh fresh = messages.get(id);
        if (fresh == null) {
            return false;
        }
        fresh.touched = true;
        for (RecipientOutcome each : outcomes) {
            fresh.delivered.set(each.number(), each.outcome() instanceof Outcome.Delivered);
        }
        int recipients = fresh.envelope.recipients().size();
        fresh.finished = !fresh.envelope.asksForReceipt() && fresh.delivered.cardinality() == recipients
                && fresh.delivered.length() == recipients + 1;
        return fresh.finished;
    }

    /// An operator changed the priority, which is part of the envelope that the next hop gets.
    synchronized void prioritise(QueueId id, int priority) {
        Fresh fresh = messages.get(id);
        if (fresh != null) {
            fresh.envelope = fresh.envelope.withPriority(priority);
        }
    }

    /// Drops the message. @return true when [#recorded] had returned true for it
    synchronized boolean forget(QueueId id) {
        Fresh fresh = messages.get(id);
        remove(id);
        return fresh != null && fresh.finished;
    }

    private void remove(QueueId id) {
        Fresh fresh = messages.remove(id);
        if (fresh != null) {
            bytes -= fresh.weight;
        }
    }
}
