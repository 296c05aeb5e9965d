package org.slipstream.events.stream;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/// An event that no record of the message log has: a complaint, a late report, a request to unsubscribe, the hold of an
/// account. It is on disk when [EventStream#tell] returns, so the caller acknowledges its cause afterwards.
///
/// @param fact names the fact, so that a second event for it has the same id
/// @param fields by name; empty ones are left out
public record UnloggedEvent(MailEventKind kind, String fact, long atMillis, SequencedMap<String, String> fields) {
    public UnloggedEvent {
        fields = new LinkedHashMap<>(fields);
    }

    /// One line with its end.
    String line(EventCursor cursor) {
        StringWriter text = new StringWriter(512);
        try (JsonGenerator out = MailEvent.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            MailEvent.begin(out, fact, kind, atMillis);
            fields.forEach((name, value) -> MailEvent.known(out, name, value));
            return MailEvent.ended(out, text, cursor);
        }
    }
}
