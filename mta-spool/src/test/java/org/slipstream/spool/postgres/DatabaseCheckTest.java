package org.slipstream.spool.postgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.CheckFinding;
import org.slipstream.core.CheckFinding.Level;
import org.slipstream.spool.postgres.DatabaseCheck.DatabaseFacts;
import org.slipstream.spool.postgres.DatabaseCheck.IdleTransaction;
import org.slipstream.spool.postgres.DatabaseCheck.SlotFacts;
import org.slipstream.spool.postgres.DatabaseCheck.StandbyFacts;

import java.sql.DriverManager;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/// The settings of a PostgreSQL that endanger mail are named.
class DatabaseCheckTest {
    private static final List<StandbyFacts> TWO = List.of(new StandbyFacts("a", "streaming", "quorum"),
            new StandbyFacts("b", "streaming", "quorum"));
    private static final SlotFacts READ = new SlotFacts("a", true, 100);

    @Test
    void aRealDatabaseWithoutStandbysIsOneCopy() throws Exception {
        var url = Postgres.database();
        // That of the tests runs without fsync.
        assertThat(DatabaseCheck.run(url)).filteredOn(CheckFinding::isLacking).extracting(CheckFinding::text)
                .satisfiesExactly(fsync -> assertThat(fsync).startsWith("is off: "),
                        standbys -> assertThat(standbys).startsWith("one copy: "));
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            var schemas = statement.executeQuery("select count(*) from pg_namespace where nspname = 'slipstream'");
            schemas.next();
            assertThat(schemas.getInt(1)).as("it looks only").isZero();
        }
    }

    @Test
    void aDatabaseThatIsNotThereIsToldAsOne() {
        assertThat(DatabaseCheck.run("jdbc:postgresql://127.0.0.1:1/slipstream")).singleElement()
                .satisfies(finding -> {
                    assertThat(finding.level()).isEqualTo(Level.NO_ANSWER);
                    assertThat(finding.text()).startsWith("no connection: ");
                });
    }

    @Test
    void aSoundOneLacksNothing() {
        assertThat(DatabaseCheck.judge(sound())).allSatisfy(
                finding -> assertThat(finding.level()).as(finding.text()).isEqualTo(Level.OK));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            fsync                     | off   | LACKS  | fsync       | power cut
            full_page_writes          | off   | LACKS  | full_page_writes | power cut
            synchronous_commit        | local | LACKS  | commit      | pooler
            synchronous_commit        | remote_apply | LACKS | commit | pooler
            synchronous_standby_names | ''    | LACKS  | standbys    | one copy
            max_slot_wal_keep_size    | -1    | LACKS  | slots       | no limit
            archive_mode              | on    | ADVICE | archive     | full text
            wal_level                 | logical | ADVICE | archive   | full text
            server_version_num        | 110022 | LACKS | version     | older
            max_connections           | 5     | LACKS  | connections | each node needs 10
            """)
    void aSettingThatEndangersMailIsNamed(String name, String value, Level level, String subject, String text) {
        var settings = new HashMap<>(sound().settings());
        settings.put(name, value);
        assertThat(DatabaseCheck.judge(with(settings, TWO, true, List.of(READ), List.of(), 0)))
                .filteredOn(finding -> finding.level() != Level.OK).singleElement().satisfies(finding -> {
                    assertThat(finding.level()).isEqualTo(level);
                    assertThat(finding.subject()).isEqualTo(subject);
                    assertThat(finding.text()).contains(text);
                });
    }

    @Test
    void standbysAreCounted() {
        assertThat(standbys(true)).containsExactly(Level.LACKS);
        assertThat(standbys(true, TWO.getFirst())).containsExactly(Level.ADVICE);
        assertThat(standbys(true, new StandbyFacts("c", "streaming", "async"))).containsExactly(Level.LACKS);
        assertThat(standbys(false, new StandbyFacts("a", "", ""))).containsExactly(Level.UNKNOWN);
    }

    private static List<Level> standbys(boolean reads, StandbyFacts... standbys) {
        return DatabaseCheck.judge(with(sound().settings(), List.of(standbys), reads, List.of(), List.of(), 0)).stream()
                .filter(finding -> finding.subject().equals("standbys")).map(CheckFinding::level).toList();
    }

    @Test
    void aSlotWithoutAReaderIsNamedWithTheStatementThatRemovesIt() {
        var slots = List.of(new SlotFacts("it's old", false, 5L << 30), new SlotFacts("new", false, 1));
        assertThat(DatabaseCheck.judge(with(sound().settings(), TWO, true, slots, List.of(), 0)))
                .filteredOn(finding -> finding.subject().equals("slots") && finding.level() != Level.OK)
                .extracting(CheckFinding::level, finding -> finding.record().orElseThrow())
                .containsExactly(tuple(Level.LACKS,
                        "select pg_drop_replication_slot('it''s old');"),
                        tuple(Level.ADVICE, "select pg_drop_replication_slot('new');"));
    }

    @Test
    void aTransactionThatStaysOpenAndAClockThatIsWrongAreAdvice() {
        assertThat(DatabaseCheck.judge(with(sound().settings(), TWO, true, List.of(READ),
                List.of(new IdleTransaction(17, "report", 900), new IdleTransaction(18, "x", 2)), -90)))
                .filteredOn(finding -> finding.level() == Level.ADVICE).extracting(CheckFinding::subject)
                .containsExactly("idle", "clock");
    }

    private static DatabaseFacts sound() {
        return with(Map.ofEntries(Map.entry("server_version", "17.2"), Map.entry("server_version_num", "170002"),
                Map.entry("fsync", "on"), Map.entry("full_page_writes", "on"), Map.entry("synchronous_commit", "on"),
                Map.entry("synchronous_standby_names", "ANY 1 (a, b)"), Map.entry("max_slot_wal_keep_size", "20480"),
                Map.entry("max_connections", "100"), Map.entry("archive_mode", "off"),
                Map.entry("wal_level", "replica")), TWO, true, List.of(READ), List.of(), 0.2);
    }

    private static DatabaseFacts with(Map<String, String> settings, List<StandbyFacts> standbys, boolean reads,
            List<SlotFacts> slots, List<IdleTransaction> idle, double clock) {
        return new DatabaseFacts(settings, standbys, reads, slots, idle, false, clock);
    }
}
