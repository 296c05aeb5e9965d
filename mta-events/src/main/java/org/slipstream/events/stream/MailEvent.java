package org.slipstream.events.stream;

import org.slipstream.core.Address;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.text.Controls;
import org.slipstream.events.bounce.BounceClass;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import java.io.StringWriter;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalInt;

/// One event, and its form as a line of JSON. docs/events.md describes each field.
///
/// @param atMillis when it happened, as far as the log knows
/// @param message empty when the log has lost it
/// @param outcome of a recipient
/// @param attempt of the message, from 1
/// @param text of an event that has no reply
/// @param bounceClass of a reply that is no success
public record MailEvent(MailEventKind kind, EventCursor cursor, long atMillis, Optional<QueueId> queue,
        Optional<EventMessage> message, Optional<RecipientOutcome> outcome, OptionalInt attempt, String text,
        BounceClass bounceClass) {
    static final JsonFactory JSON = new JsonFactory();
    /// Names the form. A program refuses a greater one; new fields do not change it.
    private static final int VERSION = 1;
    /// Of an accepted message that are named. Each of the others is named by its own events.
    static final int MOST_RECIPIENTS = 100;
    static final String CURSOR = ",\"cursor\":\"";
    private static final String EXPIRED = "5.4.7";

    /// A message as it was accepted.
    public record EventMessage(long acceptedMillis, long sizeBytes, Envelope envelope) {}

    /// Tells that events are missing.
    ///
    /// @param count 0 when it is not known
    static MailEvent lost(EventCursor cursor, long count, String reason, long nowMillis) {
        return new MailEvent(MailEventKind.LOST, cursor, nowMillis, Optional.empty(), Optional.empty(),
                Optional.empty(), OptionalInt.empty(), (count > 0 ? count + " events: " : "") + reason,
                BounceClass.UNCATEGORIZED);
    }

    /// The kind of an outcome. A host may refuse with the code of an expiry, too, but then there was an attempt.
    public static MailEventKind kind(RecipientOutcome decided) {
        return switch (decided.outcome()) {
            case Outcome.Delivered _ -> MailEventKind.DELIVERED;
            case Outcome.Deferred _ -> MailEventKind.DEFERRED;
            case Outcome.Failed _ when decided.reached().reason().equals(Optional.of(QueuePhase.Code.SUPPRESSED)) ->
                MailEventKind.SUPPRESSED;
            case Outcome.Failed(Reply reply, String _) -> !decided.reached().isAttempt()
                    && reply.status().map(EnhancedStatus::toString).filter(EXPIRED::equals).isPresent()
                            ? MailEventKind.EXPIRED
                            : MailEventKind.BOUNCED;
        };
    }

    /// The same fact has the same id, wherever and however often it is written.
    private String id() {
        String what = kind.word() + outcome.map(each -> "-" + each.number()).orElse("");
        String when = outcome.isPresent() || kind == MailEventKind.ACCEPTED ? Long.toString(atMillis, 36) : "" + cursor;
        return queue.map(id -> id + "-").orElse("") + what + "-" + when;
    }

    /// One line with its end.
    String line() {
        StringWriter text = new StringWriter(512);
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            begin(out, id(), kind, atMillis);
            queue.ifPresent(id -> out.writeStringProperty("queue", id.toString()));
            message.ifPresent(each -> write(each, out));
            outcome.ifPresent(each -> write(each, out));
            attempt.ifPresent(each -> out.writeNumberProperty("attempt", each));
            known(out, "text", text());
            return ended(out, text, cursor);
        }
    }

    static void begin(JsonGenerator out, String id, MailEventKind kind, long atMillis) {
        out.writeStartObject();
        out.writeNumberProperty("v", VERSION);
        out.writeStringProperty("id", id);
        out.writeStringProperty("kind", kind.word());
        out.writeStringProperty("time", Instant.ofEpochMilli(atMillis).toString());
    }

    /// The cursor is the last field, so that a reader of the file finds it without parsing the line.
    static String ended(JsonGenerator out, StringWriter text, EventCursor cursor) {
        out.writeStringProperty("cursor", cursor.toString());
        out.writeEndObject();
        out.flush();
        return Controls.escapedJson(text.toString()) + "\n";
    }

    private void write(EventMessage of, JsonGenerator out) {
        Envelope envelope = of.envelope();
        Origin origin = envelope.origin();
        out.writeStringProperty("accepted", Instant.ofEpochMilli(of.acceptedMillis()).toString());
        out.writeStringProperty("sender", envelope.sender().map(Address::toString).orElse(""));
        out.writeNumberProperty("bytes", of.sizeBytes());
        known(out, "messageId", origin.messageId());
        known(out, "service", origin.service());
        known(out, "client", origin.client());
        known(out, "user", origin.user());
        known(out, "envelopeId", envelope.envelopeId().orElse(""));
        known(out, "about", origin.about().map(QueueId::toString).orElse(""));
        if (!origin.data().isEmpty()) {
            out.writeName("data");
            out.writeRawValue(origin.data());
        }
        if (outcome.isEmpty()) {
            out.writeNumberProperty("recipientCount", envelope.recipients().size());
            out.writeArrayPropertyStart("recipients");
            envelope.recipients().stream().limit(MOST_RECIPIENTS)
                    .forEach(each -> out.writeString(each.address().toString()));
            out.writeEndArray();
        }
    }

    private void write(RecipientOutcome decided, JsonGenerator out) {
        Reply reply = decided.outcome().reply();
        out.writeNumberProperty("number", decided.number());
        message.map(each -> each.envelope().recipients()).filter(all -> decided.number() <= all.size())
                .map(all -> all.get(decided.number() - 1)).ifPresent(each -> write(each, out));
        out.writeStringProperty("host", decided.outcome().remote());
        out.writeStringProperty("reply", reply.toString());
        out.writeNumberProperty("code", reply.code());
        reply.status().ifPresent(each -> out.writeStringProperty("status", each.toString()));
        known(out, "reason", decided.reached().phase().map(QueuePhase.Code::word).orElse(""));
        if (decided.reached().isAttempt()) {
            out.writeNumberProperty("tookMillis", decided.reached().tookMillis());
        }
        if (!(decided.outcome() instanceof Outcome.Delivered)) {
            out.writeStringProperty("bounceClass", bounceClass.word());
        }
    }

    private static void write(Recipient recipient, JsonGenerator out) {
        out.writeStringProperty("recipient", recipient.address().toString());
        known(out, "original", recipient.original().orElse(""));
    }

    static void known(JsonGenerator out, String name, String value) {
        if (!value.isEmpty()) {
            out.writeStringProperty(name, value);
        }
    }

    /// The place of a line of a file; empty when it is not whole.
    static Optional<EventCursor> cursorOf(String line) {
        int at = line.lastIndexOf(CURSOR);
        return at < 0 || !line.startsWith("{\"v\":") || !line.endsWith("\"}")
                ? Optional.empty()
                : EventCursor.parse(line.substring(at + CURSOR.length(), line.length() - 2));
    }

    /// A line for a reader that is at `cursor` with it.
    static String withCursor(String line, StreamCursor cursor) {
        return line.substring(0, line.lastIndexOf(CURSOR) + CURSOR.length()) + cursor + "\"}";
    }

    /// The place behind a line that a reader got.
    public static StreamCursor placeOf(String line) {
        return StreamCursor.parse(line.substring(line.lastIndexOf(CURSOR) + CURSOR.length(), line.length() - 2))
                .orElseThrow();
    }

    /// The time of a line; empty when it is not whole.
    public static Optional<Instant> timeOf(String line) {
        String before = "\"time\":\"";
        int at = line.indexOf(before);
        int end = at < 0 ? -1 : line.indexOf('"', at + before.length());
        try {
            return end < 0 ? Optional.empty() : Optional.of(Instant.parse(line.substring(at + before.length(), end)));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
