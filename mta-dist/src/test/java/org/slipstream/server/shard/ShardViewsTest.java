package org.slipstream.server.shard;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.admin.operations.ViewOperations.ShardLine;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.core.Address;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueueFilter.State;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.server.dispatch.DeliverySources;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.RefusedMail;
import org.slipstream.server.dispatch.SuppressedRecipients;
import org.slipstream.server.operate.Traces;
import org.slipstream.server.view.MailCounters;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.ContentSigner;
import org.slipstream.spool.Draft;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySearch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// Views and orders over three real spools with their queue managers. Nothing is delivered.
class ShardViewsTest {
    private static final QueueFilter OF_ANN = new QueueFilter(AddressPattern.parse("ann@here.example"), List.of(),
            Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), 0);

    @TempDir
    Path home;

    private ShardSet set;
    private ShardViews views;

    @BeforeEach
    void start() throws Exception {
        Config config = ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home),
                List.of("hostname=mta.example",
                        "queue.deliver=false", "shard.count=3")))
                .config();
        set = ShardSet.open(config, System::currentTimeMillis, _ -> Optional.empty());
        PlaceRules smtp = config.smtpPlacement();
        set.start(new ShardServices(config, ClientConfig.of("mta.example"),
                config.queueManager().placement(smtp),
                new NoRoutes(), (_, _, _, _) -> new LocalDelivery.LocalResult.Decided(List.of()),
                OrderDispatcher.Programs.NONE,
                _ -> Optional.of(true), (_, _) -> {}, _ -> (_, _) -> true, History.OFF,
                SuppressedRecipients.NONE, RefusedMail.NONE, DeliverySources.NONE,
                new Traces(History.OFF, () -> HistorySearch.in(config.historyFolder(), config.history(), 0)),
                new MailCounters(System.currentTimeMillis()), _ -> Optional.empty(), _ -> "smtp",
                _ -> ContentSigner.NONE,
                (_, _, _, _) -> {}, System::currentTimeMillis));
        views = ShardViews.of(set, () -> config, List::of, System::currentTimeMillis);
    }

    @AfterEach
    void stop() throws InterruptedException {
        Duration limit = Duration.ofSeconds(5);
        set.stopChoosing();
        set.closeConnections(limit);
        set.stopQueueManagers(limit);
        set.closeDispatchers();
        set.closeSpools();
    }

    private static final class NoRoutes implements OrderDispatcher.Routes {
        @Override
        public boolean isQuick(String domain) {
            return true;
        }

        @Override
        public QmgrEvent find(String domain) {
            throw new IllegalStateException("nothing is delivered");
        }
    }

    private List<QueueId> send(String sender, int count) throws IOException {
        List<QueueId> ids = new ArrayList<>();
        byte[] content = "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < count; i++) {
            try (Draft draft = set.draft()) {
                draft.write(content, 0, content.length);
                MessageSummary message = draft.commit(Envelope.of(Optional.of(Address.of(sender)),
                        List.of(Address.of("bob@far.example"))));
                set.arrived(message);
                ids.add(message.id());
            }
        }
        return ids;
    }

    @Test
    @Tag("IM-25")
    void threeSpoolsAreListedOrderedAndCountedAsOne() throws Exception {
        List<QueueId> ann = send("ann@here.example", 30);
        List<QueueId> all = new ArrayList<>(send("eve@here.example", 30));
        all.addAll(ann);
        all.sort(QueueId::compareTo);
        assertThat(all).extracting(QueueId::shard).contains(1, 2, 3);
        List<MessageView> listed = new ArrayList<>();
        Optional<QueueId> after = Optional.empty();
        do {
            QueuePage page = views.queue().list(QueueFilter.ANY, after, 7);
            assertThat(page.total()).isEqualTo(60);
            assertThat(page.faults()).isEmpty();
            listed.addAll(page.messages());
            after = page.next().flatMap(QueueId::parse);
        } while (after.isPresent());
        assertThat(listed).extracting(MessageView::id).isEqualTo(all.stream().map(QueueId::toString).toList());
        assertThat(listed).allSatisfy(view -> assertThat(view.shard())
                .isEqualTo(QueueId.parse(view.id()).map(QueueId::shard)));

        assertThat(views.queue().count(OF_ANN, Optional.empty()).count()).isEqualTo(30);
        MessageCount first = views.queue().order(new MessageOrder.Hold("", ""), OF_ANN, Optional.empty(), 20);
        assertThat(first.count()).isEqualTo(20);
        assertThat(views.queue().order(new MessageOrder.Hold("", ""), OF_ANN,
                first.next().flatMap(QueueId::parse), 20).count()).isEqualTo(10);
        assertThat(views.queue().count(QueueFilter.ANY.withState(State.HELD), Optional.empty()).count())
                .isEqualTo(30);
        assertThat(views.queue().shape(ShapeBy.DESTINATION, Optional.empty()).rows())
                .extracting(ShapeRow::name, ShapeRow::total, ShapeRow::held)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("far.example", 60L, 30L));
        Status status = views.queue().status();
        assertThat(status.messages()).contains(60L);
        assertThat(status.held()).contains(30L);
        assertThat(status.shards()).extracting(ShardLine::shard).containsExactly(1, 2, 3);
        assertThat(status.shards().stream().mapToLong(line -> line.messages().orElseThrow()).sum()).isEqualTo(60);
        assertThat(views.queue().activity().shards()).hasSize(3);
    }

    @Test
    void aMessageIsFoundByItsId() throws Exception {
        for (QueueId id : send("ann@here.example", 12)) {
            assertThat(views.queue().show(id).orElseThrow().shard()).contains(id.shard());
            assertThat(views.queue().explain(id).orElseThrow().id()).isEqualTo(id.toString());
            assertThat(views.queue().trace(id.toString(), 1).messages()).hasSize(1);
            Content content = views.queue().content(id).orElseThrow();
            try (InputStream in = content.open()) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.US_ASCII)).contains("Subject: x");
            }
            assertThat(views.queue().order(new MessageOrder.Delete(), id)).isTrue();
            assertThat(views.queue().show(id)).isEmpty();
            assertThat(views.queue().order(new MessageOrder.Delete(), id)).isFalse();
        }
    }

    @Test
    void aSuspensionHoldsInEachShardAlsoAfterARestart() throws Exception {
        Suspension suspension = new Suspension(SuspensionScope.DESTINATION, "far.example", "repair", "ann",
                System.currentTimeMillis(), Long.MAX_VALUE);
        views.suspensions().begin(suspension);
        assertThat(suspensions()).containsOnly(List.of(suspension));
        stop();
        start();
        assertThat(suspensions()).hasSize(3).containsOnly(List.of(suspension));
        assertThat(views.suspensions().end(SuspensionScope.DESTINATION.kind(), "far.example")).isTrue();
        assertThat(suspensions()).containsOnly(List.of());
    }

    private List<List<Suspension>> suspensions() throws Exception {
        List<List<Suspension>> found = new ArrayList<>();
        for (Shard shard : set.all()) {
            found.add(shard.run().orElseThrow().inbox().inspect(QueueQueries::suspensions).get(60, TimeUnit.SECONDS));
        }
        return found;
    }

    @Test
    void aSuspendedHostIsSuspendedInEachShard() throws Exception {
        assertThat(views.hosts().order("192.0.2.1", new HostOrder.Suspend("repair", "ann", Optional.empty())))
                .hasSize(1);
        for (Shard shard : set.all()) {
            assertThat(shard.hosts().show("192.0.2.1")).as(shard.toString()).hasSize(1);
        }
        assertThat(views.hosts().hosts().hosts()).extracting(HostView::host).hasSize(1);
        assertThat(views.hosts().hosts().workers()).isEqualTo(100);
        assertThat(views.hosts().order("192.0.2.1", new HostOrder.Resume())).hasSize(1);
        assertThat(views.hosts().order("192.0.2.1", new HostOrder.Resume())).isEmpty();
    }
}
