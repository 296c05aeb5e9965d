package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.Address;
import org.slipstream.core.DataSize;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.DatabaseLost;
import org.slipstream.spool.Draft;
import org.slipstream.spool.LogEngine;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.postgres.Postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The everyday life of a message in the spool.
@ParameterizedClass
@EnumSource(LogEngine.class)
class SpoolTest {
    @Parameter
    LogEngine engine;

    private static final Outcome DELIVERED = Outcome.of(Reply.of(250, "2.0.0", "Ok"), "mx.example.net[192.0.2.1]:25");
    private static final Outcome DEFERRED = Outcome.of(new Reply(451, Optional.empty(), List.of("busy", "come again")),
            "mx.example.net[192.0.2.1]:25");
    private static final Outcome FAILED = Outcome.of(Reply.of(550, "5.1.1", "no such user"), "mx.example.net");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private Spool spool;

    @BeforeEach
    void open() throws Exception {
        world.database = engine == LogEngine.POSTGRESQL ? Optional.of(Postgres.database()) : Optional.empty();
        spool = world.open(directory);
    }

    @AfterEach
    void close() {
        spool.close();
    }

    private Connection connection() throws SQLException {
        return TestWorld.connect(directory);
    }

    private long largeContents() throws Exception {
        return engine == LogEngine.FILES
                ? Objects.requireNonNull(directory.resolve("large").toFile().list()).length
                : rows("select count(distinct id) from slipstream.content");
    }

    private long segments() throws Exception {
        return engine == LogEngine.FILES
                ? count(directory.resolve("log"))
                : rows("select count(*) from slipstream.segment");
    }

    private long rows(String query) throws SQLException {
        try (Connection database = DriverManager.getConnection(world.database.orElseThrow());
                Statement statement = database.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void restart() throws Exception {
        spool.close();
        spool = world.open(directory);
    }

    private long now() {
        return world.clock.millis();
    }

    @Test
    void committedMessagesAreThereAfterARestart() throws Exception {
        byte[] body = TestMessages.body(5000, 1);
        MessageSummary committed = TestMessages.commit(spool, TestMessages.richEnvelope(), body);
        assertThat(committed.recipients()).isEqualTo(3);
        assertThat(committed.open()).isEqualTo(3);
        assertThat(committed.createdMillis()).isEqualTo(now());
        assertThat(TestMessages.read(spool, committed.id())).isEqualTo(body);

        restart();
        assertThat(TestMessages.read(spool, committed.id())).isEqualTo(body);
        assertThat(spool.envelope(committed.id())).contains(TestMessages.richEnvelope());
        assertThat(spool.details(committed.id()).orElseThrow().summary()).isEqualTo(committed);
        assertThat(spool.readRecipients(committed.id(), 0, 10).recipients())
                .isEqualTo(TestMessages.richEnvelope().recipients());
    }

    @Test
    void aLargeMessageHasAFileOfItsOwnAndGoesWithItsMessage() throws Exception {
        byte[] body = TestMessages.body(700_000, 2);
        QueueId id = TestMessages.commit(spool, "bob@example.net", body);
        assertThat(largeContents()).isEqualTo(1);
        restart();
        assertThat(spool.content(id).sizeBytes()).isEqualTo(700_000);
        assertThat(TestMessages.read(spool, id)).isEqualTo(body);
        TestMessages.done(then -> spool.remove(id, then));
        assertThat(spool.details(id)).isEmpty();
        assertThat(largeContents()).as("goes when the index has left the message behind").isZero();

        QueueId passing = TestMessages.commit(spool, "bob@example.net", body);
        TestMessages.done(then -> spool.remove(passing, then));
        Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(
                () -> assertThat(largeContents()).as("the index never got it").isZero());
    }

    @Test
    void theEmptyMessageAndTheNullSenderAreMessagesToo() throws Exception {
        Envelope bounce = Envelope.of(Optional.empty(), List.of(Address.of("ann@example.org")));
        QueueId id = TestMessages.commit(spool, bounce, new byte[0]).id();
        restart();
        assertThat(TestMessages.read(spool, id)).isEmpty();
        assertThat(spool.envelope(id)).contains(bounce);
    }

    @Test
    void anAbandonedDraftLeavesNothingBehind() throws Exception {
        try (Draft draft = spool.draft()) {
            draft.write(TestMessages.body(500_000, 3), 0, 500_000);
        }
        assertThat(directory.resolve("large")).isEmptyDirectory();
        assertThat(spool.counts().messages()).isZero();
    }

    @Test
    void aDraftIsCommittedOnce() throws Exception {
        try (Draft draft = spool.draft()) {
            draft.commit(TestMessages.envelope("bob@example.net"));
            assertThatThrownBy(() -> draft.commit(TestMessages.envelope("bob@example.net")))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(spool.counts().messages()).isEqualTo(1);
    }

    @Test
    void idsGrowThoughTheClockJumpsBackAndTheQueueIsEmptyAfterARestart() throws Exception {
        QueueId first = TestMessages.commit(spool, "bob@example.net", TestMessages.body(10, 1));
        TestMessages.done(then -> spool.remove(first, then));
        world.clock.setBack(Duration.ofHours(1));
        restart();
        QueueId second = TestMessages.commit(spool, "bob@example.net", TestMessages.body(10, 1));
        assertThat(second).isGreaterThan(first);
    }

    @Test
    void recipientsAreReadInBatchesFromMemoryAndFromTheIndex() throws Exception {
        Envelope envelope = Envelope.of(Optional.empty(),
                IntStream.rangeClosed(1, 25).mapToObj(i -> Address.of("user" + i + "@example.net")).toList());
        QueueId id = TestMessages.commit(spool, envelope, new byte[10]).id();
        for (int round = 0; round < 2; round++) {
            List<Recipient> read = new ArrayList<>();
            Spool.RecipientBatch batch = spool.readRecipients(id, 0, 10);
            while (!batch.end()) {
                read.addAll(batch.recipients());
                batch = spool.readRecipients(id, read.getLast().number(), 10);
            }
            read.addAll(batch.recipients());
            assertThat(read).isEqualTo(envelope.recipients());
            assertThat(spool.readRecipients(id, 15, 10).end()).isTrue();
            assertThat(spool.readRecipients(id, 15, 9).end()).isFalse();
            restart();
        }
    }

    /// RFC 3461: the report is made from the index, after the last outcome and before the message
    /// is removed.
    @Test
    void aRecipientWithASuccessReportIsKeptUntilTheReport() throws Exception {
        QueueId id = TestMessages.commit(spool, TestMessages.richEnvelope(), new byte[10]).id();
        TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(1, DELIVERED),
                new RecipientOutcome(2, DELIVERED), new RecipientOutcome(3, DELIVERED)), then));
        assertThat(spool.details(id).orElseThrow().recipients()).extracting(each -> each.last().orElseThrow())
                .containsOnly(DELIVERED).hasSize(3);
        TestMessages.done(then -> spool.remove(id, then));
        assertThat(spool.details(id)).isEmpty();
    }

    @Test
    void outcomesAreKeptPerRecipient() throws Exception {
        QueueId id = TestMessages
                .commit(spool, TestMessages.envelope("a@example.net", "b@example.net", "c@example.net"),
                        new byte[10])
                .id();
        TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(1, DELIVERED),
                new RecipientOutcome(2, DEFERRED), new RecipientOutcome(3, FAILED)), then));
        assertThat(spool.readRecipients(id, 0, 10).recipients()).extracting(Recipient::number).containsExactly(2);
        restart();
        MessageDetails details = spool.details(id).orElseThrow();
        assertThat(details.summary().open()).isEqualTo(1);
        assertThat(details.summary().failed()).isEqualTo(1);
        assertThat(details.summary().attempts()).isEqualTo(1);
        assertThat(details.recipients()).extracting(RecipientState::state).containsExactly(
                RecipientStatus.DELIVERED,
                RecipientStatus.OPEN, RecipientStatus.FAILED);
        assertThat(details.recipients()).extracting(each -> each.last().orElseThrow()).containsExactly(DELIVERED,
                DEFERRED, FAILED);
        assertThat(details.recipients().getFirst().atMillis()).isEqualTo(now());

        TestMessages.done(then -> spool.failuresReported(id, then));
        TestMessages.done(then -> spool.delayReported(id, 1, then));
        details = spool.details(id).orElseThrow();
        assertThat(details.summary().failed()).isZero();
        assertThat(details.summary().delayNotified()).isTrue();
        assertThat(details.recipients().getLast().state()).isEqualTo(RecipientStatus.FAILED_AND_REPORTED);
        assertThat(details.recipients().getLast().last()).contains(FAILED);
    }

    @Test
    void changesOfOneMessageTakeEffectInTheOrderOfTheCalls() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[10]);
        List<String> answers = new ArrayList<>();
        spool.defer(id, 1, () -> answers.add("deferred"));
        spool.record(id, List.of(new RecipientOutcome(1, FAILED)), () -> answers.add("failed"));
        spool.failuresReported(id, () -> answers.add("reported"));
        spool.record(id, List.of(new RecipientOutcome(1, DEFERRED)), () -> answers.add("open again"));
        spool.hold(id, true, () -> answers.add("held"));
        spool.hold(id, false, () -> answers.add("released"));
        spool.defer(id, 2, () -> answers.add("deferred again"));
        TestMessages.done(then -> spool.makeDue(Optional.of(id), Optional.empty(), 1, then));
        assertThat(answers).containsExactly("deferred", "failed", "reported", "open again", "held", "released",
                "deferred again");
        MessageDetails details = spool.details(id).orElseThrow();
        assertThat(details.recipients().getFirst().state()).isEqualTo(RecipientStatus.OPEN);
        assertThat(details.summary().held()).isFalse();
        assertThat(details.nextAttemptMillis()).isEqualTo(1);
    }

    @Test
    void theOldestDueMailIsClaimedAndLeased() throws Exception {
        List<QueueId> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[10]);
            ids.add(id);
            TestMessages.done(then -> spool.defer(id, now() - 1000, then));
            world.clock.advanceMillis(1);
        }
        TestMessages.done(then -> spool.defer(ids.get(0), now() + 1000, then));
        TestMessages.done(then -> spool.defer(ids.get(4), now() - 2000, then));
        Spool.Claimed claimed = TestMessages.claim(spool, QueueName.DEFERRED, now(), 3, now() + 60_000);
        assertThat(TestMessages.ids(claimed.messages())).containsExactly(ids.get(4), ids.get(1), ids.get(2));
        assertThat(claimed.more()).isTrue();
        claimed = TestMessages.claim(spool, QueueName.DEFERRED, now(), 3, now() + 70_000);
        assertThat(TestMessages.ids(claimed.messages())).containsExactly(ids.get(3));
        assertThat(claimed.more()).isFalse();
        assertThat(claimed.nextDueMillis()).isEqualTo(OptionalLong.of(now() + 1000));
    }

    @Test
    @Tag("PF-28")
    void newMailIsNewUntilItIsClaimedDeferredOrHeld() throws Exception {
        QueueId claimed = TestMessages.commit(spool, "a@example.net", new byte[10]);
        assertThat(TestMessages.claim(spool, QueueName.DEFERRED, now(), 10, now()).messages()).isEmpty();
        assertThat(TestMessages.ids(TestMessages.claim(spool, QueueName.INCOMING, now(), 10, now()).messages()))
                .containsExactly(claimed);
        QueueId deferred = TestMessages.commit(spool, "b@example.net", new byte[10]);
        QueueId held = TestMessages.commit(spool, "c@example.net", new byte[10]);
        TestMessages.done(then -> spool.defer(deferred, now(), then));
        TestMessages.done(then -> spool.hold(held, true, then));
        TestMessages.done(then -> spool.hold(held, false, then));

        assertThat(TestMessages.claim(spool, QueueName.INCOMING, now(), 10, now()).messages()).isEmpty();
        assertThat(TestMessages.ids(TestMessages.claim(spool, QueueName.DEFERRED, now(), 10, now()).messages()))
                .containsExactlyInAnyOrder(claimed, deferred, held);
    }

    @Test
    void aLeaseSurvivesAStopAndRunsOut() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[10]);
        TestMessages.claim(spool, now(), 10, now() + 60_000);
        restart();
        Spool.Claimed claimed = TestMessages.claim(spool, QueueName.DEFERRED, now(), 10, now() + 60_000);
        assertThat(claimed.messages()).isEmpty();
        assertThat(claimed.nextDueMillis()).hasValue(now() + 60_000);
        assertThat(TestMessages.claim(spool, now() + 60_000, 10, now() + 99_000))
                .containsExactly(id);
    }

    @Test
    void afterTheClockWentBackDeferredMailIsBroughtForwardAndNoOther() throws Exception {
        QueueId deferred = TestMessages.commit(spool, "a@example.net", new byte[10]);
        QueueId near = TestMessages.commit(spool, "b@example.net", new byte[10]);
        QueueId held = TestMessages.commit(spool, "c@example.net", new byte[10]);
        QueueId asked = TestMessages
                .commit(spool, TestMessages.envelope("d@example.net").withOptions(new DeliveryOptions(
                        OptionalLong.of(now() + 900_000), Optional.empty(), 0, SenderTls.USUAL)), new byte[10])
                .id();
        TestMessages.done(then -> spool.defer(deferred, now() + 900_000, then));
        TestMessages.done(then -> spool.defer(near, now() + 1_000, then));
        TestMessages.done(then -> spool.defer(held, now() + 900_000, then));
        TestMessages.done(then -> spool.hold(held, true, then));

        Spool.Claimed claimed = TestMessages
                .await(then -> spool.claimDue(QueueName.DEFERRED, now(), 10, now() + 60_000, 0, now() + 4_000, then));
        assertThat(claimed.messages()).isEmpty();
        assertThat(next(deferred)).isEqualTo(now() + 4_000);
        assertThat(next(near)).isEqualTo(now() + 1_000);
        assertThat(next(held)).isEqualTo(now() + 900_000);
        assertThat(next(asked)).as("its sender wants it then").isEqualTo(now() + 900_000);
    }

    private long next(QueueId id) throws IOException {
        return spool.details(id).orElseThrow().nextAttemptMillis();
    }

    @Test
    void aDeferralWithoutAnAttemptCountsAsNone() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[10]);
        TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(1, DEFERRED)), false, then));
        assertThat(spool.details(id).orElseThrow().summary().attempts()).isZero();
        assertThat(spool.details(id).orElseThrow().recipients().getFirst().last()).contains(DEFERRED);
    }

    @Test
    void heldMailIsClaimedOnlyWhenItIsOldEnoughToExpire() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[10]);
        TestMessages.done(then -> spool.hold(id, true, then));
        assertThat(spool.counts().held()).isEqualTo(1);
        Spool.Claimed none = TestMessages
                .await(then -> spool.claimDue(QueueName.DEFERRED, now(), 10, now() + 1, now(), Long.MAX_VALUE, then));
        assertThat(none.messages()).isEmpty();
        assertThat(none.nextDueMillis()).isEmpty();
        Spool.Claimed expired = TestMessages.await(
                then -> spool.claimDue(QueueName.DEFERRED, now(), 10, now() + 1, now() + 1, Long.MAX_VALUE, then));
        assertThat(expired.messages()).singleElement().matches(MessageSummary::held);
        TestMessages.done(then -> spool.hold(id, false, then));
        assertThat(TestMessages.claim(spool, now() + 1, 10, now() + 2)).containsExactly(id);
    }

    /// No kill finds it without its hold, because both are one record.
    @Test
    void aMessageIsOnHoldFromItsBeginning() throws Exception {
        Instruction.HoldNote note = new Instruction.HoldNote("sender", now(), "fails DMARC");
        QueueId id;
        try (Draft draft = spool.draft()) {
            draft.write(new byte[10], 0, 10);
            MessageSummary message = draft.commit(TestMessages.envelope("bob@example.net"), Optional.empty(),
                    Optional.of(note));
            assertThat(message.held()).isTrue();
            id = message.id();
        }
        restart();
        assertThat(spool.counts().held()).isEqualTo(1);
        assertThat(spool.details(id).orElseThrow().summary().instructions().hold()).contains(note);
        assertThat(TestMessages.claim(spool, QueueName.INCOMING, now(), 10, now()).messages()).isEmpty();
        assertThat(TestMessages.claim(spool, QueueName.DEFERRED, now(), 10, now()).messages()).isEmpty();
        assertThat(TestMessages.read(spool, id)).isEqualTo(new byte[10]);
        TestMessages.done(then -> spool.hold(id, false, then));
        assertThat(spool.details(id).orElseThrow().summary().instructions().hold()).isEmpty();
        assertThat(TestMessages.claim(spool, now(), 10, now() + 2)).containsExactly(id);
    }

    @Test
    void mailForADomainIsMadeDueAtOnce() throws Exception {
        QueueId one = TestMessages.commit(spool, "bob@Example.NET", new byte[10]);
        QueueId other = TestMessages.commit(spool, "bob@example.com", new byte[10]);
        QueueId both = TestMessages.commit(spool, TestMessages.envelope("a@example.com", "b@example.net"), new byte[10])
                .id();
        TestMessages.done(then -> spool.record(both, List.of(new RecipientOutcome(2, DELIVERED)), then));
        for (QueueId id : List.of(one, other, both)) {
            TestMessages.done(then -> spool.defer(id, now() + 5000, then));
        }
        TestMessages.done(then -> spool.makeDue(Optional.empty(), Optional.of("eXample.net"), now(), then));
        assertThat(TestMessages.claim(spool, now(), 10, now() + 5000)).containsExactly(one);
        TestMessages.done(then -> spool.makeDue(Optional.empty(), Optional.empty(), now(), then));
        assertThat(TestMessages.claim(spool, now(), 10, now() + 5000)).containsExactly(one, other,
                both);
    }

    /// The end of a suspension: its mail is found by the text of its reply.
    @Test
    void mailWithOneLastReplyIsMadeDueAtOnce() throws Exception {
        String text = "destination example.net is suspended by ann until further notice: their disk is 100% full";
        QueueId one = deferred(text, "a@example.net");
        QueueId half = deferred(text, "b@example.com", "c@example.net");
        QueueId similar = deferred(text + "!", "d@example.net");
        QueueId other = deferred("later", "e@example.net");
        QueueId past = deferred(text, "f@example.net");
        TestMessages.done(then -> spool.record(past, List.of(deferral(1, "later")), then));
        QueueId delivered = deferred(text, "g@example.net", "h@example.org");
        TestMessages.done(then -> spool.record(delivered,
                List.of(new RecipientOutcome(2, DELIVERED), deferral(1, "later")), then));
        QueueId held = deferred(text, "i@example.net");
        TestMessages.done(then -> spool.hold(held, true, then));
        TestMessages.done(then -> spool.makeDueAfter(text, now(), then));
        assertThat(TestMessages.claim(spool, now(), 10, now() + 5000)).containsExactly(one, half);
        TestMessages.done(then -> spool.makeDueAfter("no such text", now(), then));
        assertThat(TestMessages.claim(spool, now(), 10, now() + 5000)).isEmpty();
        restart();
        assertThat(TestMessages.claim(spool, now() + 5001, 10, now() + 9000)).as("the others, in their time")
                .contains(similar, other, past, delivered).doesNotContain(held);
    }

    /// The last of its recipients has the reply.
    private QueueId deferred(String reply, String... recipients) throws Exception {
        QueueId id = TestMessages.commit(spool, TestMessages.envelope(recipients), new byte[10]).id();
        TestMessages.done(then -> spool.record(id, List.of(deferral(recipients.length, reply)), then));
        TestMessages.done(then -> spool.defer(id, now() + 5000, then));
        return id;
    }

    private static RecipientOutcome deferral(int recipient, String reply) {
        return new RecipientOutcome(recipient, new Outcome.Deferred(Reply.of(450, "4.3.2", reply), "local"));
    }

    @Test
    void aRemovedMessageIsForgottenWithAllItsRows() throws Exception {
        QueueId gone = TestMessages.commit(spool, TestMessages.envelope("a@example.net", "b@example.net"), new byte[10])
                .id();
        QueueId stays = TestMessages.commit(spool, "c@example.net", new byte[10]);
        TestMessages.done(then -> spool.remove(gone, then));
        assertThat(spool.details(gone)).isEmpty();
        assertThat(spool.readRecipients(gone, 0, 10)).isEqualTo(new Spool.RecipientBatch(List.of(), true));
        assertThatThrownBy(() -> spool.content(gone)).isInstanceOf(IOException.class);
        assertThat(TestWorld.number(connection(), "select count(*) from recipient")).isZero();
        restart();
        assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(stays);
    }

    @Test
    void theQueueIsListedPageByPage() throws Exception {
        List<QueueId> ids = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ids.add(TestMessages.commit(spool, TestMessages.envelope("a@example.net", "b@example.net"), new byte[100])
                    .id());
        }
        List<QueueId> listed = new ArrayList<>();
        Optional<QueueId> after = Optional.empty();
        List<MessageDetails> page = spool.list(after, 3);
        while (!page.isEmpty()) {
            page.forEach(each -> listed.add(each.summary().id()));
            assertThat(page).allMatch(each -> each.recipients().size() == 2);
            page = spool.list(Optional.of(listed.getLast()), 3);
        }
        assertThat(listed).isEqualTo(ids);
        assertThat(spool.counts()).isEqualTo(new Spool.Counts(7, 0, 0, 700));
    }

    @Test
    void anInterruptedReaderHarmsNoOther() throws Exception {
        QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[10]);
        restart();
        Thread.currentThread().interrupt();
        try {
            assertThat(spool.details(id)).isPresent();
            assertThat(TestMessages.read(spool, id)).hasSize(10);
            assertThat(TestMessages.commit(spool, "bob@example.net", new byte[500_000])).isNotNull();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        assertThat(spool.counts().messages()).isEqualTo(2);
    }

    @Test
    void segmentsGoFromTheLogsBeginningWhenNothingInThemIsQueued() throws Exception {
        spool.close();
        SpoolConfig small = new SpoolConfig(directory, engine, world.database, DatabaseLost.REFUSE, DataSize.of(10_000),
                DataSize.ofKibibytes(128),
                Optional.of(DataSize.ZERO));
        spool = world.open(small);
        List<QueueId> ids = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(3000, i)));
        }
        long before = segments();
        assertThat(before).isBetween(5L, 8L);
        // All but one in the middle: its segment stays, and those behind it stay, because records
        // about it may lie there.
        QueueId kept = ids.remove(10);
        world.calls.clear();
        for (QueueId id : ids) {
            TestMessages.done(then -> spool.remove(id, then));
        }
        await(() -> assertThat(segments()).isLessThan(before));
        assertThat(TestMessages.read(spool, kept)).isEqualTo(TestMessages.body(3000, 10));
        assertThat(world.calls.indexOf("index.sync done")).as("the index is safe behind them")
                .isLessThan(world.calls.indexOf("log.delete"));

        TestMessages.done(then -> spool.remove(kept, then));
        // After a restart the last segment of before is not open any more, and the log gets no
        // records.
        spool.close();
        spool = world.open(small);
        await(() -> assertThat(segments()).isZero());
    }

    private static void await(ThrowingRunnable condition) {
        Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(condition);
    }

    private static long count(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".segment")).count();
        }
    }
}
