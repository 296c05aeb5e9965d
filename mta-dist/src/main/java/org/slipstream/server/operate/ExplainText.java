package org.slipstream.server.operate;

import org.slipstream.admin.operations.ExplainOperations.GateView;
import org.slipstream.admin.operations.ExplainOperations.MessageExplanation;
import org.slipstream.admin.operations.ExplainOperations.PastAttemptView;
import org.slipstream.admin.operations.Operations.RecipientView;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.GateReading;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.text.Controls;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The explanation of one message: the gates in order, the one that binds, the next chance, what
/// would release it, and the history. The text is made here only; the command prints it.
///
/// A gate before the one that binds is open. A later gate shows its state if the queue manager knows
/// it, and is not asked otherwise.
///
/// @param phase of the message
/// @param known gates that the queue manager has read
/// @param attempts the latest first
/// @param providers those that receive its open recipients, as far as they are known
/// @param tlsLine the line of the settings that demands TLS for mail to a domain
record ExplainText(MessageDetails row, QueuePhase phase, List<GateReading> known, List<PastAttempt> attempts,
        List<String> providers, Function<String, Optional<String>> tlsLine, long nowMillis) {

    MessageExplanation explanation() {
        List<GateView> gates = gates();
        List<PastAttemptView> tried = attempts.stream().map(ExplainText::view).toList();
        List<RecipientView> recipients = row.recipients().stream().map(QueueView::view).toList();
        return new MessageExplanation(id(), phase.code().word(), phase.text(), QueueView.moment(phase.sinceMillis()),
                chance().text(), chance().release(), gates, tried, recipients, text(gates, tried, recipients));
    }

    private String id() {
        return row.summary().id().toString();
    }

    private NextChance chance() {
        return new NextChance(row, phase, tlsLine, nowMillis);
    }

    // ---- gates

    /// The gate that binds is that of the message, or of its other recipients while a delivery is under
    /// way. An earlier gate without a reading is open.
    private List<GateView> gates() {
        Map<Code, GateReading> read = new EnumMap<>(Code.class);
        known.forEach(each -> read.put(each.phase().code(), each));
        Optional<Code> binding = phase.code().isGate()
                ? Optional.of(phase.code())
                : known.stream().filter(GateReading::closed).map(each -> each.phase().code()).findFirst();
        return QueuePhase.GATES.stream().map(code -> {
            Optional<GateReading> asked = Optional.ofNullable(read.get(code));
            Optional<QueuePhase> reading = asked.map(GateReading::phase);
            boolean binds = binding.filter(code::equals).isPresent();
            // The phase has the words, the gate the time since which it has refused.
            QueuePhase shown = binds && code == phase.code() ? phase : reading.orElse(QueuePhase.of(code, ""));
            boolean closed = binds || asked.filter(GateReading::closed).isPresent();
            String state = closed
                    ? "closed"
                    : reading.isPresent() || binding.filter(each -> code.compareTo(each) >= 0).isEmpty()
                            ? "open"
                            : "not-asked";
            OptionalLong since = reading.map(QueuePhase::sinceMillis).filter(OptionalLong::isPresent)
                    .orElse(shown.sinceMillis());
            return new GateView(code.word(), state, binds, QueueView.moment(since), shown.text());
        }).toList();
    }

    // ---- text

    private String text(List<GateView> gates, List<PastAttemptView> tried, List<RecipientView> recipients) {
        MessageSummary summary = row.summary();
        List<String> lines = new ArrayList<>();
        lines.add("Message " + id() + " from <" + summary.sender().map(Object::toString).orElse("")
                + ">, in the queue for "
                + NextChance.span(nowMillis - summary.createdMillis()) + ", " + count(summary.attempts(), "attempt"));
        lines.add("");
        lines.add("reason   " + phase.code().word() + ": " + phase.text());
        phase.sinceMillis().ifPresent(since -> lines
                .add("since    " + QueueView.moment(since) + " (" + NextChance.span(nowMillis - since) + " ago)"));
        lines.add("next     " + chance().text());
        lines.add("release  " + chance().release());
        if (!providers.isEmpty()) {
            lines.add("provider " + String.join(", ", providers));
        }
        if (row.envelope().options().tls() == SenderTls.OPTIONAL) {
            lines.add(
                    "tls      its sender wants it sent whatever TLS the owner of a domain demands (TLS-Required: No)");
        }
        gates.stream().filter(gate -> gate.binds() && !gate.reason().equals(phase.code().word()))
                .forEach(gate -> lines.add("besides  other recipients wait: " + gate.reason() + ", " + gate.text()));
        lines.add("");
        lines.add("Gates:");
        lines.addAll(gateLines(gates));
        if (!tried.isEmpty()) {
            lines.add("");
            lines.add("Attempts, the latest first:");
            tried.forEach(each -> lines.add("  " + each.at() + "  " + each.host() + "  "
                    + (each.phase().isEmpty() ? "-" : each.phase()) + "  " + NextChance.span(each.tookMillis()) + "  "
                    + count(each.recipients(), "recipient") + "  " + each.reply()));
        }
        lines.add("");
        lines.add("Recipients:");
        recipients.forEach(each -> lines.add(("  " + padded(each.state(), 10) + "<" + each.address() + ">  "
                + each.lastReply()).stripTrailing()));
        return lines.stream().map(Controls::onOneLine).collect(Collectors.joining("\n"));
    }

    /// Gates about which there is nothing to say share a line.
    private List<String> gateLines(List<GateView> gates) {
        List<String> lines = new ArrayList<>();
        lines.add(quiet("open", gates));
        gates.stream().filter(gate -> !isQuiet(gate))
                .forEach(gate -> lines.add((gate.binds() ? "  > " : "    ") + padded(gate.state(), 10)
                        + padded(gate.reason(), 14) + gate.text() + since(gate)));
        lines.add(quiet("not-asked", gates));
        lines.removeIf(String::isEmpty);
        return lines;
    }

    private static boolean isQuiet(GateView gate) {
        return gate.text().isEmpty() && !gate.binds();
    }

    private static String quiet(String state, List<GateView> gates) {
        String names = gates.stream().filter(gate -> isQuiet(gate) && gate.state().equals(state)).map(GateView::reason)
                .collect(Collectors.joining(" "));
        return names.isEmpty() ? "" : "    " + padded(state, 10) + names;
    }

    private String since(GateView gate) {
        return gate.since().isEmpty() || gate.binds()
                ? ""
                : ", since " + gate.since() + " (" + NextChance.span(
                        nowMillis - Instant.parse(gate.since()).toEpochMilli()) + " ago)";
    }

    private static PastAttemptView view(PastAttempt attempt) {
        return new PastAttemptView(QueueView.moment(attempt.atMillis()), attempt.remote(),
                attempt.phase().map(Code::word).orElse(""), attempt.reply().toString(), attempt.tookMillis(),
                attempt.recipients());
    }

    static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    static String padded(String text, int width) {
        return text.length() >= width ? text + " " : text + " ".repeat(width - text.length());
    }
}
