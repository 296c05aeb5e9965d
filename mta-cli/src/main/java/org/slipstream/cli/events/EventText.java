package org.slipstream.cli.events;

import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.text.Controls;

import java.util.List;
import java.util.Optional;

/// An event as a line for a person.
final class EventText {
    /// The facts that a line shows.
    private record Shown(String time, String kind, String queue, String sender, String recipient,
            List<String> recipients, int recipientCount, String host, String reply, String text,
            String user, String reason, String reporter, Optional<Integer> attempt) {}

    private EventText() {}

    static String line(String json) {
        Shown event = RecordJson.read(json, Shown.class);
        StringBuilder line = new StringBuilder(event.time()).append("  ").append(String.format("%-10s", event.kind()))
                .append(event.queue().isEmpty() ? event.user() : event.queue());
        if (!event.recipient().isEmpty()) {
            line.append("  <").append(event.recipient()).append('>');
        } else if (event.recipientCount() > 0) {
            line.append("  <").append(event.sender()).append("> to ").append(event.recipientCount() == 1
                    ? "<" + event.recipients().getFirst() + ">"
                    : event.recipientCount() + " recipients");
        }
        String by = event.host().isEmpty() ? event.reporter() : event.host();
        String words = event.reply().isEmpty() ? event.text() : event.reply();
        String said = (by.isEmpty() ? "" : by + ": ") + (words.isEmpty() ? event.reason() : words);
        if (!said.isEmpty()) {
            line.append("  ").append(said);
        }
        event.attempt().filter(number -> number > 1).ifPresent(number -> line.append("  (attempt ").append(number)
                .append(')'));
        return Controls.replaced(line.toString());
    }
}
