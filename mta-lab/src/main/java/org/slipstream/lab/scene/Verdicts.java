package org.slipstream.lab.scene;

import org.slipstream.core.QueueId;
import org.slipstream.lab.scene.Course.Attempt;
import org.slipstream.lab.scene.Course.CourseConnection;
import org.slipstream.lab.scene.Course.HostMark;
import org.slipstream.lab.scene.Course.Mark;
import org.slipstream.lab.scene.Course.Road;
import org.slipstream.lab.scene.Course.Way;
import org.slipstream.lab.scene.Expectations.Expected;
import org.slipstream.lab.scene.Expectations.HostExpectation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Compares the course of a scene with the expectations of its file.
public final class Verdicts {
    /// @param difference the difference as a sentence; empty when there is none
    public record SceneVerdict(Expected expected, Optional<String> difference) {}

    private final Scene scene;
    private final Course course;
    private final Map<String, Long> alone;

    private Verdicts(Scene scene, Course course, Map<String, Long> alone) {
        this.scene = scene;
        this.course = course;
        this.alone = alone;
    }

    static List<SceneVerdict> of(Scene scene, Course course, Map<String, Long> alone) {
        Verdicts verdicts = new Verdicts(scene, course, alone);
        return scene.expected().all().stream().map(each -> new SceneVerdict(each, verdicts.difference(each.what())))
                .toList();
    }

    private Optional<String> difference(HostExpectation what) {
        return switch (what) {
            case HostExpectation.Sequence(List<String> names) ->
                compare("sequence", names, sequence(course, _ -> true));
            case HostExpectation.SequenceOf(String transport, List<String> names) ->
                compare("sequence of " + transport, names,
                        sequence(course, attempt -> attempt.transport().equals(transport)));
            case HostExpectation.Preemptions(int count) -> course.passings().size() == count
                    ? Optional.empty()
                    : Optional.of("expected " + count + " preemptions, got " + course.passings().size());
            case HostExpectation.Finished(String message, long millis) -> finished(message, millis);
            case HostExpectation.Inflation(String message, double most) -> inflation(message, most);
            case HostExpectation.Attempts(String message, List<String> times) -> compare("attempts of " + message,
                    times, course
                            .attempts().stream().filter(a -> a.name().equals(message))
                            .map(a -> Times.seconds(a.selectedMillis())).toList());
            case HostExpectation.Reads(String message, List<String> sizes) -> compare("reads of " + message, sizes,
                    ways(message).flatMap(way -> way.reads().stream()).map(String::valueOf).toList());
            case HostExpectation.Windows(String road, List<String> sizes) -> compare("windows of " + road, sizes,
                    road(road).map(Verdicts::windows).orElse(List.of()));
            case HostExpectation.Deliveries(String host, int count) -> count("deliveries to " + host, count,
                    links(host).mapToInt(CourseConnection::deliveries).sum());
            case HostExpectation.Connections(String host, int count) -> count("connections to " + host, count,
                    (int) links(host).count());
            case HostExpectation.Hosts(String host, List<String> states) ->
                compare("states of " + host, states, states(course, host));
            case HostExpectation.Untried(String road, int recipients) -> {
                int untried = road(road).map(Road::untried).orElse(0);
                yield untried == recipients
                        ? Optional.empty()
                        : Optional.of("expected " + recipients + " recipients of " + road
                                + " deferred without an attempt, got " + untried);
            }
        };
    }

    private static Optional<String> count(String what, int expected, int got) {
        return expected == got
                ? Optional.empty()
                : Optional.of("expected " + expected + " " + what + ", got " + got);
    }

    private Stream<CourseConnection> links(String host) {
        return course.links().stream().filter(link -> link.host().equals(host));
    }

    /// The states of a host, in order.
    static List<String> states(Course course, String host) {
        return course.hosts().getOrDefault(host, List.of()).stream().map(HostMark::toString).toList();
    }

    /// Whose entries were taken, in order; reports are not of the file and left out.
    static List<String> sequence(Course course, Predicate<Attempt> which) {
        return course.attempts().stream().filter(a -> a.id().isPresent()).filter(which).map(Attempt::name).toList();
    }

    static List<String> windows(Road road) {
        return road.windows().stream().filter(Mark::isReport).map(Mark::toString).toList();
    }

    private Optional<String> finished(String message, long millis) {
        long last = ways(message).flatMapToLong(way -> way.lastMillis().stream()).max().orElse(-1);
        boolean all = ids(message).allMatch(id -> Stage
                .millis(scene.scenario().mails().get((int) id.value() - 1), course.messages().get(id)).isPresent());
        return last == millis && all
                ? Optional.empty()
                : Optional.of("expected " + message + " to be finished at " + Times.seconds(millis) + ", got "
                        + (all ? Times.seconds(last) : "no end"));
    }

    private Optional<String> inflation(String message, double most) {
        List<String> over = new ArrayList<>();
        ids(message).forEach(id -> {
            var millis = Stage.millis(scene.scenario().mails().get((int) id.value() - 1), course.messages().get(id));
            double times = millis.isPresent() && alone.containsKey(message)
                    ? (double) millis.getAsLong() / Math.max(1, alone.get(message))
                    : Double.POSITIVE_INFINITY;
            if (times > most) {
                over.add(Double.isInfinite(times)
                        ? scene.messages().get(id) + " was not delivered to everybody"
                        : String.format(Locale.ROOT, "%s took %.3f times as long as alone",
                                scene.messages().get(id), times));
            }
        });
        return over.isEmpty()
                ? Optional.empty()
                : Optional.of("expected at most " + most + " times, but " + over.getFirst());
    }

    private Stream<QueueId> ids(String message) {
        return scene.messages().entrySet().stream().filter(each -> each.getValue().name().equals(message))
                .map(Map.Entry::getKey);
    }

    private Stream<Way> ways(String message) {
        return ids(message).map(id -> course.messages().get(id));
    }

    // `smtp/a.example`, or `a.example` where one transport only leads there.
    private Optional<Road> road(String name) {
        return course.roads().values().stream()
                .filter(road -> road.name().equals(name) || road.name().endsWith("/" + name)).findFirst();
    }

    private static Optional<String> compare(String what, List<String> expected, List<String> got) {
        if (expected.equals(got)) {
            return Optional.empty();
        }
        int i = 0;
        while (i < expected.size() && i < got.size() && expected.get(i).equals(got.get(i))) {
            i++;
        }
        return Optional.of("%s differs at place %d: expected %s, got %s\n    expected %s\n    got      %s".formatted(
                what,
                i + 1, i < expected.size() ? expected.get(i) : "the end", i < got.size() ? got.get(i) : "the end",
                Runs.text(expected), Runs.text(got)));
    }
}
