package org.slipstream.server.intake;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;
import org.slipstream.smtpin.EnvelopeExtras;
import org.slipstream.smtpin.MessageHandler.DraftContent;
import org.slipstream.spool.Draft;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/// A draft of the spool, as the listener's code sees it.
///
/// @param ours the message may ask for a priority
/// @param rewrites the message's addresses may be replaced
/// @param stored told when the message is durable, before the queue manager
public record SpoolDraft(Draft draft, Ingest ingest, boolean ours, boolean rewrites, Runnable stored)
        implements
            DraftContent {
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
    public void commit(Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts) throws IOException {
        ingest.accept(this, envelope.withOptions(options(extras)), facts, extras.hold()
                .map(hold -> new Instruction.HoldNote(hold.check(), id().createdMillis(), hold.text())));
    }

    // RFC 6710 section 4.1: mail of other clients gets no priority merely by asking for it.
    private DeliveryOptions options(EnvelopeExtras extras) {
        OptionalLong hold = extras.holdUntil().map(until -> OptionalLong.of(until.toEpochMilli()))
                .orElse(OptionalLong.empty());
        return new DeliveryOptions(hold, extras.deliverBy().map(
                by -> new DeliveryOptions.DeliverBy(by.deadline().toEpochMilli(), by.returned(), by.traced())),
                ours ? extras.priority().orElse(0) : 0, extras.tls());
    }

    @Override
    public void close() {
        draft.close();
    }
}
