package org.slipstream.cli.lab;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.lab.Forecast.DestinationForecast;
import org.slipstream.cli.lab.Forecast.ForecastReport;
import org.slipstream.cli.lab.LiveQueue.LiveDestination;
import org.slipstream.cli.lab.LiveQueue.LiveMessage;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.lab.journal.RecordedTraffic;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalText;
import org.slipstream.settings.SettingsSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Forecasts of a queue of known size.
class ForecastTest {
    private static final Instant TAKEN = Instant.parse("2026-11-22T10:00:00Z");
    private static final long SECOND = 1_000;

    @TempDir
    private Path home;

    private final List<LiveMessage> messages = new ArrayList<>();

    private Config config(String... settings) {
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of(settings))).config();
    }

    private void waiting(int count, String domain) {
        IntStream.range(0, count).forEach(_ -> waiting("active", "", "user@" + domain));
    }

    private void waiting(String state, String nextAttempt, String... recipients) {
        messages.add(new LiveMessage(new QueueId((TAKEN.toEpochMilli() << 10) + messages.size()).toString(),
                "me@home.example", state, nextAttempt, List.of(recipients)));
    }

    private ForecastReport forecast(LiveDestination measured, String... changes) {
        return Forecast.of(new LiveQueue(TAKEN.toString(), messages, List.of(measured)), config(), config(changes),
                200);
    }

    private static DestinationForecast of(ForecastReport report, String destination) {
        return report.destinations().stream().filter(each -> each.destination().equals(destination)).findFirst()
                .orElseThrow();
    }

    private static LiveDestination takes(long millis) {
        return new LiveDestination("smtp", "slow.example", Optional.of(millis));
    }

    @Test
    void aSlowDestinationIsDoneLaterWithFewerConnections() {
        waiting(100, "slow.example");
        waiting(1, "quick.example");
        ForecastReport report = forecast(takes(4 * SECOND), "queue.lanes-per-destination=2");
        DestinationForecast slow = of(report, "smtp/slow.example");
        // 100 deliveries of 4 s: over two connections at least 200 s, over at most twenty 20 s.
        assertThat(slow.presentMillis().orElseThrow()).isBetween(20 * SECOND, 60 * SECOND);
        assertThat(slow.changedMillis().orElseThrow()).isBetween(200 * SECOND, 220 * SECOND);
        DestinationForecast quick = of(report, "smtp/quick.example");
        assertThat(quick.presentMillis()).isEqualTo(quick.changedMillis());
        assertThat(quick.presentMillis().orElseThrow()).isBetween(200L, 2 * SECOND);
        assertThat(report.slowest()).hasSize(10)
                .allSatisfy(each -> assertThat(each.destination()).isEqualTo("smtp/slow.example"));
        assertThat(report.slowest().getFirst().changedMillis()).isEqualTo(slow.changedMillis());
    }

    @Test
    void theSameQueueAndSettingsGiveTheSameForecast() {
        waiting(60, "slow.example");
        waiting(60, "quick.example");
        ForecastReport report = forecast(takes(700));
        assertThat(report.destinations()).allSatisfy(
                each -> assertThat(each.presentMillis()).isPresent().isEqualTo(each.changedMillis()));
        assertThat(forecast(takes(700))).isEqualTo(report);
    }

    @Test
    void deferredMailWaitsForItsNextAttemptAndMailWithoutOneIsLeftOut() {
        waiting("deferred", TAKEN.plusSeconds(600).toString(), "a@slow.example");
        waiting("held", "", "b@held.example");
        waiting("deferred", "", "c@suspended.example");
        ForecastReport report = forecast(takes(SECOND));
        assertThat(of(report, "smtp/slow.example").presentMillis().orElseThrow()).isBetween(600 * SECOND,
                610 * SECOND);
        assertThat(report.destinations()).hasSize(1);
        assertThat(report.assumptions().getFirst())
                .isEqualTo("1 message of the queue at 2026-11-22T10:00:00Z, without 2 on hold or suspended");
    }

    @Test
    void theAssumptionsTellMeasuredDurationsFromAssumedOnes() {
        waiting(1, "slow.example");
        waiting(1, "quick.example");
        assertThat(forecast(takes(4 * SECOND)).assumptions())
                .contains("a delivery to smtp/slow.example takes 4000 ms, as measured",
                        "a delivery to any other destination takes 200 ms (--delivery)");
    }

    @Test
    void mailThatIsDueAfterTheHorizonHasNoTime() {
        waiting("deferred", TAKEN.plusSeconds(3 * 86_400).toString(), "a@slow.example");
        assertThat(of(forecast(takes(SECOND)), "smtp/slow.example").presentMillis()).isEmpty();
    }

    @Test
    void routesOfTheSettingsHold() {
        waiting(1, "localhost");
        waiting(1, "inner.example");
        ForecastReport report = Forecast.of(new LiveQueue(TAKEN.toString(), messages, List.of()),
                config("routes.inner.example=lmtp:127.0.0.1:24"), config(), 200);
        assertThat(report.destinations().stream().map(DestinationForecast::destination))
                .containsExactly("lmtp/127.0.0.1:24", "local/localhost");
    }

    /// Both hosts refused for three hours, so mail that is due now goes after that.
    @Test
    void aForecastOverAJournalHasItsHostsAndTheirReplies() throws Exception {
        long began = TAKEN.toEpochMilli() - 86_400_000;
        List<JournalRecord> records = new ArrayList<>(List.of(new JournalRecord.Beginning(JournalRecord.FORMAT, "test",
                began, 1, config().queueManager(), config().smtpPlacement(), List.of()),
                new JournalRecord.QueueEvent(began, new QmgrEvent.RouteKnown("slow.example", new Route.Smtp(
                        "slow.example", List.of(new Route.Host("mx1.slow.example", 25, 10),
                                new Route.Host("mx2.slow.example", 25, 20)))))));
        for (long minute = 0; minute <= 24 * 60; minute += 10) {
            long at = began + minute * 60_000;
            for (String host : List.of("mx1.slow.example", "mx2.slow.example")) {
                records.add(new JournalRecord.QueueEvent(at, new QmgrEvent.ConnectionReady(minute)));
                records.add(new JournalRecord.QueueEvent(at, minute <= 180
                        ? new QmgrEvent.ConnectionFailed(minute, Reply.of(421, "4.7.0", "too many"),
                                host + "[192.0.2.1]:25")
                        : new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(minute, minute, List.of(
                                new RecipientOutcome(1, Outcome.of(Reply.of(250, "2.0.0", "ok"),
                                        host + "[192.0.2.1]:25"))),
                                true))));
            }
        }
        Path journal = home.resolve("decisions.jsonl");
        Files.write(journal, records.stream().map(JournalText::write).toList());
        waiting(3, "slow.example");

        ForecastReport report = Forecast.of(new LiveQueue(TAKEN.toString(), messages, List.of()), config(), config(),
                200, Optional.of(RecordedTraffic.read(journal, _ -> {})));

        assertThat(of(report, "smtp/slow.example").presentMillis().orElseThrow()).isBetween(10_800 * SECOND,
                20_000 * SECOND);
        assertThat(of(forecast(takes(SECOND)), "smtp/slow.example").presentMillis().orElseThrow())
                .as("without the journal").isLessThan(60 * SECOND);
        assertThat(report.assumptions()).anySatisfy(line -> assertThat(line).contains("recorded replies"));
    }

    @Test
    void anEmptyQueueHasNoDestinations() {
        assertThat(forecast(takes(1)).destinations()).isEmpty();
    }
}
