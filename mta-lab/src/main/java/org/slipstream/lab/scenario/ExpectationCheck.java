package org.slipstream.lab.scenario;

import org.slipstream.core.QueueId;
import org.slipstream.lab.scenario.Expectations.Expectation;
import org.slipstream.lab.scenario.Expectations.Expected;
import org.slipstream.picture.RunRecord;
import org.slipstream.picture.RunRecord.Attempt;
import org.slipstream.picture.RunRecord.ConnectionRecord;
import org.slipstream.picture.RunRecord.DestinationRecord;
import org.slipstream.picture.RunRecord.HostSample;
import org.slipstream.picture.RunRecord.MessageRecord;
import org.slipstream.picture.SequenceNotation;
import org.slipstream.picture.TimeAxis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Compares the record of a run with the expectations of the file.
public final class ExpectationCheck {
    /// @param difference as a sentence; empty if the expectation holds
    public record CheckedExpectation(Expected expected, Optional<String> difference) {}

    private final ScenarioFile file;
    private final RunRecord record;
    private final ShardTotals shards;
    private final Map<String, Long> alone;

    private ExpectationCheck(ScenarioFile file, RunRecord record, ShardTotals shards, Map<String, Long> alone) {
        this.shards = shards;
        this.file = file;
        this.record = record;
        this.alone = alone;
    }

    static List<CheckedExpectation> of(ScenarioFile file, RunRecord record, ShardTotals shards,
            Map<String, Long> alone) {
        ExpectationCheck checks = new ExpectationCheck(file, record, shards, alone);
        return file.expected().all().stream().map(each -> new CheckedExpectation(each, checks.difference(each.what())))
                .toList();
    }

    private Optional<String> difference(Expectation what) {
        return switch (what) {
            case Expectation.Sequence(List<String> names) ->
                compare("sequence", names, sequence(record, _ -> true));
            case Expectation.SequenceOf(String transport, List<String> names) ->
                compare("sequence of " + transport, names,
                        sequence(record, attempt -> attempt.transport().equals(transport)));
            case Expectation.Preemptions(int count) -> record.preemptions().size() == count
                    ? Optional.empty()
                    : Optional.of("expected " + count + " preemptions, got " + record.preemptions().size());
            case Expectation.Finished(String message, long millis) -> finished(message, millis);
            case Expectation.Inflation(String message, double most) -> inflation(message, most);
            case Expectation.Attempts(String message, List<String> times) -> compare("attempts of " + message,
                    times, record
                            .attempts().stream().filter(a -> a.name().equals(message))
                            .map(a -> TimeAxis.seconds(a.selectedMillis())).toList());
            case Expectation.Reads(String message, List<String> sizes) -> compare("reads of " + message, sizes,
                    results(message).flatMap(result -> result.reads().stream()).map(String::valueOf).toList());
            case Expectation.Windows(String destination, List<String> sizes) ->
                compare("windows of " + destination, sizes,
                        destination(destination).map(DestinationRecord::sizes).orElse(List.of()));
            case Expectation.Deliveries(String host, int count) -> count("deliveries to " + host, count,
                    connections(host).mapToInt(ConnectionRecord::deliveries).sum());
            case Expectation.Connections(String host, int count) -> count("connections to " + host, count,
                    (int) connections(host).count());
            case Expectation.Hosts(String host, List<String> states) ->
                compare("states of " + host, states, states(record, host));
            case Expectation.Shards(List<String> counts) -> compare("open shards", counts, shards.counts());
            case Expectation.Placed(int shard, int messages) ->
                count("messages of shard " + shard, messages, shards.messages(shard));
            case Expectation.Untried(String destination, int recipients) -> {
                int untried = destination(destination).map(DestinationRecord::untried).orElse(0);
                yield untried == recipients
                        ? Optional.empty()
                        : Optional.of("expected " + recipients + " recipients of " + destination
                                + " deferred without an attempt, got " + untried);
            }
        };
    }

    private static Optional<String> count(String what, int expected, int got) {
        return expected == got
                ? Optional.empty()
                : Optional.of("expected " + expected + " " + what + ", got " + got);
    }

    private Stream<ConnectionRecord> connections(String host) {
        return record.connections().stream().filter(connection -> connection.host().equals(host));
    }

    /// The states of a host, in order.
    static List<String> states(RunRecord record, String host) {
        return record.hosts().getOrDefault(host, List.of()).stream().map(HostSample::toString).toList();
    }

    /// The messages whose entries were selected, in order. Reports are left out, because they are not
    /// messages of the file.
    public static List<String> sequence(RunRecord record, Predicate<Attempt> which) {
        return record.attempts().stream().filter(a -> a.id().isPresent()).filter(which).map(Attempt::name).toList();
    }

    private Optional<String> finished(String message, long millis) {
        long last = results(message).flatMapToLong(result -> result.lastMillis().stream()).max().orElse(-1);
        boolean all = ids(message).allMatch(id -> ScenarioRunner
                .millis(file.scenario().mails().get((int) id.value() - 1), record.messages().get(id)).isPresent());
        return last == millis && all
                ? Optional.empty()
                : Optional.of("expected " + message + " to be finished at " + TimeAxis.seconds(millis) + ", got "
                        + (all ? TimeAxis.seconds(last) : "recipients without a delivery"));
    }

    private Optional<String> inflation(String message, double most) {
        List<String> over = new ArrayList<>();
        ids(message).forEach(id -> {
            var millis = ScenarioRunner.millis(file.scenario().mails().get((int) id.value() - 1),
                    record.messages().get(id));
            double times = millis.isPresent() && alone.containsKey(message)
                    ? (double) millis.getAsLong() / Math.max(1, alone.get(message))
                    : Double.POSITIVE_INFINITY;
            if (times > most) {
                over.add(Double.isInfinite(times)
                        ? file.messages().get(id) + " was not delivered to all recipients"
                        : String.format(Locale.ROOT, "%s took %.3f times as long as alone",
                                file.messages().get(id), times));
            }
        });
        return over.isEmpty()
                ? Optional.empty()
                : Optional.of("expected at most " + most + " times, but " + over.getFirst());
    }

    private Stream<QueueId> ids(String message) {
        return file.messages().entrySet().stream().filter(each -> each.getValue().name().equals(message))
                .map(Map.Entry::getKey);
    }

    private Stream<MessageRecord> results(String message) {
        return ids(message).map(id -> record.messages().get(id));
    }

    // `smtp/a.example`, or `a.example` if only one transport has this destination.
    private Optional<DestinationRecord> destination(String name) {
        return record.destinations().values().stream()
                .filter(destination -> destination.name().equals(name) || destination.name().endsWith("/" + name))
                .findFirst();
    }

    private static Optional<String> compare(String what, List<String> expected, List<String> got) {
        if (expected.equals(got)) {
            return Optional.empty();
        }
        int i = 0;
        while (i < expected.size() && i < got.size() && expected.get(i).equals(got.get(i))) {
            i++;
        }
        return Optional.of("%s differs at position %d: expected %s, got %s\n    expected %s\n    got      %s".formatted(
                what,
                i + 1, i < expected.size() ? expected.get(i) : "the end", i < got.size() ? got.get(i) : "the end",
                SequenceNotation.text(expected), SequenceNotation.text(got)));
    }
}
