package org.slipstream.spool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.core.QueuePhase;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class OpeningTest {
    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    private SpoolException refusal(Path where) {
        SpoolException refusal = catchThrowableOfType(SpoolException.class, () -> world.open(where));
        assertThat(refusal).isNotNull();
        assertThat(refusal.getMessage()).isNotBlank().doesNotContain("\n");
        return refusal;
    }

    @Test
    void aSecondSpoolInTheSameProcessIsRefusedAndTheFirstKeepsItsLock() throws Exception {
        try (Spool first = world.open(directory)) {
            for (int i = 0; i < 2; i++) {
                assertThat(refusal(directory).reason()).isEqualTo(SpoolException.Reason.IN_USE);
            }
            assertThat(TestMessages.commit(first, "bob@example.net", new byte[10])).isNotNull();
            assertThat(otherProcess(directory)).contains("IN_USE")
                    .contains("by process " + ProcessHandle.current().pid());
        }
        world.open(directory).close();
    }

    private static String otherProcess(Path directory) throws IOException, InterruptedException {
        Process process = ChildJvm.start(OpenAndSay.class, directory.toString());
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return said;
    }

    /// The second process.
    static final class OpenAndSay {
        private OpenAndSay() {}

        public static void main(String[] arguments) {
            try (Spool spool = Spools.open(SpoolConfig.at(Path.of(arguments[0])), System::currentTimeMillis)) {
                System.out.println("opened " + spool);
            } catch (SpoolException e) {
                System.out.println(e.reason() + ": " + e.getMessage());
            }
        }
    }

    @Test
    void theSpoolOfANewerVersionIsRefusedAndNotTouched() throws Exception {
        world.open(directory).close();
        Files.writeString(directory.resolve("version"), "slipstream-spool " + (SpoolFormat.VERSION + 1) + "\n");
        Map<String, String> before = picture();
        SpoolException refusal = refusal(directory);
        assertThat(refusal.reason()).isEqualTo(SpoolException.Reason.NEWER_VERSION);
        assertThat(refusal.getMessage()).contains("newer");
        assertThat(picture()).isEqualTo(before);
    }

    private Map<String, String> picture() throws IOException {
        Map<String, String> picture = new TreeMap<>();
        try (var files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                picture.put(file.toString(), Files.getLastModifiedTime(file) + " "
                        + java.util.Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return picture;
    }

    @Test
    void aNewerSchemaIsRefusedEvenWhenTheVersionFileIsWrong() throws Exception {
        world.open(directory).close();
        TestWorld.sql(directory, "update \"flyway_schema_history\" set \"version\" = '"
                + (IndexDatabase.SCHEMA_VERSION + 1) + "'", "shutdown");
        assertThat(refusal(directory).reason()).isEqualTo(SpoolException.Reason.NEWER_VERSION);
    }

    @Test
    void aFolderThatCannotBeMadeIsNamed() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        SpoolException refusal = refusal(file.resolve("spool"));
        assertThat(refusal.reason()).isEqualTo(SpoolException.Reason.NOT_WRITABLE);
        assertThat(refusal.getMessage()).contains(file.toString());
    }

    @Test
    void aFolderWhereSomethingIsInTheWayIsRefused() throws Exception {
        Files.createFile(directory.resolve("box"));
        assertThat(refusal(directory).reason()).isEqualTo(SpoolException.Reason.NOT_WRITABLE);
    }

    @Test
    void anIndexThatIsNoDatabaseIsSetAsideAndRebuiltFromTheLog() throws Exception {
        QueueId queued;
        QueueId partly;
        try (Spool spool = world.open(directory)) {
            QueueId finished = TestMessages.commit(spool, "bob@example.net", new byte[10]);
            queued = TestMessages.commit(spool, "bob@example.net", new byte[20]);
            partly = TestMessages
                    .commit(spool, TestMessages.envelope("a@example.net", "b@example.net", "c@example.net"),
                            new byte[30])
                    .id();
            TestMessages.done(then -> spool.record(partly,
                    List.of(outcome(1, "250", "2.0.0"), outcome(2, "451", "4.0.0"), outcome(3, "550", "5.1.1")), then));
            TestMessages.done(then -> spool.record(finished, List.of(outcome(1, "250", "2.0.0")), then));
            TestMessages.done(then -> spool.failuresReported(partly, then));
            TestMessages.done(then -> spool.hold(queued, true, then));
        }
        byte[] junk = TestMessages.body(10_000, 5);
        Files.write(directory.resolve("register.mv.db"), junk);
        try (Spool spool = world.open(directory)) {
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(queued, partly);
            assertThat(spool.readRecipients(partly, 0, 10).recipients()).as("only the recipients that have not got it")
                    .extracting(each -> each.number()).containsExactly(2);
            assertThat(spool.details(partly).orElseThrow().recipients()).extracting(Spool.RecipientState::state)
                    .containsExactly(Spool.MessageState.DELIVERED, Spool.MessageState.OPEN,
                            Spool.MessageState.FAILED_AND_REPORTED);
            assertThat(spool.details(queued).orElseThrow().summary().held()).isTrue();
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(2, 1, 0, 50));
        }
        assertThat(directory.resolve("register-damaged-" + world.clock.millis() + ".mv.db")).hasBinaryContent(junk);
    }

    private static RecipientOutcome outcome(int number, String code, String status) {
        return new RecipientOutcome(number,
                Outcome.of(Reply.of(Integer.parseInt(code), status, "so it is"), "mx.example.net"));
    }

    @Test
    void anIndexThatWasBeingMadeWhenItsProcessWasKilledIsMadeAgain() throws Exception {
        TestWorld.sql(directory, "create table standing (one smallint)", "shutdown");
        byte[] half = Files.readAllBytes(directory.resolve("register.mv.db"));
        try (Spool spool = world.open(directory)) {
            assertThat(TestMessages.commit(spool, "bob@example.net", new byte[10])).isNotNull();
        }
        assertThat(Files.size(directory.resolve("register-damaged-" + world.clock.millis() + ".mv.db")))
                .isGreaterThanOrEqualTo(half.length);
    }

    @Test
    void anUnreadableVersionFileIsNotGuessedAt() throws Exception {
        Files.writeString(directory.resolve("version"), "what?\n");
        assertThat(refusal(directory).reason()).isEqualTo(SpoolException.Reason.DAMAGED);
    }

    @Test
    void theSchemaIsMadeAndLeftAloneAfterwards() throws Exception {
        world.open(directory).close();
        assertThat(TestWorld.number(directory,
                "select max(cast(\"version\" as integer)) from \"flyway_schema_history\" where \"success\" = true"))
                .isEqualTo(IndexDatabase.SCHEMA_VERSION);
        TestWorld.sql(directory, "shutdown");
        world.open(directory).close();
        // An empty database file, as after a crash in the very first start, is migrated, too.
        TestWorld.sql(directory, "drop all objects", "shutdown");
        try (Spool spool = world.open(directory)) {
            assertThat(TestMessages.commit(spool, "bob@example.net", new byte[10])).isNotNull();
        }
    }

    /// The tables as the version before the log alone was enough had them.
    private static final String[] BEFORE_THE_LOG = {"alter table standing drop column applied",
            "alter table standing drop column in_log", "alter table message add column seq bigint default 0 not null",
            "alter table standing add column last_seq bigint default 0 not null",
            "alter table standing add column safe_seq bigint default 0 not null",
            "alter table standing add column doubt_from_id bigint default 0 not null",
            "alter table message drop column delay_reports",
            "update \"flyway_schema_history\" set \"version\" = '7'", "shutdown"};

    /// In earlier versions the log had no next attempts, replies, reports of delay and hosts.
    @Test
    void factsOfTheOldIndexAloneGoToTheLogWithTheFirstStart() throws Exception {
        QueueId waits;
        QueueId fresh;
        try (Spool spool = world.open(directory)) {
            waits = TestMessages.commit(spool, TestMessages.envelope("a@example.net", "b@example.net", "c@example.net"),
                    new byte[30]).id();
            fresh = TestMessages.commit(spool, "bob@example.net", new byte[20]);
            // With its first deferral a message has a row for each recipient.
            TestMessages.done(then -> spool.defer(waits, 1, then));
        }
        long next = world.clock.millis() + 600_000;
        TestWorld.sql(directory,
                "update message set next_millis = " + next + ", attempts = 3, delay_notified = true where id = "
                        + waits.value(),
                "update recipient set state = 3, reply_code = 550, reply_status = '5.1.1', reply_text = 'so it is',"
                        + " remote = 'mx.example.net', at_millis = 7 where number = 1",
                "update recipient set reply_code = 451, reply_status = '4.0.0', reply_text = 'so it is',"
                        + " remote = 'mx.example.net', at_millis = 8 where number = 2",
                "insert into host (host, kind, name, since_millis, until_millis, failures, words, author)"
                        + " values ('h', 'RETRY', 'mx', 1, 2, 3, 'busy', '')");
        TestWorld.sql(directory, BEFORE_THE_LOG);
        for (int start = 0; start < 3; start++) {
            try (Spool spool = world.open(directory)) {
                assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                        .containsExactly(waits, fresh);
                Spool.Details details = spool.details(waits).orElseThrow();
                assertThat(details.nextAttemptMillis()).as("start %d", start).isEqualTo(next);
                assertThat(details.summary().attempts()).isEqualTo(3);
                assertThat(details.summary().delayNotified()).isTrue();
                assertThat(details.recipients()).extracting(Spool.RecipientState::state)
                        .containsExactly(Spool.MessageState.FAILED_AND_REPORTED, Spool.MessageState.OPEN,
                                Spool.MessageState.OPEN);
                assertThat(details.recipients()).extracting(each -> each.last().map(Outcome::reply))
                        .containsExactly(Optional.of(outcome(1, "550", "5.1.1").outcome().reply()),
                                Optional.of(outcome(2, "451", "4.0.0").outcome().reply()), Optional.empty());
                assertThat(spool.hosts()).containsExactly(new HostRecord("h", "RETRY", "mx", 1, 2, 3, "busy", ""));
                assertThat(TestMessages.claim(spool, QueueName.INCOMING, world.clock.millis(), 10, 0).messages())
                        .hasSizeLessThanOrEqualTo(1).allMatch(each -> each.id().equals(fresh));
            }
            if (start == 1) {
                Files.delete(directory.resolve("register.mv.db"));
            }
        }
    }

    /// Schema 11 had no history of attempts and no reasons.
    @Test
    void anIndexWithoutHistoryGetsOneAndKeepsItsMail() throws Exception {
        QueueId id;
        try (Spool spool = world.open(directory)) {
            id = TestMessages.commit(spool, "bob@example.net", new byte[10]);
            TestMessages.done(then -> spool.record(id, List.of(outcome(1, "451", "4.0.0")), true, then));
        }
        TestWorld.sql(directory, "drop table attempt", "alter table recipient drop column reason",
                "delete from \"flyway_schema_history\" where cast(\"version\" as integer) > 11",
                "update \"flyway_schema_history\" set \"version\" = '11'", "shutdown");
        try (Spool spool = world.open(directory)) {
            assertThat(spool.details(id).orElseThrow().recipients().getFirst().last().map(Outcome::reply))
                    .contains(outcome(1, "451", "4.0.0").outcome().reply());
            assertThat(spool.attempts(id)).isEmpty();
            RecipientOutcome next = new RecipientOutcome(1, outcome(1, "451", "4.0.0").outcome(),
                    new RecipientOutcome.Reached(Optional.of(QueuePhase.Code.RCPT), 9));
            TestMessages.done(then -> spool.record(id, List.of(next), true, then));
            assertThat(spool.attempts(id)).hasSize(1);
        }
    }

    @Test
    void theIndexOfTheFirstVersionIsBroughtUpToDateWithItsMail() throws Exception {
        try (Spool spool = world.open(directory)) {
            // With its first deferral a message has the rows that it had from the beginning then.
            spool.defer(TestMessages.commit(spool, "bob@example.net", new byte[10]), 1, () -> {});
        }
        TestWorld.sql(directory, java.util.Arrays.copyOf(BEFORE_THE_LOG, BEFORE_THE_LOG.length - 1));
        TestWorld.sql(directory, "drop table host", "drop table segment", "drop table large_letter",
                "alter table message drop column envelope", "alter table message drop column wishes",
                "alter table message drop column not_before_millis", "alter table standing drop column safe_seq",
                "alter table standing drop column doubt_from_id",
                "delete from \"flyway_schema_history\" where \"version\" <> '1'", "shutdown");
        for (int start = 0; start < 2; start++) {
            try (Spool spool = world.open(directory)) {
                assertThat(spool.list(Optional.empty(), 10)).hasSize(1);
                assertThat(spool.hosts()).isEmpty();
            }
            Files.delete(directory.resolve("register.mv.db"));
        }
    }

    @Test
    void afterCloseNothingIsTaken() throws Exception {
        Spool spool = world.open(directory);
        Draft draft = spool.draft();
        spool.close();
        spool.close();
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> draft.commit(TestMessages.envelope("bob@example.net")))
                .isInstanceOf(IOException.class);
        org.assertj.core.api.Assertions.assertThatThrownBy(spool::counts).isInstanceOf(IOException.class);
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void afterCloseNoCallerWaitsForAnIndexThatHadFailed() throws Exception {
        Spool spool = world.open(directory);
        world.trouble = (call, _) -> {
            if (call.equals("index.apply")) {
                throw new IndexException("no space", new SQLException("cannot write"));
            }
        };
        QueueId taken = TestMessages.commit(spool, "bob@example.net", new byte[10]);
        spool.close();
        org.assertj.core.api.Assertions.assertThatThrownBy(spool::counts).isInstanceOf(IOException.class);
        world.trouble = (_, _) -> {};
        try (Spool next = world.open(directory)) {
            assertThat(next.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(taken);
        }
    }
}
