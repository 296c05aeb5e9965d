package org.slipstream.cli.queue;

import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.core.queue.MessageTrace.TraceResult;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// The stories of messages as text: one message in full, several in a line each.
final class TraceText {
    private static final int RECIPIENTS_SHOWN = 3;

    private TraceText() {}

    static List<String> lines(TraceResult found) {
        return found.messages().size() == 1 && !found.more() ? story(found.messages().getFirst(), found) : list(found);
    }

    /// How far back the history reaches, as the end of a sentence.
    static String reach(String since) {
        return since.isEmpty()
                ? "there is no history ([history] keep is 0s, or no mail has come since it is on)"
                : "the history reaches back to " + since + " ([history] keep and size)";
    }

    /// Empty when nothing is known.
    static String submitter(SubmitterView by) {
        if (!by.about().isEmpty()) {
            return "by this server, a report about " + by.about();
        }
        List<String> parts = new ArrayList<>();
        if (!by.user().isEmpty()) {
            parts.add("by user " + by.user());
        }
        if (!by.client().isEmpty()) {
            parts.add("from " + (by.helo().isEmpty() ? "" : by.helo() + " ") + by.client());
        }
        if (!by.service().isEmpty()) {
            parts.add("on " + by.service());
        }
        return String.join(" ", parts);
    }

    private static List<String> story(MessageTrace message, TraceResult found) {
        List<String> lines = new ArrayList<>();
        Table facts = new Table("message", message.id());
        if (message.complete()) {
            facts.add("sender", "<" + message.sender() + ">");
            facts.add("recipients", addresses(message.recipients()));
            facts.add("size", message.sizeBytes() + " bytes");
            facts.add("submitted", submitter(message.submitter()));
            facts.add("message-id", message.submitter().messageId());
        } else {
            facts.add("begin", "not known: " + reach(found.since()));
        }
        facts.add("state", message.state());
        lines.addAll(facts.lines());
        lines.add("");
        Table events = new Table("TIME", "AFTER", "EVENT", "DETAILS");
        Instant first = Instant.parse(message.events().getFirst().at());
        message.events().forEach(each -> events.add(each.at(), after(first, each), each.event(), details(each)));
        lines.addAll(events.lines());
        if (message.state().startsWith("in the queue")) {
            lines.add("");
            lines.add("mta explain " + message.id() + " says what the message waits for");
        }
        return lines;
    }

    private static String details(TraceEvent event) {
        return switch (event.event()) {
            case "accepted" -> "";
            case "report" -> event.text() + " to " + addresses(event.recipients()) + " (mta trace "
                    + event.text() + ")";
            case "waits" -> "next attempt at " + event.text();
            case "held", "released" -> "by an operator";
            case "ordered" ->
                event.text().replaceFirst("^return cancelled", "return to the sender") + ", by an operator";
            case "removed" -> event.text().equals("deleted") ? "deleted by an operator" : event.text();
            case "delivered", "deferred", "failed" -> attempt(event);
            default -> event.text();
        };
    }

    /// Recipients, host, duration, and the decisive reply.
    private static String attempt(TraceEvent event) {
        return (event.recipients().isEmpty() ? "" : addresses(event.recipients()) + " ")
                + (event.host().isEmpty() ? "" : "at " + event.host() + " ")
                + (event.tookMillis() < 0 ? "" : "in " + span(event.tookMillis()) + " ")
                + (event.phase().isEmpty() ? "" : "(" + event.phase() + ") ") + "\"" + event.text() + "\"";
    }

    private static String addresses(List<String> addresses) {
        String shown = addresses.stream().limit(RECIPIENTS_SHOWN).map(each -> "<" + each + ">")
                .collect(Collectors.joining(", "));
        return addresses.size() > RECIPIENTS_SHOWN ? shown + " +" + (addresses.size() - RECIPIENTS_SHOWN) : shown;
    }

    private static String after(Instant first, TraceEvent event) {
        return span(Duration.between(first, Instant.parse(event.at())).toMillis());
    }

    private static String span(long millis) {
        return millis < 10_000 ? Math.max(0, millis) + "ms" : DisplayUnits.span(Duration.ofMillis(millis));
    }

    private static List<String> list(TraceResult found) {
        Table table = new Table("ID", "ACCEPTED", "SENDER", "RECIPIENTS", "STATE");
        for (MessageTrace message : found.messages()) {
            table.add(message.id(), message.complete() ? message.events().getFirst().at() : "-",
                    message.complete() ? "<" + message.sender() + ">" : "-", addresses(message.recipients()),
                    message.state());
        }
        List<String> lines = new ArrayList<>(table.lines());
        if (found.more()) {
            lines.add("there are earlier ones: --limit " + Math.min(1000, found.messages().size() * 10));
        }
        lines.add("mta trace ID tells the story of one");
        return lines;
    }
}
