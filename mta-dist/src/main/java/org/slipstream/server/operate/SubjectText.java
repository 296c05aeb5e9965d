package org.slipstream.server.operate;

import org.slipstream.admin.operations.ExplainOperations.ReasonCount;
import org.slipstream.admin.operations.ExplainOperations.Subject;
import org.slipstream.admin.operations.ExplainOperations.SubjectExplanation;
import org.slipstream.core.Address;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.core.text.Controls;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The explanation of a destination, a host or a sender: its state, and the reasons for which its
/// messages wait.
///
/// @param state of the subject in words
/// @param rows the messages, with their phases
/// @param whole true when no further message can belong to the subject
public record SubjectText(Subject subject, String name, String state, Map<MessageDetails, QueuePhase> rows,
        boolean whole,
        long nowMillis) {
    /// The address that this begins is suspended with its whole domain only.
    private static final String ANYONE = "*@";
    private static final Comparator<ReasonCount> MOST_FREQUENT_FIRST = Comparator
            .comparingInt(ReasonCount::messages).reversed().thenComparing(ReasonCount::reason);

    SubjectExplanation explanation() {
        List<ReasonCount> reasons = reasons();
        OptionalLong oldest = rows.keySet().stream().mapToLong(row -> row.summary().createdMillis()).min();
        OptionalLong next = rows.values().stream().map(QueuePhase::untilMillis).filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong).min();
        return explained(new SubjectExplanation(subject.name().toLowerCase(Locale.ROOT), name, state, rows.size(),
                whole, reasons, QueueView.moment(oldest), QueueView.moment(next), ""), nowMillis);
    }

    // ---- the state

    /// A state, and the suspensions in force that concern the subject. The freeze concerns each.
    static String state(String state, Predicate<Suspension> concerns, List<Suspension> suspensions) {
        StringBuilder text = new StringBuilder(state);
        for (Suspension each : suspensions) {
            if (each.scope() == SuspensionScope.EVERYTHING || concerns.test(each)) {
                text.append("; ").append(ending(each.text(), each.endCommand()));
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
            case PROVIDER, SENDER, EVERYTHING -> false;
        };
    }

    /// The suspensions of a sender: an address, a domain or `<>`.
    static Predicate<Suspension> sender(String name) {
        Optional<Address> sender = Address.parse(name.indexOf('@') < 0 ? ANYONE + name : name);
        return each -> each.scope() == SuspensionScope.SENDER && (each.isOf(SuspensionScope.SENDER, name)
                || sender.filter(address -> each.concerns(sender, address)).isPresent());
    }

    // ---- the text

    private List<ReasonCount> reasons() {
        Map<QueuePhase.Code, List<QueuePhase>> byCode = new LinkedHashMap<>();
        rows.values().forEach(phase -> byCode.computeIfAbsent(phase.code(), _ -> new ArrayList<>()).add(phase));
        return byCode.entrySet().stream()
                .map(each -> new ReasonCount(each.getKey().word(), each.getValue().size(),
                        each.getValue().getFirst().text()))
                .sorted(MOST_FREQUENT_FIRST)
                .toList();
    }

    /// The explanation with the text for its facts.
    static SubjectExplanation explained(SubjectExplanation facts, long nowMillis) {
        return new SubjectExplanation(facts.subject(), facts.name(), facts.state(), facts.waiting(), facts.examined(),
                facts.reasons(), facts.oldest(), facts.next(), text(facts, nowMillis));
    }

    private static String text(SubjectExplanation facts, long nowMillis) {
        List<String> lines = new ArrayList<>();
        lines.add(Character.toUpperCase(facts.subject().charAt(0)) + facts.subject().substring(1) + " " + facts.name()
                + ": " + facts.state());
        lines.add("");
        lines.add("waiting  " + (facts.examined() ? "" : "at least ") + ExplainText.count(facts.waiting(), "message"));
        millis(facts.oldest()).ifPresent(millis -> lines.add("oldest   " + facts.oldest() + " ("
                + NextChance.span(nowMillis - millis) + " ago)"));
        millis(facts.next()).ifPresent(millis -> lines.add("next     " + (millis <= nowMillis
                ? "now"
                : facts.next() + " (in " + NextChance.span(millis - nowMillis) + ")")));
        if (!facts.reasons().isEmpty()) {
            lines.add("");
            lines.add("Reasons:");
            facts.reasons().forEach(each -> lines.add("  "
                    + ExplainText.padded(Integer.toString(each.messages()), 7)
                    + ExplainText.padded(each.reason(), 13) + "such as: " + each.example()));
        }
        return lines.stream().map(Controls::onOneLine).collect(Collectors.joining("\n"));
    }

    private static OptionalLong millis(String moment) {
        return moment.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Instant.parse(moment).toEpochMilli());
    }

    // ---- all shards

    /// The explanation of all shards from those of each. A state that is not the same in all of them is
    /// that of each.
    ///
    /// @param parts by number of the shard; @param faults shards that are missing
    public static SubjectExplanation merged(Map<Integer, SubjectExplanation> parts, List<String> faults,
            long nowMillis) {
        SubjectExplanation first = parts.values().iterator().next();
        Map<String, ReasonCount> reasons = new LinkedHashMap<>();
        parts.values().forEach(part -> part.reasons().forEach(each -> reasons.merge(each.reason(), each,
                (one, other) -> new ReasonCount(one.reason(), one.messages() + other.messages(), one.example()))));
        return explained(new SubjectExplanation(first.subject(), first.name(), mergedState(parts, faults),
                parts.values().stream().mapToInt(SubjectExplanation::waiting).sum(),
                faults.isEmpty() && parts.values().stream().allMatch(SubjectExplanation::examined),
                reasons.values().stream().sorted(MOST_FREQUENT_FIRST).toList(),
                earliest(parts.values().stream().map(SubjectExplanation::oldest)),
                earliest(parts.values().stream().map(SubjectExplanation::next)), ""), nowMillis);
    }

    private static String mergedState(Map<Integer, SubjectExplanation> parts, List<String> faults) {
        Stream<String> states = parts.values().stream().map(SubjectExplanation::state).distinct().count() == 1
                ? parts.values().stream().map(SubjectExplanation::state).limit(1)
                : parts.entrySet().stream().map(each -> "shard " + each.getKey() + ": " + each.getValue().state());
        return Stream.concat(states, faults.stream().map(fault -> "not read: " + fault))
                .collect(Collectors.joining("; "));
    }

    private static String earliest(Stream<String> moments) {
        return moments.filter(each -> !each.isEmpty()).min(Comparator.comparing(Instant::parse)).orElse("");
    }
}
