package org.slipstream.lab.journal;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.lab.RandomScenario;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.journal.JournalReplay.ReplayReport;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalText;
import org.slipstream.qmgr.journal.file.JournalWriter;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Journals on disk: written by the writer of the server, replayed as the command does it.
class JournalReplayTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final long LARGE = 64L << 20;

    @TempDir
    private Path folder;

    private Path file;
    private Scenario scenario = RandomScenario.withHosts(5);
    private List<JournalRecord> records = List.of();

    @BeforeEach
    void runTheWorld() {
        runTheWorld(5);
    }

    private void runTheWorld(long seed) {
        scenario = RandomScenario.withHosts(seed);
        file = folder.resolve("decisions.jsonl");
        records = WorldJournal.run(scenario);
        assertThat(records).hasSizeGreaterThan(100);
    }

    private void write(long size) throws Exception {
        write(size, records.size() + 2);
    }

    private void write(long size, int waiting) throws Exception {
        JournalWriter writer = JournalWriter.prepared(file, size, WorldJournal.beginning(scenario), waiting);
        records.forEach(writer::add);
        writer.start();
        writer.close(1, LIMIT);
    }

    private ReplayReport replay() throws IOException {
        return JournalReplay.of(file, _ -> {});
    }

    @Test
    void theReplayOfACompleteJournalDecidesTheSame() throws Exception {
        write(LARGE);
        ReplayReport report = replay();
        assertThat(report.difference()).isEmpty();
        assertThat(report.gap()).isEmpty();
        assertThat(report.records()).isEqualTo(1 + records.size());
        assertThat(Files.getPosixFilePermissions(file)).as("it holds addresses")
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aChangedSettingIsNamedWithBothSides() throws Exception {
        write(LARGE);
        String changed = "\"minimalBackoff\":\"PT7S\"";
        Files.writeString(file,
                Files.readString(file).replaceFirst("\"minimalBackoff\":\"[^\"]+\"", changed));
        ReplayReport report = replay();
        assertThat(report.difference().orElseThrow())
                .matches("record \\d+ differs \\(.*decisions.jsonl:\\d+\\)\n  recorded: \\{.*}\n  replayed: \\{.*}");
    }

    /// Settings of the queue, of a transport and of the placement change, and later back.
    @Test
    void changedSettingsAreInTheJournalAndTheReplayDecidesTheSame() throws Exception {
        int changes = 0;
        int decided = 0;
        for (long seed = 1; seed <= 20; seed++) {
            runTheWorld(seed);
            List<JournalRecord> unchanged = records;
            QmgrConfig former = scenario.config();
            TransportSettings smtp = former.transport("smtp");
            QmgrConfig narrow = former.withTransports(former.transports().with("smtp",
                    smtp.withConcurrency(smtp.workers() > 1 ? 1 : 0, 1, 1).withRecipientsPerDelivery(1)));
            PlaceRules rules = scenario.placement();
            records = WorldJournal.run(scenario, world -> world.changed(700, narrow, rules.withWorkers(1, 1))
                    .changed(500_000, former, rules));
            decided += records.equals(unchanged) ? 0 : 1;
            write(LARGE);
            changes += Files.readString(file).split("\"is\":\"settings-changed\"", -1).length - 1;
            ReplayReport report = replay();
            assertThat(report.difference()).as("seed " + seed).isEmpty();
            assertThat(report.gap()).isEmpty();
        }
        assertThat(changes).isEqualTo(40);
        assertThat(decided).as("worlds in which they change decisions").isEqualTo(20);
    }

    @Test
    void aSettingThatIsMissingInAChangeIsNamedAsADifference() throws Exception {
        QmgrConfig closed = scenario.config().withTransports(scenario.config().transports().with("smtp",
                scenario.config().transport("smtp").withConcurrency(0, 1, 1)));
        records = WorldJournal.run(scenario, world -> world.changed(1, closed, scenario.placement())
                .changed(900_000, scenario.config(), scenario.placement()));
        write(LARGE);
        assertThat(replay().difference()).isEmpty();
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.replaceAll(line -> line.contains("settings-changed")
                ? line.replaceAll("\"processLimit\":0,", "\"processLimit\":9,")
                : line);
        Files.write(file, lines);
        assertThat(replay().difference()).isPresent();
    }

    @Test
    void aCutLineIsNamedAndTheRecordsBeforeItAreCompared() throws Exception {
        write(LARGE);
        String text = Files.readString(file);
        Files.writeString(file, text.substring(0, text.length() - 30));
        long last = Files.readString(file).lines().count();
        assertThatThrownBy(this::replay).isInstanceOf(IOException.class)
                .hasMessage(file + ":" + last + ": the line is cut off; the records before it gave the same decisions");
    }

    @Test
    void aDamagedLineIsNamed() throws Exception {
        write(LARGE);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.set(41, "\0\0");
        Files.write(file, lines);
        assertThatThrownBy(this::replay).isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + ":42: not JSON: ");
    }

    @Test
    void anotherFileIsNoJournal() throws Exception {
        Files.writeString(file, "title = \"x\"\n");
        assertThatThrownBy(this::replay).hasMessageStartingWith(file + ":1: not JSON: ");
        Files.writeString(file, "");
        assertThatThrownBy(this::replay).hasMessage(file + " is empty");
        Files.writeString(file, JournalText.write(records.getFirst()) + "\n");
        assertThatThrownBy(this::replay)
                .hasMessage(file + ":1: not the beginning of a run; name the first file of the journal");
    }

    @Test
    void aJournalOfAnotherFormatIsRefused() throws Exception {
        write(LARGE);
        int other = JournalRecord.FORMAT + 1;
        Files.writeString(file, Files.readString(file).replaceFirst("\"format\":" + JournalRecord.FORMAT,
                "\"format\":" + other));
        assertThatThrownBy(this::replay)
                .hasMessageStartingWith(file + ":1: the journal has format " + other + " of version test");
    }

    @Test
    void theReplayContinuesInThePartsWhileNoneIsOverwritten() throws Exception {
        long all = bytes();
        write(all * 5 / 4);
        assertThat(folder.resolve("decisions.jsonl.1")).exists();
        ReplayReport report = replay();
        assertThat(report.difference()).isEmpty();
        assertThat(report.gap()).isEmpty();
        assertThat(report.decisions()).isEqualTo(
                records.stream().filter(JournalRecord.JournalDecision.class::isInstance).count());
    }

    @Test
    void theSizeIsBoundedAndTheReplayTellsWhereItEnds() throws Exception {
        long size = bytes() / 4;
        write(size);
        long onDisk = 0;
        for (String suffix : List.of("", ".1", ".2")) {
            onDisk += Files.size(folder.resolve("decisions.jsonl" + suffix));
        }
        assertThat(onDisk).isLessThanOrEqualTo(size);
        ReplayReport report = replay();
        assertThat(report.difference()).isEmpty();
        assertThat(report.gap()).contains("part 1 of the journal was overwritten (journal.size)");
        assertThat(report.decisions()).isPositive();
        assertThat(Files.readString(folder.resolve("decisions.jsonl.1")) + Files.readString(
                folder.resolve("decisions.jsonl.2"))).as("the latest records").contains("\"record\":\"closing\"");
    }

    @Test
    void recordsThatFindNoRoomAreCountedInTheFile() throws Exception {
        JournalWriter writer = JournalWriter.prepared(file, LARGE, WorldJournal.beginning(scenario), 50);
        records.forEach(writer::add);
        writer.start();
        writer.close(1, LIMIT);
        assertThat(Files.readString(file)).contains("{\"record\":\"missing\",\"records\":" + (records.size() - 50));
        ReplayReport report = replay();
        assertThat(report.difference()).isEmpty();
        assertThat(report.gap().orElseThrow()).startsWith(
                file + ":52: " + (records.size() - 50) + " records are missing");
    }

    @Test
    void theJournalOfTheRunBeforeIsKept() throws Exception {
        write(bytes() / 4);
        String before = Files.readString(file);
        String partBefore = Files.readString(folder.resolve("decisions.jsonl.2"));
        write(LARGE);
        assertThat(folder.resolve("decisions.jsonl.old")).hasContent(before);
        assertThat(folder.resolve("decisions.jsonl.old.2")).hasContent(partBefore);
        assertThat(folder.resolve("decisions.jsonl.2")).doesNotExist();
        assertThat(JournalReplay.of(folder.resolve("decisions.jsonl.old"), _ -> {}).difference()).isEmpty();
    }

    @Test
    void aFileOfAnotherKindIsNotReplaced() throws Exception {
        Files.writeString(file, "hostname = \"mx.example.org\"\n");
        assertThatThrownBy(() -> write(LARGE))
                .hasMessage("it exists and is no journal; set journal.file to another name");
        assertThat(file).hasContent("hostname = \"mx.example.org\"");
        Files.delete(file);
        Files.createDirectory(file);
        assertThatThrownBy(() -> write(LARGE)).hasMessageContaining("it exists and is no journal");
    }

    @Test
    void afterAGapTheJournalContinuesWhenHalfOfTheRoomIsFree() throws Exception {
        JournalWriter writer = JournalWriter.prepared(file, LARGE, WorldJournal.beginning(scenario), 50);
        records.subList(0, 60).forEach(writer::add);
        writer.start();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> lines() == 51);
        records.subList(60, 70).forEach(writer::add);
        writer.close(1, LIMIT);
        assertThat(lines()).isEqualTo(1 + 50 + 1 + 10 + 1);
        assertThat(Files.readAllLines(file).get(51)).isEqualTo("{\"record\":\"missing\",\"records\":10}");
    }

    private long lines() throws IOException {
        return Files.readString(file).chars().filter(c -> c == '\n').count();
    }

    private long bytes() {
        return records.stream().mapToLong(each -> JournalText.write(each).length() + 1).sum()
                + JournalText.write(WorldJournal.beginning(scenario)).length() * 2L;
    }
}
