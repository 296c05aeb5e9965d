package org.slipstream.lab.scenario;

import org.slipstream.core.QueueId;
import org.slipstream.lab.scenario.ScenarioFile.ScenarioMessage;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;
import org.slipstream.picture.RunRecord;
import org.slipstream.picture.RunRecord.Attempt;
import org.slipstream.picture.RunRecord.ConnectionRecord;
import org.slipstream.picture.RunRecord.DestinationRecord;
import org.slipstream.picture.RunRecord.MessageRecord;
import org.slipstream.picture.SequenceNotation;
import org.slipstream.picture.TimeAxis;
import org.slipstream.picture.WaitSeries;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/// The results of a run as text: the sequence, tables of messages, destinations and hosts, and the
/// differences from the expectations.
public final class RunText {
    public static final List<String> MESSAGE_TITLES = List.of("message", "copies", "entries", "recipients", "delivered",
            "arrives", "first", "last", "floor", "over floor", "inflation");
    public static final List<String> DESTINATION_TITLES = List.of("destination", "attempts", "troubled", "untried",
            "connections",
            "at once");

    public static final List<String> HOST_TITLES = List.of("host", "connections", "failed", "at once", "deliveries",
            "known");
    public static final List<String> WAIT_TITLES = List.of("message", "waited", "behind");

    private static final int WIDTH = 100;
    private static final String INDENT = "          ";

    private final ScenarioRun run;
    private final List<String> lines = new ArrayList<>();

    private RunText(ScenarioRun run) {
        this.run = run;
    }

    public static List<String> lines(ScenarioRun run) {
        RunText text = new RunText(run);
        text.write();
        return text.lines;
    }

    private void write() {
        lines.add(run.file().title());
        lines.add("");
        sequences();
        lines.add("");
        table(MESSAGE_TITLES, messageRows(run));
        reads();
        lines.add("");
        table(DESTINATION_TITLES, destinationRows(run));
        if (run.file().hasHosts()) {
            lines.add("");
            table(HOST_TITLES, hostRows(run));
        }
        if (run.file().hasShards()) {
            lines.add("");
            wrapped("shards", SequenceNotation.words(run.shards().counts()));
            lines.add("");
            table(ShardTotals.TITLES, run.shards().rows());
        }
        windows();
        checks();
    }

    /// One row for each message of the file; see [#MESSAGE_TITLES].
    public static List<List<String>> messageRows(ScenarioRun run) {
        return MessageRow.of(run).stream().map(MessageRow::cells).toList();
    }

    /// One row for each destination; see [#DESTINATION_TITLES].
    public static List<List<String>> destinationRows(ScenarioRun run) {
        return run.record().destinations().values().stream()
                .map(destination -> List.of(destination.name(), "" + destination.attempts(),
                        "" + destination.troubled(), "" + destination.untried(), "" + destination.connections(),
                        "" + destination.most()))
                .toList();
    }

    /// One row for each host; see [#HOST_TITLES].
    public static List<List<String>> hostRows(ScenarioRun run) {
        return run.record().hosts().keySet().stream().sorted().map(host -> hostRow(run.record(), host)).toList();
    }

    /// One row for each message with recipients that waited; see [#WAIT_TITLES].
    public static List<List<String>> waitRows(ScenarioRun run) {
        List<WaitSeries.SeriesWait> waits = WaitSeries.of(run.record());
        List<List<String>> rows = new ArrayList<>();
        for (String name : run.record().queue().keySet()) {
            var behind = WaitSeries.millisBehind(waits, name);
            double all = behind.values().stream().mapToDouble(Double::doubleValue).sum();
            if (all > 0) {
                rows.add(List.of(name, TimeAxis.seconds(Math.round(all)), behind.entrySet().stream()
                        .map(each -> (each.getKey().isEmpty() ? "no delivery under way" : each.getKey()) + ": "
                                + TimeAxis.seconds(Math.round(each.getValue())))
                        .collect(Collectors.joining(", "))));
            }
        }
        return rows;
    }

    private static List<String> hostRow(RunRecord record, String host) {
        List<ConnectionRecord> connections = record.connections().stream()
                .filter(connection -> connection.host().equals(host)).toList();
        List<String> states = ExpectationCheck.states(record, host);
        return List.of(host, "" + connections.size(),
                "" + connections.stream().filter(connection -> !connection.wasReady()).count(),
                "" + connections.stream().mapToLong(connection -> atOnce(connections, connection)).max().orElse(0),
                "" + connections.stream().mapToInt(ConnectionRecord::deliveries).sum(),
                states.isEmpty() ? "–" : SequenceNotation.text(states));
    }

    // A connection that opens at the end of another one is not open at the same time.
    private static long atOnce(List<ConnectionRecord> connections, ConnectionRecord opened) {
        return connections.stream().filter(
                connection -> connection.fromMillis() <= opened.fromMillis()
                        && (connection == opened || connection.toMillis() > opened.fromMillis()))
                .count();
    }

    private void table(List<String> titles, List<List<String>> rows) {
        Columns columns = new Columns(titles);
        rows.forEach(columns::row);
        lines.addAll(columns.lines());
    }

    private void sequences() {
        RunRecord record = run.record();
        List<String> transports = record.attempts().stream().filter(a -> a.id().isPresent()).map(Attempt::transport)
                .distinct().sorted().toList();
        wrapped("sequence", SequenceNotation.words(ExpectationCheck.sequence(record, _ -> true)));
        if (transports.size() > 1) {
            transports.forEach(each -> wrapped(each,
                    SequenceNotation
                            .words(ExpectationCheck.sequence(record, attempt -> attempt.transport().equals(each)))));
        }
        if (!record.preemptions().isEmpty()) {
            lines.add("%-9s %d, greatest level %d".formatted("preempted", record.preemptions().size(),
                    record.preemptions().stream().mapToInt(RunRecord.PreemptionRecord::level).max().orElse(0)));
        }
    }

    // Only messages that were not read at once.
    private void reads() {
        boolean first = true;
        for (var each : run.record().messages().entrySet()) {
            List<String> sizes = each.getValue().reads().stream().map(String::valueOf).toList();
            int all = run.file().scenario().mails().get((int) each.getKey().value() - 1).recipients().size();
            if (!sizes.isEmpty() && each.getValue().reads().getFirst() < all) {
                lines.addAll(first ? List.of("", "recipients read at a time") : List.of());
                first = false;
                wrapped("  " + run.file().messages().get(each.getKey()), SequenceNotation.words(sizes));
            }
        }
    }

    private void windows() {
        boolean first = true;
        for (DestinationRecord destination : run.record().destinations().values()) {
            if (destination.isInformative()) {
                lines.addAll(first ? List.of("", "windows after each report") : List.of());
                first = false;
                lines.add("  " + destination.name());
                wrapped("", SequenceNotation.words(destination.sizes()));
            }
        }
    }

    private void checks() {
        List<ExpectationCheck.CheckedExpectation> all = run.checks();
        if (!run.file().changes().isEmpty()) {
            lines.add("");
            lines.add("expectations are not checked: the run has " + run.file().variant());
        }
        if (all.isEmpty()) {
            return;
        }
        lines.add("");
        long bad = all.stream().filter(check -> check.difference().isPresent()).count();
        lines.add(bad == 0
                ? "as expected (" + all.size() + (all.size() == 1 ? " expectation)" : " expectations)")
                : bad + " of " + all.size() + " expectations do not hold:");
        all.forEach(check -> check.difference().ifPresent(difference -> lines
                .add(run.file().name() + ":" + check.expected().line() + ": " + difference)));
    }

    private void wrapped(String label, List<String> words) {
        StringBuilder line = new StringBuilder("%-9s".formatted(label));
        for (String word : words) {
            if (line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder(INDENT.substring(1));
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString().stripTrailing());
    }

    /// The figures of a message, or the worst figures of a stream.
    record MessageRow(String name, int copies, int entries, int recipients, int delivered, long arrives,
            OptionalLong first, OptionalLong last, OptionalLong alone, OptionalLong slowest) {
        static List<MessageRow> of(ScenarioRun run) {
            SequencedMap<String, List<QueueId>> byName = new LinkedHashMap<>();
            for (Map.Entry<QueueId, ScenarioMessage> each : run.file().messages().entrySet()) {
                byName.computeIfAbsent(each.getValue().name(), _ -> new ArrayList<>()).add(each.getKey());
            }
            return byName.entrySet().stream().map(each -> of(run, each.getKey(), each.getValue())).toList();
        }

        private static MessageRow of(ScenarioRun run, String name, List<QueueId> ids) {
            List<MessageRecord> results = ids.stream().map(id -> run.record().messages().get(id)).toList();
            var mails = ids.stream().map(id -> run.file().scenario().mails().get((int) id.value() - 1)).toList();
            boolean all = ids.stream().allMatch(id -> run.millis(id).isPresent());
            Long alone = run.alone().get(name);
            return new MessageRow(name, ids.size(), results.stream().mapToInt(MessageRecord::entries).sum(),
                    mails.stream().mapToInt(mail -> mail.recipients().size()).sum(),
                    results.stream().mapToInt(MessageRecord::delivered).sum(), mails.getFirst().arrivalMillis(),
                    results.stream().flatMapToLong(result -> result.firstMillis().stream()).min(),
                    results.stream().flatMapToLong(result -> result.lastMillis().stream()).max(),
                    alone == null ? OptionalLong.empty() : OptionalLong.of(alone),
                    all ? ids.stream().mapToLong(id -> run.millis(id).orElseThrow()).max() : OptionalLong.empty());
        }

        List<String> cells() {
            boolean known = alone.isPresent() && slowest.isPresent();
            return List.of(name, "" + copies, "" + entries, "" + recipients, "" + delivered, TimeAxis.seconds(arrives),
                    time(first), time(last), time(alone),
                    known ? TimeAxis.seconds(slowest.getAsLong() - alone.getAsLong()) : "–",
                    known && alone.getAsLong() > 0
                            ? String.format(Locale.ROOT, "%.2f", (double) slowest.getAsLong() / alone.getAsLong())
                            : "–");
        }

        private static String time(OptionalLong millis) {
            return millis.isPresent() ? TimeAxis.seconds(millis.getAsLong()) : "–";
        }
    }
}
