package org.slipstream.server.shard;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.operations.ShardOperations.ShardAnswer;
import org.slipstream.admin.operations.ShardOperations.ShardView;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.ShardOrder;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.LeaseBroker;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.dispatch.DeliverySources;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.RefusedMail;
import org.slipstream.server.dispatch.SuppressedRecipients;
import org.slipstream.server.operate.Traces;
import org.slipstream.server.shard.Shard.HandLoad;
import org.slipstream.server.view.MailCounters;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.ContentSigner;
import org.slipstream.spool.Draft;
import org.slipstream.spool.MovableMessages;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySearch;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Shards with real spools and queue managers; mailboxes count what they get.
class ShardSetTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final long FAR = 4_000_000_000_000L;

    @TempDir
    Path home;

    /// Deliveries by message.
    private final Map<QueueId, Integer> delivered = new ConcurrentHashMap<>();
    private final List<ShardSet> opened = new ArrayList<>();
    private volatile boolean full;
    private volatile boolean diskIsFull;
    private volatile int slowShard = 2;
    /// Deliveries of that shard wait for it.
    private volatile CountDownLatch mailbox = new CountDownLatch(0);
    private volatile boolean inMailbox;

    @AfterEach
    void stop() throws InterruptedException {
        for (ShardSet set : opened) {
            stop(set);
        }
    }

    @Test
    @Tag("IM-02")
    @Tag("IM-31")
    void mailGoesToAllShardsAndEachIdNamesItsShard() throws Exception {
        ShardSet set = started("shard.count=4");
        List<QueueId> sent = send(set, 400);
        awaitDelivered(sent);
        Map<Integer, Long> perShard = sent.stream()
                .collect(Collectors.groupingBy(QueueId::shard, Collectors.counting()));
        assertThat(perShard).containsOnlyKeys(1, 2, 3, 4);
        assertThat(perShard.values()).allSatisfy(count -> assertThat(count).isBetween(45L, 155L));
        assertThat(delivered.values()).as("each once").containsOnly(1);
    }

    @Test
    @Tag("IM-27")
    void aShardThatFailsStartsAgainOnItsLogAndTheOthersGoOn() throws Exception {
        ShardSet set = started("shard.count=2");
        full = true;
        List<QueueId> waiting = send(set, 20);
        Awaitility.await().atMost(SOON).until(() -> deferred(set) == 20);
        Shard second = set.shard(2).orElseThrow();
        QueueRun before = second.run().orElseThrow();
        before.loop().inspect(_ -> {
            throw new AssertionError("broken by the test");
        });
        // The other shard delivers meanwhile.
        full = false;
        set.mode(second, ShardMode.DISABLED);
        List<QueueId> others = send(set, 20);
        awaitDelivered(others);
        Awaitility.await().atMost(SOON).until(() -> second.state() == Shard.ShardState.RUNNING
                && !second.run().orElseThrow().equals(before));
        set.mode(second, ShardMode.NORMAL);
        set.all().forEach(shard -> flush(shard, waiting));
        awaitDelivered(waiting);
        assertThat(second.failures()).isEqualTo(1);
        assertThat(set.records().shard().failures()).isZero();
        assertThat(delivered.values()).as("each once").containsOnly(1);
    }

    @Test
    @Tag("IM-22")
    @Tag("IM-08")
    void aDisabledShardGetsNoMailAlsoAfterARestart() throws Exception {
        ShardSet set = started("shard.count=2");
        set.mode(set.shard(2).orElseThrow(), ShardMode.DISABLED);
        assertThat(send(set, 30)).allSatisfy(id -> assertThat(id.shard()).isEqualTo(1));
        stop(set);
        opened.clear();
        ShardSet again = started("shard.count=2");
        assertThat(again.shard(2).orElseThrow().mode()).isEqualTo(ShardMode.DISABLED);
        assertThat(send(again, 30)).allSatisfy(id -> assertThat(id.shard()).isEqualTo(1));
    }

    @Test
    void withoutAShardThatTakesMailNoMailIsAccepted() throws Exception {
        ShardSet set = started();
        set.mode(set.records().shard(), ShardMode.DISABLED);
        assertThatThrownBy(set::draft).isInstanceOf(IOException.class).hasMessageContaining("shard enable");
    }

    @Test
    @Tag("IM-05")
    @Tag("IM-06")
    @Tag("IM-23")
    void theNumberOfShardsFollowsTheLoad() throws Exception {
        ShardSet set = started("shard.mode=dynamic", "shard.maximum=2", "shard.interval=1s");
        set.records().shard().load(Optional.of(new HandLoad(Optional.of(new ConcurrencyInUse(10, 10)),
                Optional.of(new ConcurrencyInUse(20, 20)))));
        Awaitility.await().atMost(SOON).until(() -> set.all().size() == 2);
        awaitDelivered(send(set, 10));
        assertThat(delivered.keySet()).as("the least loaded").allMatch(id -> id.shard() == 2);
        set.records().shard().load(Optional.empty());
        Awaitility.await().atMost(SOON).until(() -> set.all().size() == 1);
        awaitDelivered(send(set, 10));
    }

    @Test
    void aServerWithOneShardGetsASecondOneWhileItDelivers() throws Exception {
        ShardSet set = started();
        awaitDelivered(send(set, 10));
        QueueRun before = set.records().shard().run().orElseThrow();
        slowShard = 1;
        mailbox = new CountDownLatch(1);
        List<QueueId> underWay = send(set, 3);
        Awaitility.await().atMost(SOON).until(() -> inMailbox);
        Shard second = set.add().orElseThrow();
        assertThat(set.records().shard().run().orElseThrow()).as("goes on").isSameAs(before);
        assertThat(set.accounts()).as("its lanes are known").extracting(LeaseBroker.LeaseAccount::shard).contains(1);
        mailbox.countDown();
        awaitDelivered(underWay);
        List<QueueId> sent = send(set, 60);
        assertThat(sent).extracting(QueueId::shard).contains(1, second.number());
        awaitDelivered(sent);
        assertThat(delivered.values()).as("each once").containsOnly(1);
    }

    @Test
    @Tag("IM-22")
    void theMailOfADrainedShardMovesToTheOthersAndTheShardIsClosed() throws Exception {
        ShardSet set = started("shard.count=3", "shard.interval=1s");
        full = true;
        List<QueueId> waiting = send(set, 60);
        Awaitility.await().atMost(SOON).until(() -> deferred(set) == 60);
        Shard drained = set.shard(3).orElseThrow();
        set.mode(drained, ShardMode.DRAINED);
        Awaitility.await().atMost(SOON).until(() -> set.shard(3).isEmpty());
        assertThat(deferred(set)).as("nothing was tried, nothing is lost").isEqualTo(60);
        full = false;
        for (Shard shard : set.all()) {
            shard.run().orElseThrow().inbox().answer(new QmgrEvent.Operator(
                    new QmgrEvent.OperatorCommand.FlushAll(Optional.empty())));
        }
        awaitDelivered(waiting);
        assertThat(delivered.values()).as("each once").containsOnly(1);
    }

    @Test
    @Tag("IM-33")
    void copiesOfAMoveThatTheLastStopCutOffAreSweptBeforeAnyDelivery() throws Exception {
        ShardSet set = started("shard.count=2");
        full = true;
        List<QueueId> waiting = send(set, 20);
        Awaitility.await().atMost(SOON).until(() -> deferred(set) == 20);
        // The copies of a move without its last step.
        Shard second = set.shard(2).orElseThrow();
        CountDownLatch copied = new CountDownLatch(1);
        QueueId id = second.spool().ids(Optional.empty(), 1).getFirst();
        second.spool().export(id, OptionalLong.of(0), exported -> set.records().shard().spool()
                .take(((MovableMessages.Exported.Ready) exported).message(), _ -> copied.countDown()));
        copied.await();
        set.shard(2).orElseThrow().mode(ShardMode.DRAINED);
        set.mode(set.records().shard(), ShardMode.NORMAL);
        stop(set);
        opened.clear();
        full = false;
        ShardSet again = started("shard.count=2");
        awaitDelivered(waiting.stream().filter(each -> each.equals(id)).toList());
        for (Shard shard : again.all()) {
            shard.run().orElseThrow().inbox().answer(new QmgrEvent.Operator(
                    new QmgrEvent.OperatorCommand.FlushAll(Optional.empty())));
        }
        awaitDelivered(waiting);
        assertThat(delivered.values()).as("each once").containsOnly(1);
    }

    /// The mode of the drained shard is lost with the file of shards.
    @Test
    void copiesAreSweptAfterAKillThoughNoShardIsDrained() throws Exception {
        List<QueueId> waiting = killedWithCopiesInBothShards();
        requireEachOnce(waiting, started("shard.count=2"));
    }

    /// A third shard that cannot be opened is no reason to forget that the others were killed.
    @Test
    void copiesAreSweptAlsoWhenTheFirstStartAfterTheKillFails() throws Exception {
        List<QueueId> waiting = killedWithCopiesInBothShards();
        Path third = Files.createDirectories(home.resolve("spool-3"));
        Files.writeString(third.resolve("version"), "slipstream-spool 999\n");
        assertThatThrownBy(() -> started("shard.count=3")).isInstanceOf(SpoolException.class);
        requireEachOnce(waiting, started("shard.count=2"));
    }

    private List<QueueId> killedWithCopiesInBothShards() throws Exception {
        ShardSet set = started("shard.count=2");
        full = true;
        List<QueueId> waiting = send(set, 20);
        Awaitility.await().atMost(SOON).until(() -> deferred(set) == 20);
        CountDownLatch copied = new CountDownLatch(2);
        for (Shard from : set.all()) {
            QueueId id = from.spool().ids(Optional.empty(), 1).getFirst();
            Shard to = set.shard(3 - from.number()).orElseThrow();
            from.spool().export(id, OptionalLong.of(0), exported -> to.spool()
                    .take(((MovableMessages.Exported.Ready) exported).message(), _ -> copied.countDown()));
        }
        copied.await();
        stop(set);
        opened.clear();
        // The mark of a running server, as a kill leaves it.
        for (Shard shard : set.all()) {
            Files.createFile(shard.where().directory().resolve("index-open"));
        }
        full = false;
        return waiting;
    }

    private void requireEachOnce(List<QueueId> waiting, ShardSet again) throws Exception {
        for (Shard shard : again.all()) {
            shard.run().orElseThrow().inbox().answer(new QmgrEvent.Operator(
                    new QmgrEvent.OperatorCommand.FlushAll(Optional.empty())));
        }
        awaitDelivered(waiting);
        Awaitility.await().atMost(SOON)
                .until(() -> again.records().shard().isEmpty() && again.shard(2).orElseThrow().isEmpty());
        assertThat(delivered.values()).as("each once").containsOnly(1);
    }

    @Test
    void aShardWhoseDiskHangsTakesMailOnlyWhenNoOtherDoes() throws Exception {
        ShardSet set = started("shard.count=2");
        Spool hung = (Spool) Proxy.newProxyInstance(Spool.class.getClassLoader(), new Class<?>[]{Spool.class},
                (_, method, _) -> method.getName().equals("isSlow"));
        Shard first = set.records().shard();
        Shard second = new Shard(2, first.where(), hung, ShardMode.NORMAL);
        for (int i = 0; i < 50; i++) {
            assertThat(set.place(List.of(first, second))).contains(first);
        }
        set.mode(first, ShardMode.DISABLED);
        assertThat(set.place(List.of(first, second))).contains(second);
    }

    @Test
    void aShardWhoseRunCannotBeSalvagedStartsAgain() throws Exception {
        ShardSet set = started("shard.count=2");
        // A shard that has no run: its salvage fails.
        Shard broken = Shard.open(3, SpoolConfig.at(home.resolve("broken")), System::currentTimeMillis,
                ShardMode.NORMAL, () -> true, Optional.empty());
        try (ShardSupervisor supervisor = new ShardSupervisor(set)) {
            supervisor.failed(broken, new AssertionError("broken by the test"));
            Awaitility.await().atMost(SOON).until(() -> broken.state() == Shard.ShardState.RUNNING);
        } finally {
            broken.close(Duration.ofSeconds(5));
        }
    }

    /// The disk of one shard is full, and its queue is too long for an index in memory.
    @Test
    void aShardWithoutSpaceIsOpenedLaterAndTheOthersServe() throws Exception {
        ShardSet before = started("shard.count=2");
        full = true;
        List<QueueId> waiting = send(before, 20);
        Awaitility.await().atMost(SOON).until(() -> deferred(before) == 20);
        QueueId there = waiting.stream().filter(id -> id.shard() == 2).findFirst().orElseThrow();
        stop(before);
        opened.clear();
        full = false;
        diskIsFull = true;
        Config config = config("shard.count=2");
        ShardSet set = started(config, ShardSet.open(config, System::currentTimeMillis, full(config, 2)));
        ShardViews views = ShardViews.of(set, () -> config, List::of, System::currentTimeMillis);
        ShardControl control = new ShardControl(set);
        List<QueueId> fresh = send(set, 20);
        assertThat(fresh).extracting(QueueId::shard).containsOnly(1);
        awaitDelivered(fresh);
        assertThat(views.queue().status().trouble()).singleElement().satisfies(trouble -> {
            assertThat(trouble.meaning()).contains("shard 2");
            assertThat(trouble.reason()).contains("no space");
        });
        assertThat(views.queue().activity().trouble()).hasSize(1);
        assertThatThrownBy(() -> views.queue().explain(there)).hasMessageContaining("no space");
        assertThatThrownBy(() -> set.contains(there)).isInstanceOf(IOException.class);
        assertThat(control.shards()).extracting(ShardView::state).containsExactly("running", "no-space");
        assertThat(control.order(2, new ShardOrder.Drain(true))).isInstanceOf(ShardAnswer.Refused.class);
        assertThat(control.order(2, new ShardOrder.Enable())).isInstanceOfSatisfying(ShardAnswer.Refused.class,
                refused -> assertThat(refused.reason()).contains("no space"));
        // The file of shards still has it, so a start later finds its mail.
        assertThat(Files.readString(home.resolve("shards"))).contains("shard 2 open normal");
        try (ShardSupervisor supervisor = new ShardSupervisor(set)) {
            supervisor.openWaiting();
            assertThat(set.shard(2)).isEmpty();
            diskIsFull = false;
            supervisor.openWaiting();
        }
        assertThat(set.waiting()).isEmpty();
        assertThat(control.shards()).extracting(ShardView::state).containsExactly("running", "running");
        set.all().forEach(shard -> flush(shard, waiting));
        awaitDelivered(waiting);
        assertThat(delivered.values()).as("each once").containsOnly(1);
        assertThat(views.queue().status().trouble()).isEmpty();
    }

    /// The log of one shard does not return from a sync. A local delivery of its queue manager is under
    /// way, and ends while the disk hangs.
    @Test
    void aShardWhoseDiskHangsIsLeftAloneAndOpenedAgainAndNothingIsDeliveredTwice() throws Exception {
        Config config = config("shard.count=2");
        HangingDisk disk = new HangingDisk();
        ShardSet set = started(config, ShardSet.open(config, System::currentTimeMillis,
                (stored, others) -> stored.number() == 2
                        ? new Shard(2, stored.spool(config.spool()), disk.open(stored.spool(config.spool())),
                                stored.mode())
                        : Shard.open(1, stored.spool(config.spool()), System::currentTimeMillis, stored.mode(),
                                others, Optional.empty())));
        ShardViews views = ShardViews.of(set, () -> config, List::of, System::currentTimeMillis);
        ShardControl control = new ShardControl(set);
        full = true;
        List<QueueId> waiting = send(set, 40);
        Awaitility.await().atMost(SOON).until(() -> deferred(set) == 40);
        full = false;
        Shard second = set.shard(2).orElseThrow();
        QueueId underWay = waiting.stream().filter(id -> id.shard() == 2).findFirst().orElseThrow();
        mailbox = new CountDownLatch(1);
        flush(second, List.of(underWay));
        Awaitility.await().atMost(SOON).until(() -> inMailbox);

        disk.hang();
        CompletableFuture<QueueId> client = CompletableFuture.supplyAsync(() -> commit(second));
        assertThat(disk.hung.await(60, TimeUnit.SECONDS)).isTrue();
        try (ShardSupervisor supervisor = new ShardSupervisor(set)) {
            supervisor.giveUpHungShards();
            assertThatThrownBy(() -> client.get(60, TimeUnit.SECONDS)).hasRootCauseInstanceOf(IOException.class);
            List<QueueId> fresh = send(set, 20);
            assertThat(fresh).extracting(QueueId::shard).containsOnly(1);
            assertThat(control.shards()).extracting(ShardView::state).containsExactly("running", "hung");
            assertThat(views.queue().status().trouble()).singleElement()
                    .satisfies(trouble -> assertThat(trouble.reason()).contains("does not return"));
            assertThatThrownBy(() -> views.queue().explain(underWay)).hasMessageContaining("does not return");
            assertThatThrownBy(() -> set.contains(underWay)).isInstanceOf(IOException.class);
            assertThat(control.order(2, new ShardOrder.Enable())).isInstanceOf(ShardAnswer.Refused.class);
            mailbox.countDown();
            awaitDelivered(fresh);
            awaitDelivered(List.of(underWay));
            supervisor.openWaiting();
            assertThat(set.shard(2)).as("its process still has the spool").isEmpty();
            disk.answer();
            Awaitility.await().atMost(SOON).until(() -> set.shard(2).isPresent());
        }
        assertThat(control.shards()).extracting(ShardView::state).containsExactly("running", "running");
        set.all().forEach(shard -> flush(shard, waiting));
        awaitDelivered(waiting);
        Awaitility.await().atMost(SOON)
                .until(() -> set.records().shard().isEmpty() && set.shard(2).orElseThrow().isEmpty());
        assertThat(delivered.values()).as("each once").containsOnly(1);
        assertThat(delivered).as("its client was told that it failed, and sends it again").hasSize(60);
        assertThat(views.queue().status().trouble()).isEmpty();
    }

    /// The records of hosts and the standing orders are in force after each step, whichever log has them.
    @Test
    void theShardThatKeepsTheRecordsIsDrainedAndAnotherKeepsThem() throws Exception {
        Config config = config("shard.count=2", "shard.interval=1s");
        ShardSet set = started(config, ShardSet.open(config, System::currentTimeMillis, _ -> Optional.empty()));
        ShardViews views = ShardViews.of(set, () -> config, List::of, System::currentTimeMillis);
        Suspension ended = new Suspension(SuspensionScope.DESTINATION, "old.example", "moved", "ann", 1, FAR);
        Suspension kept = new Suspension(SuspensionScope.DESTINATION, "far.example", "moved", "ann", 1, FAR);
        HostRecord host = new HostRecord("[192.0.2.1]:25", "SUSPENDED", "mx.far.example", 1, FAR, 1, "ill", "ann");
        // A copy that an earlier move left, before its last step.
        set.shard(2).orElseThrow().spool().keepOrder(ended, () -> {});
        views.suspensions().begin(kept);
        set.records().shard().spool().keepHost(host);
        full = true;
        List<QueueId> waiting = send(set, 20);
        Awaitility.await().atMost(SOON).until(() -> deferred(set) == 20);
        ShardControl control = new ShardControl(set);
        assertThat(control.order(1, new ShardOrder.Drain(false))).isInstanceOf(ShardAnswer.Done.class);
        assertThat(set.records().shard().number()).isEqualTo(2);
        assertThat(set.shard(2).orElseThrow().spool().commonRecords())
                .isEqualTo(new Spool.CommonRecords(List.of(host), List.of(kept)));
        Awaitility.await().atMost(SOON).until(() -> set.shard(1).isEmpty());
        Suspension later = new Suspension(SuspensionScope.DESTINATION, "late.example", "moved", "ann", 1, FAR);
        views.suspensions().begin(later);
        assertThat(control.order(2, new ShardOrder.Drain(true))).as("the last one").isInstanceOf(
                ShardAnswer.Refused.class);
        stop(set);
        opened.clear();

        ShardSet again = started("shard.count=2", "shard.interval=1s");
        assertThat(again.all()).extracting(Shard::number).containsExactly(2);
        control = new ShardControl(again);
        assertThat(control.order(1, new ShardOrder.Enable())).isInstanceOf(ShardAnswer.Done.class);
        assertThat(Files.readString(home.resolve("shards"))).contains("records 2");
        assertThat(again.shard(1).orElseThrow().spool().commonRecords()).isEqualTo(Spool.CommonRecords.NONE);
        assertThat(again.records().shard().spool().orders()).containsExactlyInAnyOrder(kept, later);
        full = false;
        for (Shard shard : again.all()) {
            shard.run().orElseThrow().inbox().answer(new QmgrEvent.Operator(
                    new QmgrEvent.OperatorCommand.FlushAll(Optional.empty())));
        }
        awaitDelivered(waiting);
        assertThat(delivered.values()).as("each once").containsOnly(1);
        stop(again);
        opened.clear();

        // The file of shards is lost: the shard with records keeps them.
        Files.delete(home.resolve("shards"));
        assertThat(started("shard.count=2").records().shard().number()).isEqualTo(2);
    }

    /// The file of shards names the keeper, and that write fails: the former log has the records.
    @Test
    void recordsStayInForceWhenTheyCannotMove() throws Exception {
        ShardSet set = started("shard.count=2");
        Suspension order = new Suspension(SuspensionScope.DESTINATION, "far.example", "moved", "ann", 1, FAR);
        Shard first = set.shard(1).orElseThrow();
        set.records().with(orders -> orders.keep(order));
        assertThatThrownBy(() -> set.records().moveTo(set.shard(2).orElseThrow(), _ -> {
            throw new IOException("No space left on device");
        })).hasMessageContaining("No space");
        assertThat(set.records().shard()).isEqualTo(first);
        assertThat(first.spool().orders()).containsExactly(order);
        set.records().with(orders -> orders.forget(order.kind(), order.name()));
        stop(set);
        opened.clear();
        ShardSet again = started("shard.count=2");
        assertThat(again.records().read().orders()).as("the copy in the other log is of no account").isEmpty();
        again.mode(again.shard(1).orElseThrow(), ShardMode.DRAINED);
        assertThat(again.records().shard().number()).isEqualTo(2);
        assertThat(again.records().read().orders()).isEmpty();
    }

    @Test
    void theOnlyShardIsNeverGivenUp() throws Exception {
        ShardSet set = started();
        assertThat(set.giveUp(set.records().shard())).isFalse();
        awaitDelivered(send(set, 5));
    }

    private static QueueId commit(Shard shard) {
        try (Draft draft = shard.draft()) {
            return draft.commit(Envelope.of(Optional.empty(), List.of(Address.of("ann@here.example")))).id();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A disk whose syncs do not return on demand. Its spool tells that after no time.
    private static final class HangingDisk implements Spools.Parts {
        private volatile CountDownLatch answers = new CountDownLatch(0);
        private final CountDownLatch hung = new CountDownLatch(1);

        void hang() {
            answers = new CountDownLatch(1);
        }

        void answer() {
            answers.countDown();
        }

        Spool open(SpoolConfig config) throws SpoolException {
            return watched(Spool.class, Spools.open(config, System::currentTimeMillis, this));
        }

        @Override
        public int shard() {
            return 2;
        }

        @Override
        public MessageLog log(SpoolConfig config) throws IOException {
            return watched(MessageLog.class, Spools.Parts.super.log(config));
        }

        private <T> T watched(Class<T> type, T real) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
                    (_, method, arguments) -> {
                        switch (method.getName()) {
                            case "sync" -> {
                                if (answers.getCount() > 0) {
                                    hung.countDown();
                                    answers.await();
                                }
                            }
                            case "hangs" -> {
                                return answers.getCount() > 0;
                            }
                            default -> {
                                // It needs no sync.
                            }
                        }
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }

    /// The first shard has the suspensions, and a drain may have left copies that must be compared.
    @Test
    void theFirstShardAndADrainNeedTheirDisksAtAStart() throws Exception {
        ShardSet before = started("shard.count=2");
        Config config = config("shard.count=2");
        stop(before);
        opened.clear();
        diskIsFull = true;
        assertThatThrownBy(() -> ShardSet.open(config, System::currentTimeMillis, full(config, 1)))
                .isInstanceOf(SpoolException.class);
        Path file = home.resolve("shards");
        Files.writeString(file, Files.readString(file).replace("shard 2 open normal", "shard 2 open drained"));
        assertThatThrownBy(() -> ShardSet.open(config, System::currentTimeMillis, full(config, 2)))
                .isInstanceOf(SpoolException.class);
    }

    private ShardSet.ShardOpener full(Config config, int number) {
        return (stored, others) -> {
            if (diskIsFull && stored.number() == number) {
                throw new SpoolException(SpoolException.Reason.NO_SPACE, "The disk has no space to open the spool.");
            }
            return Shard.open(stored.number(), stored.spool(config.spool()), System::currentTimeMillis,
                    stored.mode(), others, Optional.empty());
        };
    }

    private long deferred(ShardSet set) throws IOException {
        long waiting = 0;
        for (Shard shard : set.all()) {
            waiting += shard.spool().list(Optional.empty(), 100).stream()
                    .filter(row -> row.recipients().getFirst().last().isPresent()).count();
        }
        return waiting;
    }

    private static void flush(Shard shard, List<QueueId> ids) {
        ids.stream().filter(id -> id.shard() == shard.number()).forEach(id -> shard.run().orElseThrow().inbox()
                .answer(new QmgrEvent.Operator(
                        new QmgrEvent.OperatorCommand.OfMessage(id, new MessageOrder.Flush()))));
    }

    private void awaitDelivered(List<QueueId> ids) {
        Awaitility.await().atMost(SOON).until(() -> delivered.keySet().containsAll(ids));
    }

    private static List<QueueId> send(ShardSet set, int count) throws IOException {
        List<QueueId> ids = new ArrayList<>();
        byte[] content = "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII);
        for (int i : IntStream.range(0, count).toArray()) {
            try (Draft draft = set.draft()) {
                draft.write(content, 0, content.length);
                MessageSummary message = draft.commit(Envelope.of(Optional.of(Address.of("s" + i + "@here.example")),
                        List.of(Address.of("ann@here.example"))));
                set.arrived(message);
                ids.add(message.id());
            }
        }
        return ids;
    }

    private ShardSet started(String... more) throws Exception {
        Config config = config(more);
        return started(config, ShardSet.open(config, System::currentTimeMillis, _ -> Optional.empty()));
    }

    private Config config(String... more) {
        List<String> settings = new ArrayList<>(List.of("hostname=mta.example", "local.domains=here.example"));
        settings.addAll(List.of(more));
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), settings)).config();
    }

    private ShardSet started(Config config, ShardSet set) throws Exception {
        opened.add(set);
        PlaceRules smtp = config.smtpPlacement();
        set.start(new ShardServices(config, ClientConfig.of("mta.example"),
                config.queueManager().placement(smtp),
                new LocalRoutes(), this::deliver, OrderDispatcher.Programs.NONE, _ -> Optional.of(true), (_, _) -> {},
                _ -> (_, _) -> true,
                History.OFF,
                SuppressedRecipients.NONE, RefusedMail.NONE, DeliverySources.NONE,
                new Traces(History.OFF, () -> HistorySearch.in(config.historyFolder(), config.history(), 0)),
                new MailCounters(System.currentTimeMillis()), _ -> Optional.empty(), _ -> "smtp",
                _ -> ContentSigner.NONE,
                (_, _, _, _) -> {}, System::currentTimeMillis));
        return set;
    }

    private static void stop(ShardSet set) throws InterruptedException {
        Duration limit = Duration.ofSeconds(5);
        set.stopChoosing();
        set.closeConnections(limit);
        set.stopQueueManagers(limit);
        set.closeDispatchers();
        set.closeJournals(limit);
        set.closeSpools();
    }

    private LocalDelivery.LocalResult deliver(QueueId id, Envelope envelope, List<Recipient> recipients,
            org.slipstream.core.Content content) {
        boolean refuses = full;
        if (mailbox.getCount() > 0 && id.shard() == slowShard) {
            inMailbox = true;
            awaitMailbox();
        }
        if (!refuses) {
            delivered.merge(id, recipients.size(), Integer::sum);
        }
        return new LocalDelivery.LocalResult.Decided(recipients.stream().map(each -> new RecipientOutcome(each.number(),
                refuses
                        ? new Outcome.Deferred(Reply.of(452, "4.2.2", "Mailbox full"), "local")
                        : new Outcome.Delivered(Reply.of(250, "2.0.0", "delivered"), "local")))
                .toList());
    }

    private void awaitMailbox() {
        try {
            mailbox.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class LocalRoutes implements OrderDispatcher.Routes {
        @Override
        public boolean isQuick(String domain) {
            return true;
        }

        @Override
        public QmgrEvent find(String domain) {
            return new QmgrEvent.RouteKnown(domain, new Route.Local(domain));
        }
    }
}
