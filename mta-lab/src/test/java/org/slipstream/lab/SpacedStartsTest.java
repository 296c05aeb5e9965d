package org.slipstream.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.lab.MailingExperiment.Result;
import org.slipstream.lab.MailingExperiment.Shape;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// A mailing of a thousand deliveries of 1.2 seconds over twenty connections, and a single message to
/// the same destination every second; with and without spaced starts, and with other servers.
///
/// `docs/studies.md` has the table. After an intended change, this command writes it:
/// `mvn -pl mta-lab test -Dtest=SpacedStartsTest -Dslipstream.golden=write`.
class SpacedStartsTest {
    private static final Path PAGE = Path.of("../docs/studies.md");
    private static final int RUNS = 3;

    /// The results of several runs, by seed. All rows use the same seeds.
    private record Row(String label, boolean spaced, List<Result> alone, List<Result> mixed) {
        static Row of(String label, MailingExperiment mailing, Function<QmgrConfig, PlaceRules> rules, boolean spaced) {
            MailingExperiment one = mailing.spaced(spaced);
            List<Result> alone = seeds().mapToObj(seed -> one.alone(seed, rules)).toList();
            return new Row(label, spaced, alone,
                    seeds().mapToObj(seed -> one.mixed(seed, rules, alone.get((int) seed - 1))).toList());
        }

        private static LongStream seeds() {
            return LongStream.rangeClosed(1, RUNS);
        }

        double aloneSeconds() {
            return mean(alone, Result::mailingMillis) / 1_000;
        }

        double mixedSeconds() {
            return mean(mixed, Result::mailingMillis) / 1_000;
        }

        double inflation() {
            return mixedSeconds() / aloneSeconds();
        }

        double singleWait(double percent) {
            return mean(mixed, result -> result.percentile(percent));
        }

        private static double mean(List<Result> results, ToDoubleFunction<Result> figure) {
            return results.stream().mapToDouble(figure).average().orElseThrow();
        }

        String line() {
            return String.format(Locale.ROOT, "%-34s %-6s %8.1f %8.1f %8.3f %8.0f %5.0f %5.0f %5.0f", label,
                    spaced ? "spaced" : "plain", aloneSeconds(), mixedSeconds(), inflation(), singleWait(50),
                    singleWait(90),
                    singleWait(99), singleWait(100));
        }
    }

    private static final List<Row> ROWS = rows();

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        add(rows, "always 1.2 s", MailingExperiment.USUAL, QueueManagers::oneAtATime);
        add(rows, "the same, with the placement rules", MailingExperiment.USUAL, SpacedStartsTest::placed);
        add(rows, "four destinations, 20 connections", MailingExperiment.USUAL.with(4, 20), QueueManagers::oneAtATime);
        add(rows, "one destination, 4 conn., 1.2 s", MailingExperiment.USUAL.to(400).with(1, 4).singleEach(4_000),
                QueueManagers::oneAtATime);
        add(rows, "0.6 to 1.8 s", MailingExperiment.USUAL.taking(new Latency.Uniform(300, 900)),
                QueueManagers::oneAtATime);
        add(rows, "exponential, 1.2 s on average", MailingExperiment.USUAL.taking(new Latency.Exponential(600)),
                QueueManagers::oneAtATime);
        return rows;
    }

    private static void add(List<Row> rows, String label, MailingExperiment mailing,
            Function<QmgrConfig, PlaceRules> rules) {
        rows.add(Row.of(label, mailing, rules, false));
        rows.add(Row.of(label, mailing, rules, true));
    }

    /// The rules of the server with one delivery at a time on a connection, as for a slow server.
    private static PlaceRules placed(QmgrConfig config) {
        return PlaceRules.defaults().with(PlaceRules.Depth.ONE).withWorkers(100, 20)
                .with(new PlaceRules.Idle(2, Duration.ofMillis(2_000), Duration.ofMillis(300_000)));
    }

    private static Row row(String label, boolean spaced) {
        return ROWS.stream().filter(row -> row.label().equals(label) && row.spaced() == spaced).findFirst()
                .orElseThrow();
    }

    @Test
    void aMessageGetsAConnectionAtOnceAndTheMailingIsHardlySlower() {
        for (String label : List.of("always 1.2 s", "the same, with the placement rules")) {
            Row spaced = row(label, true);
            for (int run = 0; run < RUNS; run++) {
                assertThat(spaced.mixed().get(run).median()).as(label).isLessThanOrEqualTo(50);
                assertThat(spaced.mixed().get(run).percentile(99)).as(label).isLessThanOrEqualTo(200);
                assertThat(spaced.mixed().get(run).mailingMillis() / (double) spaced.alone().get(run).mailingMillis())
                        .as(label).isLessThanOrEqualTo(1.05);
            }
            assertThat(row(label, false).singleWait(50)).as("the wait without spacing").isGreaterThan(200);
        }
    }

    @Test
    void spacingCostsNoMailingMoreThanATwentiethOfItsTime() {
        for (Row spaced : ROWS.stream().filter(Row::spaced).toList()) {
            Row plain = row(spaced.label(), false);
            assertThat(spaced.aloneSeconds()).as(spaced.label()).isLessThanOrEqualTo(1.05 * plain.aloneSeconds());
            assertThat(spaced.mixedSeconds()).as(spaced.label()).isLessThanOrEqualTo(1.05 * plain.mixedSeconds());
            assertThat(spaced.inflation()).as(spaced.label()).isLessThanOrEqualTo(1.06);
        }
    }

    /// The bound is that of the destination with the most recipients. There are connections for all:
    /// where they are short, the destinations of a mailing take turns, and the largest one ends late.
    @Test
    void aMailingAloneEndsWithinTwoPercentOfWhatItsConnectionsCanDo() {
        MailingExperiment one = MailingExperiment.USUAL;
        assertThat(aloneOver(one, 60_000)).as("one destination").isLessThanOrEqualTo(1.02);
        assertThat(aloneOver(one.openAtOnce(), 60_000)).as("a wide window").isLessThanOrEqualTo(1.02);
        assertThat(aloneOver(one.to(6_000).with(3, 20), 60_000)).as("even").isLessThanOrEqualTo(1.02);
        assertThat(aloneOver(one.to(4_000).with(5, 20).shaped(Shape.UNEVEN), 60_000)).as("uneven")
                .isLessThanOrEqualTo(1.02);
        assertThat(aloneOver(one.to(4_000).with(5, 20).shaped(Shape.LONG_TAIL), 72_000)).as("long tail")
                .isLessThanOrEqualTo(1.02);
    }

    private static double aloneOver(MailingExperiment mailing, long boundMillis) {
        return mailing.alone(1, QueueManagers::oneAtATime).mailingMillis() / (double) boundMillis;
    }

    @Test
    void noMessageWaitsLongerForIt() {
        for (Row spaced : ROWS.stream().filter(Row::spaced).toList()) {
            Row plain = row(spaced.label(), false);
            assertThat(spaced.singleWait(50)).as(spaced.label()).isLessThanOrEqualTo(plain.singleWait(50) + 10);
            assertThat(spaced.singleWait(99)).as(spaced.label()).isLessThanOrEqualTo(plain.singleWait(99) * 1.25);
        }
    }

    /// More single messages than the connections can carry. A fifth of the deliveries of the mailing
    /// passes it for slots, a fifth while it waits for its turns, and no more.
    @Test
    @Tag("PF-41")
    void aStreamOfMessagesTakesABoundedShareOfTheMailing() {
        MailingExperiment flood = MailingExperiment.USUAL.to(400).singleEach(25);
        for (Latency latency : List.of(Latency.of(600), new Latency.Exponential(600))) {
            MailingExperiment spaced = flood.taking(latency);
            long alone = spaced.alone(1, QueueManagers::oneAtATime).mailingMillis();
            assertThat(spaced.mixed(1, QueueManagers::oneAtATime).mailingMillis()).isLessThanOrEqualTo(alone * 3 / 2);
        }
    }

    /// PF-11: a window grows only when the number of deliveries under way comes near it, and spaced
    /// starts keep that number low at first.
    @Test
    @Tag("PF-11")
    void theWindowStillGrows() {
        Result plain = row("always 1.2 s", false).alone().getFirst();
        Result spaced = row("always 1.2 s", true).alone().getFirst();
        assertThat(spaced.wideMillis()).isLessThanOrEqualTo(plain.wideMillis() + 1_200);

        MailingExperiment large = MailingExperiment.USUAL.with(1, 60);
        assertThat(large.alone(1, QueueManagers::oneAtATime).wideMillis())
                .isLessThanOrEqualTo(large.spaced(false).alone(1, QueueManagers::oneAtATime).wideMillis() + 2_400);
    }

    /// No decision differs, so the throughput of quick mail is unchanged. Only the window opens sooner,
    /// so it is open from the first.
    @Test
    void forAQuickServerEverythingIsAsWithoutSpacing() {
        for (MailingExperiment quick : List.of(MailingExperiment.USUAL.taking(Latency.of(2)).singleEach(20),
                MailingExperiment.USUAL.taking(Latency.of(90)).singleEach(100),
                MailingExperiment.USUAL.to(200).with(1, 1))) {
            Result plain = quick.openAtOnce().spaced(false).mixed(1, QueueManagers::oneAtATime);
            Result spaced = quick.openAtOnce().spaced(true).mixed(1, QueueManagers::oneAtATime);
            assertThat(spaced.waits()).isEqualTo(plain.waits());
            assertThat(spaced.mailingMillis()).isEqualTo(plain.mailingMillis());
            assertThat(spaced.alarms()).isEqualTo(plain.alarms());
        }
    }

    @Test
    void thePageHasTheTable() throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "                                             mailing    with              singles wait, ms",
                "a delivery takes                   starts   alone, s  singles inflation   50%   90%   99%   all"));
        ROWS.forEach(row -> lines.add(row.line()));
        String begin = "<!-- spaced starts: written by SpacedStartsTest -->\n";
        String end = "<!-- end of spaced starts -->\n";
        String page = Files.readString(PAGE);
        assertThat(page).contains(begin).contains(end);
        String current = page.substring(0, page.indexOf(begin) + begin.length()) + "```text\n"
                + String.join("\n", lines) + "\n```\n" + page.substring(page.indexOf(end));
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, current);
        } else {
            assertThat(page).isEqualTo(current);
        }
    }
}
