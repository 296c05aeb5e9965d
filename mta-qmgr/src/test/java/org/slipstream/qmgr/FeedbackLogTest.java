package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.run.FeedbackLog;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// The feedback log with the switch on, as the logger writes it.
class FeedbackLogTest {
    private Story story = new Story();

    /// The log lines of a run, without the logger's prefix.
    private List<String> logged(UnaryOperator<Settings> settings, Runnable happens) {
        PrintStream err = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, UTF_8));
        try {
            story = new Story(settings, new FeedbackLog());
            happens.run();
        } finally {
            System.setErr(err);
        }
        return bytes.toString(UTF_8).lines().map(line -> line.replaceFirst("^.*FeedbackLog - ", ""))
                .toList();
    }

    private static Map<String, String> fields(String line) {
        return Stream.of(line.split(" ")).map(field -> field.split("=", 2))
                .collect(Collectors.toMap(field -> field[0], field -> field[1]));
    }

    /// Five connections are opened at once, and the fourth failure kills the destination.
    private void sixMessagesForADestinationThatIsDown() {
        story.down.put("down.example", Story.REFUSED);
        story.withhold(QmgrOrder.Open.class);
        IntStream.range(0, 6).forEach(i -> story.queue("u" + i + "@down.example"));
        story.withhold(QmgrOrder.Scan.class);
        story.answerAll(QmgrOrder.Open.class);
        story.until(300_000);
    }

    @Test
    @Tag("PF-13")
    void theLifeOfADestinationThatIsDownLineByLine() {
        assertThat(logged(s -> s, this::sixMessagesForADestinationThatIsDown)).containsExactly(
                "event=feedback destination=smtp/down.example kind=new limit=20 window=5 running=0"
                        + " feedback=0.000 success=0.000 failure=0.000 failed-cohorts=0.000",
                "event=feedback destination=smtp/down.example kind=fail limit=20 window=4 running=5"
                        + " feedback=-1.000 success=0.000 failure=0.000 failed-cohorts=0.2000",
                "event=feedback destination=smtp/down.example kind=fail limit=20 window=3 running=4"
                        + " feedback=-1.000 success=0.000 failure=0.000 failed-cohorts=0.4500",
                "event=feedback destination=smtp/down.example kind=fail limit=20 window=2 running=3"
                        + " feedback=-1.000 success=0.000 failure=0.000 failed-cohorts=0.7833",
                "event=feedback destination=smtp/down.example kind=fail-dead limit=20 window=0 running=2"
                        + " feedback=0.000 success=0.000 failure=0.000 failed-cohorts=1.283",
                "event=feedback destination=smtp/down.example kind=timer-revive-forget limit=20 window=5 running=0"
                        + " feedback=0.000 success=0.000 failure=0.000 failed-cohorts=0.000");
    }

    private void twoMessagesWithAPauseBetween() {
        story.queue("a@slow.example");
        story.queue("b@slow.example");
        story.after(10_000);
    }

    /// One delivery runs while four connections fail; it ends after this time.
    private void fourFailBesideOneThatWorks(long afterMillis) {
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("a@shaky.example");
        story.withhold(QmgrOrder.Open.class);
        story.down.put("shaky.example", Story.REFUSED);
        IntStream.range(0, 4).forEach(i -> story.queue("u" + i + "@shaky.example"));
        story.answerAll(QmgrOrder.Open.class);
        story.down.clear();
        story.after(afterMillis);
        story.answerAll(QmgrOrder.Deliver.class);
    }

    @Test
    @Tag("PF-13")
    void eachKindOfEventIsOneLineWithTheSameFields() {
        List<String> lines = Stream.of(logged(s -> s, this::sixMessagesForADestinationThatIsDown),
                logged(s -> s.transport(t -> t.withRateDelay(Duration.ofMillis(3_000))),
                        this::twoMessagesWithAPauseBetween),
                logged(s -> s, () -> fourFailBesideOneThatWorks(0)),
                logged(s -> s, () -> fourFailBesideOneThatWorks(300_000))).flatMap(List::stream).toList();

        assertThat(lines.stream().map(line -> fields(line).get("kind")).collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(QmgrTrace.FeedbackEvent.values())
                        .map(kind -> kind.name().toLowerCase().replace('_', '-')).toList());
        assertThat(lines)
                .allSatisfy(line -> assertThat(fields(line)).containsEntry("event", "feedback").containsOnlyKeys(
                        "event", "destination", "kind", "limit", "window", "running", "feedback", "success", "failure",
                        "failed-cohorts"));
    }

    @Test
    @Tag("PF-13")
    void aSuccessIsLoggedWithWhatItCountsAsWrittenInTheSettings() {
        List<String> lines = logged(s -> s.transport(t -> t), () -> story.queue("a@far.example"));
        assertThat(lines).hasSize(3);
        assertThat(fields(lines.get(1))).containsEntry("kind", "ok").containsEntry("feedback", "1.000")
                .containsEntry("window", "6").containsEntry("success", "0.000");
        assertThat(fields(lines.getLast())).containsEntry("kind", "forget");
    }
}
