package org.slipstream.lab.scene;

import org.slipstream.core.QueueId;
import org.slipstream.lab.scene.Course.Attempt;
import org.slipstream.lab.scene.Course.CourseConnection;
import org.slipstream.lab.scene.Course.Road;
import org.slipstream.lab.scene.Course.Way;
import org.slipstream.lab.scene.Scene.SceneMessage;
import org.slipstream.lab.scene.Stage.Played;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/// The results of a run as text: the sequence, a table of messages, a table of destinations, and
/// whether the run is as expected.
public final class SceneText {
    static final List<String> MESSAGE_TITLES = List.of("message", "copies", "entries", "recipients", "delivered",
            "arrives", "first", "last", "floor", "over floor", "inflation");
    static final List<String> ROAD_TITLES = List.of("destination", "attempts", "troubled", "untried", "connections",
            "at once");

    static final List<String> HOST_TITLES = List.of("host", "connections", "failed", "at once", "deliveries", "known");
    static final List<String> WAIT_TITLES = List.of("message", "waited", "behind");

    private static final int WIDTH = 100;
    private static final String INDENT = "          ";

    private final Played played;
    private final List<String> lines = new ArrayList<>();

    private SceneText(Played played) {
        this.played = played;
    }

    public static List<String> lines(Played played) {
        SceneText text = new SceneText(played);
        text.write();
        return text.lines;
    }

    private void write() {
        lines.add(played.scene().title());
        lines.add("");
        sequences();
        lines.add("");
        table(MESSAGE_TITLES, messageRows(played));
        reads();
        lines.add("");
        table(ROAD_TITLES, roadRows(played));
        if (played.scene().hasHosts()) {
            lines.add("");
            table(HOST_TITLES, hostRows(played));
        }
        windows();
        verdicts();
    }

    /// One row for each message of the file; see [#MESSAGE_TITLES].
    static List<List<String>> messageRows(Played played) {
        return MessageRow.of(played).stream().map(MessageRow::cells).toList();
    }

    /// One row for each destination; see [#ROAD_TITLES].
    static List<List<String>> roadRows(Played played) {
        return played.course().roads().values().stream().map(road -> List.of(road.name(), "" + road.attempts(),
                "" + road.troubled(), "" + road.untried(), "" + road.connections(), "" + road.most())).toList();
    }

    /// One row for each host; see [#HOST_TITLES].
    static List<List<String>> hostRows(Played played) {
        return played.course().hosts().keySet().stream().sorted().map(host -> hostRow(played.course(), host)).toList();
    }

    /// One row for each message of which recipients waited; see [#WAIT_TITLES].
    static List<List<String>> waitRows(Played played) {
        List<WaitSeries.SeriesWait> waits = WaitSeries.of(played.course());
        List<List<String>> rows = new ArrayList<>();
        for (String name : played.course().queue().keySet()) {
            var behind = WaitSeries.millisBehind(waits, name);
            double all = behind.values().stream().mapToDouble(Double::doubleValue).sum();
            if (all > 0) {
                rows.add(List.of(name, Times.seconds(Math.round(all)), behind.entrySet().stream()
                        .map(each -> (each.getKey().isEmpty() ? "nothing under way" : each.getKey()) + " "
                                + Times.seconds(Math.round(each.getValue())))
                        .collect(Collectors.joining(", "))));
            }
        }
        return rows;
    }

    private static List<String> hostRow(Course course, String host) {
        List<CourseConnection> links = course.links().stream().filter(link -> link.host().equals(host)).toList();
        List<String> states = Verdicts.states(course, host);
        return List.of(host, "" + links.size(), "" + links.stream().filter(link -> !link.isMade()).count(),
                "" + links.stream().mapToLong(link -> atOnce(links, link)).max().orElse(0),
                "" + links.stream().mapToInt(CourseConnection::deliveries).sum(),
                states.isEmpty() ? "–" : Runs.text(states));
    }

    // A connection that opens in the moment in which another one ends takes its place.
    private static long atOnce(List<CourseConnection> links, CourseConnection opened) {
        return links.stream().filter(
                link -> link.fromMillis() <= opened.fromMillis()
                        && (link == opened || link.toMillis() > opened.fromMillis()))
                .count();
    }

    // Names to the left, figures to the right.
    private void table(List<String> titles, List<List<String>> rows) {
        Columns columns = new Columns(titles);
        rows.forEach(columns::row);
        lines.addAll(columns.lines());
    }

    private void sequences() {
        Course course = played.course();
        List<String> transports = course.attempts().stream().filter(a -> a.id().isPresent()).map(Attempt::transport)
                .distinct().sorted().toList();
        wrapped("sequence", Runs.words(Verdicts.sequence(course, _ -> true)));
        if (transports.size() > 1) {
            transports.forEach(each -> wrapped(each,
                    Runs.words(Verdicts.sequence(course, attempt -> attempt.transport().equals(each)))));
        }
        if (!course.passings().isEmpty()) {
            lines.add("%-9s %d, the deepest at level %d".formatted("preempted", course.passings().size(),
                    course.passings().stream().mapToInt(Course.Passing::level).max().orElse(0)));
        }
    }

    // Worth a word where a message was not read at once.
    private void reads() {
        boolean first = true;
        for (var each : played.course().messages().entrySet()) {
            List<String> sizes = each.getValue().reads().stream().map(String::valueOf).toList();
            int all = played.scene().scenario().mails().get((int) each.getKey().value() - 1).recipients().size();
            if (!sizes.isEmpty() && each.getValue().reads().getFirst() < all) {
                lines.addAll(first ? List.of("", "recipients read at a time") : List.of());
                first = false;
                wrapped("  " + played.scene().messages().get(each.getKey()), Runs.words(sizes));
            }
        }
    }

    private void windows() {
        boolean first = true;
        for (Road road : played.course().roads().values()) {
            if (road.isTelling()) {
                lines.addAll(first ? List.of("", "windows after each report") : List.of());
                first = false;
                lines.add("  " + road.name());
                wrapped("", Runs.words(Verdicts.windows(road)));
            }
        }
    }

    private void verdicts() {
        List<Verdicts.SceneVerdict> all = played.verdicts();
        if (!played.scene().changes().isEmpty()) {
            lines.add("");
            lines.add("expectations are not checked: the run has " + played.scene().variant());
        }
        if (all.isEmpty()) {
            return;
        }
        lines.add("");
        long bad = all.stream().filter(verdict -> verdict.difference().isPresent()).count();
        lines.add(bad == 0
                ? "as expected (" + all.size() + (all.size() == 1 ? " expectation)" : " expectations)")
                : bad + " of " + all.size() + " expectations do not hold:");
        all.forEach(verdict -> verdict.difference().ifPresent(difference -> lines
                .add(played.scene().file() + ":" + verdict.expected().line() + ": " + difference)));
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

    /// A message, or a stream of them with the worst of each figure.
    record MessageRow(String name, int copies, int entries, int recipients, int delivered, long arrives,
            OptionalLong first, OptionalLong last, OptionalLong alone, OptionalLong slowest) {
        static List<MessageRow> of(Played played) {
            SequencedMap<String, List<QueueId>> byName = new LinkedHashMap<>();
            for (Map.Entry<QueueId, SceneMessage> each : played.scene().messages().entrySet()) {
                byName.computeIfAbsent(each.getValue().name(), _ -> new ArrayList<>()).add(each.getKey());
            }
            return byName.entrySet().stream().map(each -> of(played, each.getKey(), each.getValue())).toList();
        }

        private static MessageRow of(Played played, String name, List<QueueId> ids) {
            List<Way> ways = ids.stream().map(id -> played.course().messages().get(id)).toList();
            var mails = ids.stream().map(id -> played.scene().scenario().mails().get((int) id.value() - 1)).toList();
            boolean all = ids.stream().allMatch(id -> played.millis(id).isPresent());
            Long alone = played.alone().get(name);
            return new MessageRow(name, ids.size(), ways.stream().mapToInt(Way::entries).sum(),
                    mails.stream().mapToInt(mail -> mail.recipients().size()).sum(),
                    ways.stream().mapToInt(Way::delivered).sum(), mails.getFirst().arrivalMillis(),
                    ways.stream().flatMapToLong(way -> way.firstMillis().stream()).min(),
                    ways.stream().flatMapToLong(way -> way.lastMillis().stream()).max(),
                    alone == null ? OptionalLong.empty() : OptionalLong.of(alone),
                    all ? ids.stream().mapToLong(id -> played.millis(id).orElseThrow()).max() : OptionalLong.empty());
        }

        List<String> cells() {
            boolean known = alone.isPresent() && slowest.isPresent();
            return List.of(name, "" + copies, "" + entries, "" + recipients, "" + delivered, Times.seconds(arrives),
                    time(first), time(last), time(alone),
                    known ? Times.seconds(slowest.getAsLong() - alone.getAsLong()) : "–",
                    known && alone.getAsLong() > 0
                            ? String.format(Locale.ROOT, "%.2f", (double) slowest.getAsLong() / alone.getAsLong())
                            : "–");
        }

        private static String time(OptionalLong millis) {
            return millis.isPresent() ? Times.seconds(millis.getAsLong()) : "–";
        }
    }
}
