package org.slipstream.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.lab.Mailing.Result;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.place.PlaceRules;

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

/// A mailing of a thousand deliveries over twenty connections, 1.2 seconds each, and a letter to
/// the same place every second; with and without spaced starts, and with other servers.
///
/// `docs/studies.md` carries the table. When it fails after a change that is meant:
/// `mvn -pl mta-lab test -Dtest=SpacedStartsTest -Dslipstream.golden=write`.
class SpacedStartsTest {
    private static final Path PAGE = Path.of("../docs/studies.md");
    private static final int RUNS = 3;

    /// What several runs gave, by seed; the same seeds in all rows.
    private record Row(String label, boolean spaced, List<Result> alone, List<Result> mixed) {
        static Row of(String label, Mailing mailing, Function<QmgrConfig, PlaceRules> rules, boolean spaced) {
            Mailing one = mailing.spaced(spaced);
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

        double letterWait(double percent) {
            return mean(mixed, result -> result.percentile(percent));
        }

        private static double mean(List<Result> results, ToDoubleFunction<Result> figure) {
            return results.stream().mapToDouble(figure).average().orElseThrow();
        }

        String line() {
            return String.format(Locale.ROOT, "%-34s %-6s %8.1f %8.1f %8.3f %8.0f %5.0f %5.0f %5.0f", label,
                    spaced ? "spaced" : "plain", aloneSeconds(), mixedSeconds(), inflation(), letterWait(50),
                    letterWait(90),
                    letterWait(99), letterWait(100));
        }
    }

    private static final List<Row> ROWS = rows();

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        add(rows, "always 1.2 s", Mailing.USUAL, Brains::oneAtATime);
        add(rows, "the same, placed by the ladder", Mailing.USUAL, SpacedStartsTest::placed);
        add(rows, "four places, 20 connections each", Mailing.USUAL.with(4, 20), Brains::oneAtATime);
        add(rows, "one place, 4 connections, 1.2 s", Mailing.USUAL.to(400).with(1, 4).letterEach(4_000),
                Brains::oneAtATime);
        add(rows, "0.6 to 1.8 s", Mailing.USUAL.taking(new Latency.Uniform(300, 900)), Brains::oneAtATime);
        add(rows, "exponential, 1.2 s on average", Mailing.USUAL.taking(new Latency.Exponential(600)),
                Brains::oneAtATime);
        return rows;
    }

    private static void add(List<Row> rows, String label, Mailing mailing, Function<QmgrConfig, PlaceRules> rules) {
        rows.add(Row.of(label, mailing, rules, false));
        rows.add(Row.of(label, mailing, rules, true));
    }

    /// As the server has it, but for one delivery at a time on a connection, which is what a slow
    /// server is sent.
    private static PlaceRules placed(QmgrConfig config) {
        return PlaceRules.defaults().with(PlaceRules.Depth.ONE).withWorkers(100, 20)
                .with(new PlaceRules.Idle(2, Duration.ofMillis(2_000), Duration.ofMillis(300_000)));
    }

    private static Row row(String label, boolean spaced) {
        return ROWS.stream().filter(row -> row.label().equals(label) && row.spaced() == spaced).findFirst()
                .orElseThrow();
    }

    @Test
    void aMessageFindsAConnectionAtOnceAndTheMailingHardlyNotices() {
        for (String label : List.of("always 1.2 s", "the same, placed by the ladder")) {
            Row spaced = row(label, true);
            for (int run = 0; run < RUNS; run++) {
                assertThat(spaced.mixed().get(run).median()).as(label).isLessThanOrEqualTo(50);
                assertThat(spaced.mixed().get(run).percentile(99)).as(label).isLessThanOrEqualTo(200);
                assertThat(spaced.mixed().get(run).mailingMillis() / (double) spaced.alone().get(run).mailingMillis())
                        .as(label).isLessThanOrEqualTo(1.05);
            }
            assertThat(row(label, false).letterWait(50)).as("it does not come of itself").isGreaterThan(200);
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

    @Test
    void noMessageWaitsLongerForIt() {
        for (Row spaced : ROWS.stream().filter(Row::spaced).toList()) {
            Row plain = row(spaced.label(), false);
            assertThat(spaced.letterWait(50)).as(spaced.label()).isLessThanOrEqualTo(plain.letterWait(50) + 10);
            assertThat(spaced.letterWait(99)).as(spaced.label()).isLessThanOrEqualTo(plain.letterWait(99) * 1.25);
        }
    }

    /// More letters than connections can carry: a fifth of what the mailing makes passes it paid in
    /// slots, a fifth while it waits for its turns, and not more.
    @Test
    void aStreamOfMessagesDoesNotLiveOnTheMailing() {
        Mailing flood = Mailing.USUAL.to(400).letterEach(25);
        for (Latency latency : List.of(Latency.of(600), new Latency.Exponential(600))) {
            Mailing spaced = flood.taking(latency);
            long alone = spaced.alone(1, Brains::oneAtATime).mailingMillis();
            assertThat(spaced.mixed(1, Brains::oneAtATime).mailingMillis()).isLessThanOrEqualTo(alone * 3 / 2);
        }
    }

    /// PF-11: a window grows only when what runs comes near it, and spread starts keep what runs
    /// low for a while.
    @Test
    @Tag("PF-11")
    void theWindowStillGrows() {
        Result plain = row("always 1.2 s", false).alone().getFirst();
        Result spaced = row("always 1.2 s", true).alone().getFirst();
        assertThat(spaced.wideMillis()).isLessThanOrEqualTo(plain.wideMillis() + 1_200);

        Mailing large = Mailing.USUAL.with(1, 60);
        assertThat(large.alone(1, Brains::oneAtATime).wideMillis())
                .isLessThanOrEqualTo(large.spaced(false).alone(1, Brains::oneAtATime).wideMillis() + 2_400);
    }

    /// Not a single decision is another one, so nothing that the throughput of quick mail hangs on
    /// has changed.
    @Test
    void forAQuickServerEverythingIsAsWithoutSpacing() {
        for (Mailing quick : List.of(Mailing.USUAL.taking(Latency.of(2)).letterEach(20),
                Mailing.USUAL.taking(Latency.of(90)).letterEach(100), Mailing.USUAL.to(200).with(1, 1))) {
            Result plain = quick.spaced(false).mixed(1, Brains::oneAtATime);
            Result spaced = quick.spaced(true).mixed(1, Brains::oneAtATime);
            assertThat(spaced.waits()).isEqualTo(plain.waits());
            assertThat(spaced.mailingMillis()).isEqualTo(plain.mailingMillis());
            assertThat(spaced.alarms()).isEqualTo(plain.alarms());
        }
    }

    @Test
    void thePageHasTheTable() throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "                                             mailing    with              letters wait, ms",
                "a delivery takes                   starts   alone, s  letters inflation   50%   90%   99%   all"));
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
