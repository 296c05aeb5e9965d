package org.slipstream.lab.journal;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.Scenario.Fault;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.shaping.ShapingPage;
import org.slipstream.lab.shaping.ShapingTrial;
import org.slipstream.lab.shaping.ShapingTrial.TrialReport;
import org.slipstream.lab.shaping.ShapingTrial.TrialRequest;
import org.slipstream.lab.study.OrderStudy;
import org.slipstream.lab.study.RecordedLoad;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalText;
import org.slipstream.qmgr.journal.file.JournalWriter;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.shaping.ShapingRules;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// A journal of a server whose provider refused for half an hour, and other courses of that hour.
class RecordedTrafficTest {
    private static final long MINUTE = 60_000;
    private static final int MESSAGES = 80;
    private static final ShapingRules RULES = ShapingRules.read("my.toml", """
            [[rules]]
            name = "turned-away"
            mx = ".far.example"
            code = "421"
            count = 3
            within = "5m"
            suspend = "20m"
            """);

    @TempDir
    private static Path folder;

    private static Path recorded;

    @TempDir
    private Path copies;

    private Path file;

    private static SimulatedMail mail(int number) {
        // The last but one does not exist, and near.example is never in trouble.
        String address = number == MESSAGES - 1
                ? "nobody@far.example"
                : "r" + number + (number % 4 == 0 ? "@near.example" : "@far.example");
        return new SimulatedMail(new QueueId(number), number * 45_000L, Address.parse("ann@here.example"),
                List.of(new SimulatedRecipient(Address.parse(address).orElseThrow(), number == MESSAGES - 1
                        ? new ReplyScript.Refused()
                        : new ReplyScript.Welcome())));
    }

    private static SimulatedDomain domain(String name, List<Outage> outages) {
        return new SimulatedDomain(name, new Route.Smtp(name, List.of(new Route.Host("mx1." + name, 25, 10),
                new Route.Host("mx2." + name, 25, 20))), 0, false, 20, 500, outages, Integer.MAX_VALUE, 0,
                Long.MAX_VALUE);
    }

    @BeforeEach
    void copy() throws Exception {
        file = copies.resolve("decisions.jsonl");
        Files.copy(recorded, file);
    }

    @BeforeAll
    static void record() throws Exception {
        Scenario scenario = new Scenario(1, QmgrConfig.defaults(), true,
                IntStream.rangeClosed(1, MESSAGES).mapToObj(RecordedTrafficTest::mail).toList(),
                List.of(domain("far.example", List.of(new Outage(10 * MINUTE, 40 * MINUTE, Fault.TURNS_AWAY))),
                        domain("near.example", List.of()), domain("here.example", List.of())),
                new OwnServer(1, 1, 20, 0, 0), List.of(), List.of(), PlaceRules.defaults());
        recorded = folder.resolve("decisions.jsonl");
        List<JournalRecord> records = WorldJournal.run(scenario);
        JournalWriter writer = JournalWriter.prepared(recorded, 64L << 20, WorldJournal.beginning(scenario),
                records.size() + 2);
        records.forEach(writer::add);
        writer.start();
        writer.close(records.size(), Duration.ofMinutes(1));
    }

    private TrialReport tried(ShapingRules rules) throws Exception {
        RecordedTraffic traffic = RecordedTraffic.read(file, _ -> {});
        return ShapingTrial.of(new TrialRequest(traffic, traffic.beganMillis(), traffic.latestMillis(),
                traffic.config(), traffic.placement(), rules, ProviderTable.shipped()));
    }

    @Test
    void aJournalIsALoadForTheOrderOfService() throws Exception {
        List<String> lines = OrderStudy.lines(RecordedLoad.of(RecordedTraffic.read(file, _ -> {})), _ -> {});

        assertThat(lines).contains("The journal has 80 messages with 80 entries, the largest with 1.");
        // 45 s between two messages, and 33.3 s for an entry: every order is the clairvoyant's.
        assertThat(lines.get(2)).startsWith("the journal").endsWith("1.00   1.00         1.00");
    }

    @Test
    void rulesSaveRefusalsAndTheMailStillArrives() throws Exception {
        TrialReport report = tried(RULES);

        assertThat(report.remarks()).isEmpty();
        assertThat(report.without().delivered()).isEqualTo(MESSAGES - 1);
        assertThat(report.without().failed()).isEqualTo(1);
        assertThat(report.with().delivered()).isEqualTo(MESSAGES - 1);
        assertThat(report.with().failed()).isEqualTo(1);
        assertThat(report.with().refused()).as("refusals with rules, of " + report.without().refused())
                .isPositive().isLessThan(report.without().refused() / 2);
        assertThat(report.rules()).isNotEmpty().allSatisfy(each -> {
            assertThat(each.rule()).isEqualTo("turned-away");
            assertThat(each.subject()).isEqualTo("destination far.example");
            assertThat(each.firstMillis()).isBetween(10 * MINUTE, 40 * MINUTE);
            assertThat(each.reply()).startsWith("421 4.7.0 too many connections");
        });
        assertThat(report.with().oldestSeconds()).isGreaterThanOrEqualTo(report.without().oldestSeconds());
    }

    /// With pools of sources each message asks for a route of its own.
    @Test
    void mailThatIsRoutedByMessageIsPlayedToo() throws Exception {
        String text = Files.readString(file);
        String routed = text.replaceAll("(\"is\":\"route-known\",\"domain\":\"[^\"]+)\"", "$1|1m8fwsqpw01\"")
                .replace("\"routedMessages\":false", "\"routedMessages\":true");
        assertThat(routed).contains("far.example|1m8fwsqpw01", "\"routedMessages\":true");
        Files.writeString(file, routed);
        TrialReport report = tried(RULES);
        assertThat(report.without().delivered()).isEqualTo(MESSAGES - 1);
        assertThat(report.rules()).isNotEmpty();
    }

    @Test
    void aRuleThatNoReplyFitsChangesNothing() throws Exception {
        TrialReport report = tried(ShapingRules.read("my.toml",
                "[[rules]]\nname = \"other\"\ncode = \"421\"\ntext = \"no such words\"\nlanes = 1\n"));
        assertThat(report.rules()).isEmpty();
        assertThat(report.with()).usingRecursiveComparison().isEqualTo(report.without());
    }

    @Test
    void thePageHasBothCurvesTheSumsAndTheAssumptions() throws Exception {
        String page = ShapingPage.of(tried(RULES), "my.toml over decisions.jsonl", millis -> "at " + millis / MINUTE,
                millis -> millis / 1000 + " s");
        assertThat(page).contains("<h1>my.toml over decisions.jsonl</h1>", "recipients delivered", "turned-away",
                "nearest at or after its time", "aria-label=\"refusals\"", "aria-label=\"deliveries\"",
                "age of the oldest message");
        assertThat(page.split("class=\"curve k0\"", -1)).as("a curve without rules in each chart").hasSize(4);
        assertThat(page.split("class=\"curve k1\"", -1)).as("and one with rules").hasSize(4);
        assertThat(page).doesNotContain("<script", "http://", "src=");
    }

    @Test
    void anIntervalHasItsMailAndItsRepliesOnly() throws Exception {
        RecordedTraffic traffic = RecordedTraffic.read(file, _ -> {});
        Scenario quiet = traffic.between(0, 10 * MINUTE, QmgrConfig.defaults(), PlaceRules.defaults());
        assertThat(quiet.mails()).hasSize(13);
        TrialReport report = ShapingTrial.of(new TrialRequest(traffic, 0, 10 * MINUTE, traffic.config(),
                traffic.placement(), RULES, ProviderTable.shipped()));
        assertThat(report.without().refused()).isZero();

        Scenario later = traffic.between(20 * MINUTE, 60 * MINUTE, QmgrConfig.defaults(), PlaceRules.defaults());
        assertThat(later.mails()).as("with mail that waited").hasSizeGreaterThan(52);
        assertThat(later.mails()).filteredOn(mail -> mail.arrivalMillis() == 0).hasSizeGreaterThan(5);
        assertThat(SimulatedDomain.names(later.domains().getFirst().route())).containsExactly("mx1.far.example",
                "mx2.far.example");
    }

    @Test
    void damageAndALineThatIsBeingWrittenEndTheTraffic() throws Exception {
        Files.writeString(file, "{\"record\":\"pump\",\"at", StandardOpenOption.APPEND);
        List<String> lines = Files.readAllLines(file);
        List<String> open = new ArrayList<>(lines);
        open.removeIf(line -> line.contains("\"closing\""));
        Files.write(file, open);
        RecordedTraffic running = RecordedTraffic.read(file, _ -> {});
        assertThat(running.remarks()).as("of a running server").isEmpty();

        open.add(open.size() / 2, "{\"record\":\"nonsense\"}");
        Files.write(file, open);
        RecordedTraffic damaged = RecordedTraffic.read(file, _ -> {});
        assertThat(damaged.remarks()).singleElement().asString()
                .contains("decisions.jsonl:" + (open.indexOf("{\"record\":\"nonsense\"}") + 1));
        assertThat(damaged.latestMillis()).isLessThan(running.latestMillis());
        assertThat(Optional.of(JournalText.read(lines.getFirst()))).isPresent();
    }
}
