package org.slipstream.server.events;

import org.slipstream.core.Reply;
import org.slipstream.events.bounce.BounceClass;
import org.slipstream.events.stream.EventCursor;
import org.slipstream.events.stream.MailEvent;
import org.slipstream.events.stream.MailEvent.EventMessage;
import org.slipstream.events.stream.MailEventKind;
import org.slipstream.events.stream.ShardEvents;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.follow.MessageChange;
import org.slipstream.spool.log.Position;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Makes events of the changes that the message log of a shard has.
public final class LogEvents implements ChangeSink {
    private final ShardEvents events;
    private final long ceilingBytes;
    private final Function<Reply, BounceClass> classes;
    private final LongSupplier clockMillis;

    /// @param classes of replies, by the settings in force
    public LogEvents(ShardEvents events, long ceilingBytes, Function<Reply, BounceClass> classes,
            LongSupplier clockMillis) {
        this.classes = classes;
        this.events = events;
        this.ceilingBytes = ceilingBytes;
        this.clockMillis = clockMillis;
    }

    @Override
    public Position start(Position end) throws IOException {
        EventCursor latest = events.open(new EventCursor(events.shard(), end.segment(), end.offset(), 0));
        return new Position(latest.segment(), latest.offset());
    }

    @Override
    public void take(List<MessageChange> changes, Position upTo) throws IOException {
        if (!changes.isEmpty()) {
            events.append(changes.stream().map(this::event).toList());
        }
    }

    private MailEvent event(MessageChange change) {
        EventCursor cursor = EventCursor.ofRecord(events.shard(), change.at().segment(), change.at().offset(),
                change.number());
        Optional<EventMessage> message = change.message()
                .map(each -> new EventMessage(each.createdMillis(), each.sizeBytes(), each.envelope()));
        return switch (change.what()) {
            case MessageChange.Accepted _ -> of(change, cursor, message, MailEventKind.ACCEPTED,
                    message.map(EventMessage::acceptedMillis).orElseGet(clockMillis::getAsLong));
            case MessageChange.Decided decided -> new MailEvent(MailEvent.kind(decided.outcome()), cursor,
                    decided.atMillis(), Optional.of(change.id()), message, Optional.of(decided.outcome()),
                    decided.attempt(), "", classes.apply(decided.outcome().outcome().reply()));
            // The log has no time of these.
            case MessageChange.HoldSet(boolean held) -> of(change, cursor, message,
                    held ? MailEventKind.HELD : MailEventKind.RELEASED, clockMillis.getAsLong());
            case MessageChange.Deleted _ ->
                of(change, cursor, message, MailEventKind.DELETED, clockMillis.getAsLong());
        };
    }

    private static MailEvent of(MessageChange change, EventCursor cursor, Optional<EventMessage> message,
            MailEventKind kind, long atMillis) {
        return new MailEvent(kind, cursor, atMillis, Optional.of(change.id()), message, Optional.empty(),
                OptionalInt.empty(), "", BounceClass.UNCATEGORIZED);
    }

    @Override
    public void lost(long count, String reason) {
        events.lost(count, reason);
    }

    @Override
    public void sync() throws IOException {
        events.sync();
    }

    @Override
    public long ceilingBytes() {
        return ceilingBytes;
    }

    @Override
    public void close() throws IOException {
        events.close();
    }
}
