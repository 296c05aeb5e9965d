package org.slipstream.spool.history;

import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// One event in the life of a message on its way into the history. It holds references only; the
/// history's thread makes the lines, so that sessions and the queue manager do not.
sealed interface HistoryEntry {
    QueueId id();

    long atMillis();

    /// Its share in the bound of what waits: the number of recipients.
    default int weight() {
        return 1;
    }

    /// Appends the lines of the event.
    void write(StringBuilder lines);

    private static JsonLine line(HistoryEntry entry, StringBuilder lines, EventKind kind) {
        return new JsonLine(lines).add(HistoryEvent.QUEUE, entry.id().toString())
                .add(HistoryEvent.AT, Instant.ofEpochMilli(entry.atMillis()).toString())
                .add(HistoryEvent.EVENT, kind.word());
    }

    /// The message is durable.
    record Acceptance(MessageSummary message, Envelope envelope) implements HistoryEntry {
        @Override
        public QueueId id() {
            return message.id();
        }

        @Override
        public long atMillis() {
            return message.createdMillis();
        }

        @Override
        public int weight() {
            return envelope.recipients().size();
        }

        @Override
        public void write(StringBuilder lines) {
            var origin = envelope.origin();
            line(this, lines, EventKind.ACCEPTED)
                    .add("sender", envelope.sender().map(Address::toString).orElse(""))
                    .add("bytes", message.sizeBytes()).addIfKnown("service", origin.service())
                    .addIfKnown("client", origin.client()).addIfKnown("helo", origin.helo())
                    .addIfKnown("user", origin.user()).addIfKnown("message-id", origin.messageId())
                    .addIfKnown("about", origin.about().map(QueueId::toString).orElse(""))
                    .addIfKnown(HistoryEvent.ORIGINAL, originals(envelope.recipients()))
                    .add(HistoryEvent.RECIPIENTS, addresses(envelope.recipients())).end();
        }
    }

    /// Outcomes of recipients; those with the same reply are one line.
    record Decision(QueueId id, long atMillis, List<Recipient> recipients,
            List<RecipientOutcome> outcomes) implements HistoryEntry {
        private record Same(String remote, Reply reply, RecipientOutcome.Reached reached) {}

        @Override
        public int weight() {
            return Math.max(1, recipients.size());
        }

        @Override
        public void write(StringBuilder lines) {
            Map<Same, List<Recipient>> groups = new LinkedHashMap<>(2);
            for (int i = 0; i < outcomes.size(); i++) {
                Outcome outcome = outcomes.get(i).outcome();
                groups.computeIfAbsent(new Same(outcome.remote(), outcome.reply(), outcomes.get(i).reached()),
                        _ -> new ArrayList<>(1)).add(recipients.get(i));
            }
            groups.forEach((same, group) -> {
                JsonLine line = line(this, lines, EventKind.of(same.reply())).add("host", same.remote())
                        .addIfKnown("phase", same.reached().phase().map(QueuePhase.Code::word).orElse(""))
                        .add("reply", same.reply().toString());
                if (same.reached().isAttempt()) {
                    line.add("took", same.reached().tookMillis());
                }
                line.add(HistoryEvent.RECIPIENTS, addresses(group)).end();
            });
        }
    }

    /// A change of the message as a whole.
    ///
    /// @param text the reason, or the time of the next attempt; may be empty
    record Change(QueueId id, long atMillis, EventKind kind, String text) implements HistoryEntry {
        @Override
        public void write(StringBuilder lines) {
            line(this, lines, kind).addIfKnown("text", text).end();
        }
    }

    /// Addresses before the expansion of aliases, with a blank between two.
    private static String originals(List<Recipient> recipients) {
        return recipients.stream().flatMap(each -> each.original().stream())
                .map(each -> each.substring(each.indexOf(';') + 1)).distinct().collect(Collectors.joining(" "));
    }

    private static List<String> addresses(List<Recipient> recipients) {
        return recipients.stream().map(each -> each.address().toString()).toList();
    }
}
