package org.slipstream.events.stream;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DataSize;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.events.bounce.BounceClass;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/// Events for tests, and the files of one shard.
public final class StreamWorld {
    static final QueueId ID = QueueId.after(0, 1_800_000_000_000L);
    /// Files have the times of the machine.
    long nowMillis = System.currentTimeMillis();
    Optional<EventCursor> slowest = Optional.empty();
    private final Path folder;

    StreamWorld(Path folder) {
        this.folder = folder;
    }

    EventFiles open(long sizeBytes, Duration keep) throws IOException {
        Supplier<Optional<EventCursor>> behind = () -> slowest;
        return EventFiles.open(folder, new EventSettings(keep, DataSize.of(sizeBytes)), new EventCursor(1, 1, 0, 0),
                () -> nowMillis, behind);
    }

    public static EventCursor cursor(long offset) {
        return new EventCursor(1, 1, offset, 1);
    }

    /// As a reader gets it.
    public static String line(MailEvent event) {
        return event.line().strip();
    }

    static Envelope envelope(int recipients) {
        List<Recipient> all = new ArrayList<>();
        for (int i = 1; i <= recipients; i++) {
            all.add(new Recipient(i, Address.of("bob" + i + "@example.net")));
        }
        return new Envelope(Optional.of(Address.of("ann@example.org")), BodyType.EIGHT_BIT_MIME, false,
                Optional.empty(), DsnReturn.UNSPECIFIED, all, DeliveryOptions.NONE,
                new Origin("submission", "[192.0.2.7]", "client", "ann", "<4711@example.org>", Optional.empty()));
    }

    public static MailEvent accepted(EventCursor cursor, long atMillis, int recipients) {
        return new MailEvent(MailEventKind.ACCEPTED, cursor, atMillis, Optional.of(ID),
                Optional.of(new MailEvent.EventMessage(atMillis, 1234, envelope(recipients))), Optional.empty(),
                OptionalInt.empty(), "", BounceClass.UNCATEGORIZED);
    }

    public static MailEvent decided(EventCursor cursor, long atMillis, Reply reply, boolean tried) {
        RecipientOutcome outcome = new RecipientOutcome(1, Outcome.of(reply, "mx.example.net"),
                new RecipientOutcome.Reached(Optional.of(QueuePhase.Code.RCPT), tried ? 12 : -1));
        return new MailEvent(MailEvent.kind(outcome), cursor, atMillis, Optional.of(ID),
                Optional.of(new MailEvent.EventMessage(atMillis, 1234, envelope(1))), Optional.of(outcome),
                tried ? OptionalInt.of(2) : OptionalInt.empty(), "", BounceClass.INVALID_RECIPIENT);
    }

    EventReader reader(Path... folders) {
        var all = new java.util.HashMap<Integer, Path>();
        for (int i = 0; i < folders.length; i++) {
            all.put(i + 1, folders[i]);
        }
        return new EventReader(all, () -> nowMillis);
    }
}
