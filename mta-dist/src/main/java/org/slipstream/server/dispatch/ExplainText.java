package org.slipstream.server.dispatch;

import org.slipstream.admin.ExplainOperations.AttemptView;
import org.slipstream.admin.ExplainOperations.GateView;
import org.slipstream.admin.ExplainOperations.MessageExplanation;
import org.slipstream.admin.Operations.RecipientView;
import org.slipstream.core.Attempt;
import org.slipstream.core.GateReading;
import org.slipstream.core.GateReading.GateState;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueuePhase;
import org.slipstream.core.QueuePhase.Code;
import org.slipstream.core.QueuePhase.Figure;
import org.slipstream.spool.Spool;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The explanation of one message: the gates in order, the one that binds, the next chance, what
/// would release it, and the history. The text is made here only; the command prints it.
///
/// A gate before the one that binds is open. A later gate shows its state if the queue manager knows
/// it, and is not asked otherwise.
///
/// @param phase of the message
/// @param known gates that the queue manager has read
/// @param attempts the latest first
record ExplainText(Spool.Details row, QueuePhase phase, List<GateReading> known, List<Attempt> attempts,
        long nowMillis) {

    MessageExplanation explanation() {
        List<GateView> gates = gates();
        List<AttemptView> tried = attempts.stream().map(ExplainText::view).toList();
        List<RecipientView> recipients = row.recipients().stream().map(QueueView::view).toList();
        return new MessageExplanation(id(), phase.code().word(), phase.text(), QueueView.moment(phase.sinceMillis()),
                next(), release(), gates, tried, recipients, text(gates, tried, recipients));
    }

    private String id() {
        return row.summary().id().toString();
    }

    // ---- gates

    private List<GateView> gates() {
        Map<Code, GateReading> read = new EnumMap<>(Code.class);
        known.forEach(each -> read.put(each.code(), each));
        int binding = QueuePhase.GATES.indexOf(phase.code());
        List<GateView> gates = new ArrayList<>();
        for (int i = 0; i < QueuePhase.GATES.size(); i++) {
            Code code = QueuePhase.GATES.get(i);
            GateReading reading = i == binding
                    ? GateReading.closed(code, phase.text())
                    : Optional.ofNullable(read.get(code)).orElseGet(() -> otherwise(code, binding));
            gates.add(new GateView(code.word(), word(reading.state()), i == binding, reading.text()));
        }
        return gates;
    }

    private static GateReading otherwise(Code code, int binding) {
        return binding < 0 || QueuePhase.GATES.indexOf(code) < binding
                ? GateReading.open(code, "")
                : new GateReading(code, GateState.NOT_ASKED, "");
    }

    private static String word(GateState state) {
        return state.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    // ---- next chance and release

    private String next() {
        Optional<Long> rest = Optional.ofNullable(phase.figures().get(Figure.REST_MILLIS));
        if (rest.isPresent()) {
            return "in about " + span(rest.get());
        }
        if (QueuePhase.GATES.contains(phase.code()) && phase.untilMillis().isPresent()) {
            long until = phase.untilMillis().getAsLong();
            return until <= nowMillis
                    ? "now"
                    : QueueView.moment(until) + " (in " + span(until - nowMillis) + ")";
        }
        return switch (phase.code()) {
            case HELD, RESTING, STOPPING -> "none before it is released";
            case SUSPENDED -> "none before it is resumed";
            default -> QueuePhase.GATES.contains(phase.code()) ? "as soon as the gate opens" : "it is under way";
        };
    }

    private String release() {
        return switch (phase.code()) {
            case STOPPING -> "./mta run";
            case RESTING -> "queue.deliver = true in the configuration, and a restart";
            case HELD -> "./mta queue release " + id();
            case LATER -> "nothing: its sender chose the time; ./mta queue delete " + id() + " removes it";
            case SUSPENDED -> SuspensionControl.endOf(phase.text())
                    .orElseGet(() -> "./mta destdb resume " + firstHost().orElse("HOST"));
            case RETRY, DUE -> "./mta queue flush " + id();
            case ROUTE -> "an answer of the DNS; ./mta verify " + firstOpen() + " asks again";
            case CONNECTIONS -> "a greater queue.lanes, or the end of other deliveries";
            case WINDOW -> "the end of a delivery there; the window grows with each success";
            case PAUSE, SPACING -> "nothing: the time passes by itself";
            case SHARE -> "the end of another delivery of this message";
            case HOST_LIMIT -> "the end of a delivery there; ./mta destdb list shows the hosts";
            case TURN -> "the deliveries before it; ./mta queue hold ID sets one of them aside";
            default -> "nothing: it is under way";
        };
    }

    private Optional<String> firstHost() {
        int end = phase.text().indexOf(" is suspended");
        return end < 0 ? Optional.empty() : Optional.of(phase.text().substring(0, end));
    }

    private String firstOpen() {
        return row.openRecipients().stream().findFirst().map(each -> each.address().toString()).orElse("ADDRESS");
    }

    // ---- text

    private String text(List<GateView> gates, List<AttemptView> tried, List<RecipientView> recipients) {
        MessageSummary summary = row.summary();
        List<String> lines = new ArrayList<>();
        lines.add("Message " + id() + " from <" + summary.sender().map(Object::toString).orElse("")
                + ">, in the queue for "
                + span(nowMillis - summary.createdMillis()) + ", " + count(summary.attempts(), "attempt"));
        lines.add("");
        lines.add("reason   " + phase.code().word() + ": " + phase.text());
        phase.sinceMillis().ifPresent(since -> lines
                .add("since    " + QueueView.moment(since) + " (" + span(nowMillis - since) + " ago)"));
        lines.add("next     " + next());
        lines.add("release  " + release());
        lines.add("");
        lines.add("Gates:");
        gates.forEach(gate -> lines.add(("  " + (gate.binds() ? "> " : "  ") + padded(gate.reason(), 13)
                + padded(gate.state(), 10) + gate.text()).stripTrailing()));
        if (!tried.isEmpty()) {
            lines.add("");
            lines.add("Attempts, the latest first:");
            tried.forEach(each -> lines.add("  " + each.at() + "  " + each.host() + "  "
                    + (each.phase().isEmpty() ? "-" : each.phase()) + "  " + span(each.tookMillis()) + "  "
                    + count(each.recipients(), "recipient") + "  " + each.reply()));
        }
        lines.add("");
        lines.add("Recipients:");
        recipients.forEach(each -> lines.add(("  " + padded(each.state(), 10) + "<" + each.address() + ">  "
                + each.lastReply()).stripTrailing()));
        return lines.stream().map(line -> line.replaceAll("\\p{Cntrl}", " ")).reduce((a, b) -> a + "\n" + b).orElse("");
    }

    private static AttemptView view(Attempt attempt) {
        return new AttemptView(QueueView.moment(attempt.atMillis()), attempt.remote(),
                attempt.phase().map(Code::word).orElse(""), attempt.reply().toString(), attempt.tookMillis(),
                attempt.recipients());
    }

    static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    static String padded(String text, int width) {
        return text.length() >= width ? text + " " : text + " ".repeat(width - text.length());
    }

    /// A duration with its two largest units: `3h 12m`.
    static String span(long millis) {
        Duration time = Duration.ofMillis(Math.max(0, millis));
        if (time.toSeconds() < 1) {
            return time.toMillis() + "ms";
        }
        if (time.toMinutes() < 1) {
            return time.toSeconds() + "s";
        }
        if (time.toHours() < 1) {
            return time.toMinutes() + "m" + rest(time.toSecondsPart(), "s");
        }
        return time.toDays() < 1
                ? time.toHours() + "h" + rest(time.toMinutesPart(), "m")
                : time.toDays() + "d" + rest(time.toHoursPart(), "h");
    }

    private static String rest(int amount, String unit) {
        return amount == 0 ? "" : amount + unit;
    }
}
