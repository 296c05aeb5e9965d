package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.tools.Spools;

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
        SpoolException refusal = catchThrowableOfType(SpoolException.class, () -> world.openMade(where));
        assertThat(refusal).isNotNull();
        assertThat(refusal.getMessage()).isNotBlank().doesNotContain("\n");
        return refusal;
    }

    @Test
    void aSecondSpoolInTheSameProcessIsRefusedAndTheFirstKeepsItsLock() throws Exception {
        try (Spool first = world.openMade(directory)) {
            for (int i = 0; i < 2; i++) {
                assertThat(refusal(directory).reason()).isEqualTo(SpoolException.Reason.IN_USE);
            }
            assertThat(TestMessages.commit(first, "bob@example.net", new byte[10])).isNotNull();
            assertThat(otherProcess(directory)).contains("IN_USE")
                    .contains("by process " + ProcessHandle.current().pid());
        }
        world.openMade(directory).close();
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
        world.openMade(directory).close();
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

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void anIndexWithAnotherSchemaIsMadeAgainFromTheLog(int version) throws Exception {
        try (Spool spool = world.openMade(directory)) {
            TestMessages.commit(spool, "bob@example.net", new byte[10]);
        }
        TestWorld.sql(directory, "update index_schema set version = " + version,
                "alter table message drop column priority",
                "shutdown");
        try (Spool spool = world.openMade(directory)) {
            assertThat(spool.list(Optional.empty(), 10)).hasSize(1);
        }
        assertThat(TestWorld.number(directory, "select version from index_schema"))
                .isEqualTo(IndexDatabase.SCHEMA_VERSION);
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
        Files.createFile(directory.resolve("log"));
        assertThat(refusal(directory).reason()).isEqualTo(SpoolException.Reason.NOT_WRITABLE);
    }

    @Test
    void anIndexThatIsNoDatabaseIsSetAsideAndRebuiltFromTheLog() throws Exception {
        QueueId queued;
        QueueId partly;
        try (Spool spool = world.openMade(directory)) {
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
        Files.write(directory.resolve("index.mv.db"), junk);
        try (Spool spool = world.openMade(directory)) {
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(queued, partly);
            assertThat(spool.readRecipients(partly, 0, 10).recipients()).as("only the recipients that have not got it")
                    .extracting(each -> each.number()).containsExactly(2);
            assertThat(spool.details(partly).orElseThrow().recipients()).extracting(RecipientState::state)
                    .containsExactly(RecipientStatus.DELIVERED, RecipientStatus.OPEN,
                            RecipientStatus.FAILED_AND_REPORTED);
            assertThat(spool.details(queued).orElseThrow().summary().held()).isTrue();
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(2, 1, 0, 50));
        }
        assertThat(directory.resolve("index-damaged-" + world.clock.millis() + ".mv.db")).hasBinaryContent(junk);
    }

    private static RecipientOutcome outcome(int number, String code, String status) {
        return new RecipientOutcome(number,
                Outcome.of(Reply.of(Integer.parseInt(code), status, "so it is"), "mx.example.net"));
    }

    @Test
    void anIndexThatWasBeingMadeWhenItsProcessWasKilledIsMadeAgain() throws Exception {
        TestWorld.sql(directory, "create table standing (one smallint)", "shutdown");
        byte[] half = Files.readAllBytes(directory.resolve("index.mv.db"));
        try (Spool spool = world.openMade(directory)) {
            assertThat(TestMessages.commit(spool, "bob@example.net", new byte[10])).isNotNull();
        }
        assertThat(Files.size(directory.resolve("index-damaged-" + world.clock.millis() + ".mv.db")))
                .isGreaterThanOrEqualTo(half.length);
    }

    @Test
    void anUnreadableVersionFileIsNotGuessedAt() throws Exception {
        Files.writeString(directory.resolve("version"), "what?\n");
        assertThat(refusal(directory).reason()).isEqualTo(SpoolException.Reason.DAMAGED);
    }

    @Test
    void theSchemaIsMadeAndLeftAloneAfterwards() throws Exception {
        world.openMade(directory).close();
        assertThat(TestWorld.number(directory,
                "select version from index_schema"))
                .isEqualTo(IndexDatabase.SCHEMA_VERSION);
        TestWorld.sql(directory, "shutdown");
        world.openMade(directory).close();
        // An empty database file, as after a crash in the very first start, gets its tables, too.
        TestWorld.sql(directory, "drop all objects", "shutdown");
        try (Spool spool = world.openMade(directory)) {
            assertThat(TestMessages.commit(spool, "bob@example.net", new byte[10])).isNotNull();
        }
    }

    @Test
    void afterCloseNothingIsTaken() throws Exception {
        Spool spool = world.openMade(directory);
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
        Spool spool = world.openMade(directory);
        world.trouble = (call, _) -> {
            if (call.equals("index.apply")) {
                throw new IndexException("no space", new SQLException("cannot write"));
            }
        };
        QueueId taken = TestMessages.commit(spool, "bob@example.net", new byte[10]);
        spool.close();
        org.assertj.core.api.Assertions.assertThatThrownBy(spool::counts).isInstanceOf(IOException.class);
        world.trouble = (_, _) -> {};
        try (Spool next = world.openMade(directory)) {
            assertThat(next.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(taken);
        }
    }
}
