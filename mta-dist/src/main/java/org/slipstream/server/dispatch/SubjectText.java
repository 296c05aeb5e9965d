package org.slipstream.server.dispatch;

import org.slipstream.admin.ExplainOperations.ReasonCount;
import org.slipstream.admin.ExplainOperations.Subject;
import org.slipstream.admin.ExplainOperations.SubjectExplanation;
import org.slipstream.core.Address;
import org.slipstream.core.QueuePhase;
import org.slipstream.core.Suspension;
import org.slipstream.core.Suspension.SuspensionScope;
import org.slipstream.spool.Spool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/// The explanation of a destination, a host or a sender: its state, and the reasons for which its
/// messages wait.
///
/// @param state of the subject in words
/// @param rows the messages, with their phases
/// @param whole true when no further message can belong to the subject
record SubjectText(Subject subject, String name, String state, Map<Spool.Details, QueuePhase> rows, boolean whole,
        long nowMillis) {
    /// The address that this begins is suspended with its whole domain only.
    private static final String ANYONE = "*@";

    SubjectExplanation explanation() {
        List<ReasonCount> reasons = reasons();
        OptionalLong oldest = rows.keySet().stream().mapToLong(row -> row.summary().createdMillis()).min();
        OptionalLong next = rows.values().stream().map(QueuePhase::untilMillis).filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong).min();
        return new SubjectExplanation(word(), name, state, rows.size(), whole, reasons, QueueView.moment(oldest),
                QueueView.moment(next), text(reasons, oldest, next));
    }

    // ---- the state

    /// A state, and the suspensions in force that concern the subject. The freeze concerns each.
    static String state(String state, Predicate<Suspension> concerns, List<Suspension> suspensions) {
        StringBuilder text = new StringBuilder(state);
        for (Suspension each : suspensions) {
            if (each.scope() == SuspensionScope.EVERYTHING || concerns.test(each)) {
                text.append("; ").append(SuspensionControl.endOf(each.text())
                        .map(command -> ending(each.text(), command)).orElseGet(each::text));
            }
        }
        return text.toString();
    }

    static String ending(String suspension, String command) {
        return suspension + " (" + command + " ends it)";
    }

    /// The suspensions of a destination.
    ///
    /// @param transport empty when the destination has no mail in memory, so that its route is not known
    static Predicate<Suspension> destination(String name, Optional<String> transport) {
        Optional<Address> recipient = Address.parse(ANYONE + name);
        return each -> switch (each.scope()) {
            case DESTINATION -> each.isOf(SuspensionScope.DESTINATION, name)
                    || recipient.filter(address -> each.concerns(Optional.empty(), address)).isPresent();
            case TRANSPORT -> transport.filter(each.name()::equals).isPresent();
            case SENDER, EVERYTHING -> false;
        };
    }

    /// The suspensions of a sender: an address, a domain or `<>`.
    static Predicate<Suspension> sender(String name) {
        Optional<Address> sender = Address.parse(name.indexOf('@') < 0 ? ANYONE + name : name);
        return each -> each.scope() == SuspensionScope.SENDER && (each.isOf(SuspensionScope.SENDER, name)
                || sender.filter(address -> each.concerns(sender, address)).isPresent());
    }

    // ---- the text

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
