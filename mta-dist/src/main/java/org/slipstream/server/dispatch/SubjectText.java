package org.slipstream.server.dispatch;

import org.slipstream.admin.ExplainOperations.ReasonCount;
import org.slipstream.admin.ExplainOperations.Subject;
import org.slipstream.admin.ExplainOperations.SubjectExplanation;
import org.slipstream.core.QueuePhase;
import org.slipstream.spool.Spool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/// The explanation of a destination, a host or a sender: its state, and the reasons for which its
/// messages wait.
///
/// @param state of the subject in words
/// @param rows the messages, with their phases
/// @param whole true when no further message can belong to the subject
record SubjectText(Subject subject, String name, String state, Map<Spool.Details, QueuePhase> rows, boolean whole,
        long nowMillis) {

    SubjectExplanation explanation() {
        List<ReasonCount> reasons = reasons();
        OptionalLong oldest = rows.keySet().stream().mapToLong(row -> row.summary().createdMillis()).min();
        OptionalLong next = rows.values().stream().map(QueuePhase::untilMillis).filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong).min();
        return new SubjectExplanation(word(), name, state, rows.size(), whole, reasons, QueueView.moment(oldest),
                QueueView.moment(next), text(reasons, oldest, next));
    }

    private String word() {
        return subject.name().toLowerCase(Locale.ROOT);
    }

    private List<ReasonCount> reasons() {
        Map<QueuePhase.Code, List<QueuePhase>> byCode = new LinkedHashMap<>();
        rows.values().forEach(phase -> byCode.computeIfAbsent(phase.code(), _ -> new ArrayList<>()).add(phase));
        return byCode.entrySet().stream()
                .map(each -> new ReasonCount(each.getKey().word(), each.getValue().size(),
                        each.getValue().getFirst().text()))
                .sorted(Comparator.comparingInt(ReasonCount::messages).reversed().thenComparing(ReasonCount::reason))
                .toList();
    }

    private String text(List<ReasonCount> reasons, OptionalLong oldest, OptionalLong next) {
        List<String> lines = new ArrayList<>();
        lines.add(Character.toUpperCase(word().charAt(0)) + word().substring(1) + " " + name + ": " + state);
        lines.add("");
        lines.add("waiting  " + (whole ? "" : "at least ") + ExplainText.count(rows.size(), "message"));
        oldest.ifPresent(millis -> lines.add("oldest   " + QueueView.moment(millis) + " ("
                + NextChance.span(nowMillis - millis) + " ago)"));
        next.ifPresent(millis -> lines.add("next     " + (millis <= nowMillis
                ? "now"
                : QueueView.moment(millis) + " (in " + NextChance.span(millis - nowMillis) + ")")));
        if (!reasons.isEmpty()) {
            lines.add("");
            lines.add("Reasons:");
            reasons.forEach(each -> lines.add("  " + ExplainText.padded(Integer.toString(each.messages()), 7)
                    + ExplainText.padded(each.reason(), 13) + "such as: " + each.example()));
        }
        return lines.stream().map(line -> line.replaceAll("\\p{Cntrl}", " ")).reduce((a, b) -> a + "\n" + b).orElse("");
    }
}
