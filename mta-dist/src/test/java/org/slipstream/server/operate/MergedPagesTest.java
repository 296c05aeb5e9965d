package org.slipstream.server.operate;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapePage;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.QueueFilter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Pages over one to four shards are those of one big queue: random queues, filters, limits, and
/// messages that are in two shards while they move.
class MergedPagesTest {
    private static final QueueFilter OF_ANN = new QueueFilter(AddressPattern.parse("ann@a.example"), List.of(),
            Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), 0);

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final TreeMap<QueueId, String> all = new TreeMap<>();
    private final List<FakeShard> shards = shards();
    private final AllShardsOperations operations = FakeShard.operations(shards);

    private List<FakeShard> shards() {
        List<FakeShard> made = IntStream.rangeClosed(1, 1 + random.nextInt(4)).mapToObj(FakeShard::new).toList();
        int count = random.nextInt(120);
        for (int i = 0; i < count; i++) {
            QueueId id = new QueueId(1 + random.nextInt(5_000));
            String sender = random.nextBoolean() ? "ann@a.example" : "bob@b.example";
            all.put(id, sender);
            made.forEach(shard -> shard.messages.remove(id));
            made.get(random.nextInt(made.size())).with(id, sender);
            if (random.nextInt(10) == 0) {
                made.get(random.nextInt(made.size())).with(id, sender);
            }
        }
        made.forEach(shard -> shard.part = 1 + random.nextInt(30));
        return made;
    }

    private List<String> ids(QueueFilter filter) {
        return all.entrySet().stream()
                .filter(each -> filter.isAny() || each.getValue().equals("ann@a.example"))
                .map(each -> each.getKey().toString()).toList();
    }

    private static Optional<QueueId> id(Optional<String> text) {
        return text.flatMap(QueueId::parse);
    }

    @RepeatedTest(200)
    void aPageWithoutAFilterIsThatOfOneQueue() throws IOException {
        int limit = 1 + random.nextInt(40);
        List<String> expected = ids(QueueFilter.ANY);
        Optional<QueueId> after = Optional.empty();
        for (int from = 0;; from += limit) {
            QueuePage page = operations.list(QueueFilter.ANY, after, limit);
            int to = Math.min(expected.size(), from + limit);
            assertThat(page.messages()).as("seed " + seed).extracting(MessageView::id)
                    .isEqualTo(expected.subList(Math.min(from, to), to));
            assertThat(page.next().isPresent()).as("seed " + seed).isEqualTo(to < expected.size());
            if (page.next().isEmpty()) {
                return;
            }
            after = id(page.next());
        }
    }

    @RepeatedTest(200)
    void thePagesOfAFilterTogetherAreThoseOfOneQueue() throws IOException {
        int limit = 1 + random.nextInt(40);
        List<String> listed = new ArrayList<>();
        Optional<QueueId> after = Optional.empty();
        do {
            QueuePage page = operations.list(OF_ANN, after, limit);
            assertThat(page.messages()).as("seed " + seed).hasSizeLessThanOrEqualTo(limit);
            page.messages().forEach(message -> listed.add(message.id()));
            after = id(page.next());
        } while (after.isPresent());
        assertThat(listed).as("seed " + seed).isEqualTo(ids(OF_ANN));
    }

    @RepeatedTest(100)
    void anOrderReachesEachMessageOnceAndIsCountedOnce() throws IOException {
        long counted = 0;
        Optional<QueueId> after = Optional.empty();
        do {
            MessageCount part = operations.wouldOrder(new MessageOrder.Hold("", ""), OF_ANN, after);
            counted += part.count();
            after = id(part.next());
        } while (after.isPresent());
        long ordered = 0;
        do {
            MessageCount part = operations.order(new MessageOrder.Hold("", ""), OF_ANN, after, 7);
            assertThat(part.count()).isLessThanOrEqualTo(7);
            ordered += part.count();
            after = id(part.next());
        } while (after.isPresent());
        List<String> given = shards.stream().flatMap(shard -> shard.orders.stream()).sorted().toList();
        assertThat(given).as("seed " + seed).isEqualTo(ids(OF_ANN).stream().map(each -> "hold " + each).toList());
        assertThat(List.of(counted, ordered)).as("seed " + seed).containsOnly((long) given.size());
    }

    @RepeatedTest(100)
    void theShapeIsThatOfOneQueue() throws IOException {
        Map<String, Long> rows = new TreeMap<>();
        Optional<QueueId> after = Optional.empty();
        do {
            ShapePage page = operations.shape(ShapeBy.SENDER, after);
            page.rows().forEach((ShapeRow row) -> rows.merge(row.name(), row.total(), Long::sum));
            after = id(page.next());
        } while (after.isPresent());
        Map<String, Long> expected = new TreeMap<>();
        all.values().forEach(sender -> expected.merge(sender, 1L, Long::sum));
        assertThat(rows).as("seed " + seed).isEqualTo(expected);
    }

    @Test
    void aPageTellsTheShardOfEachMessage() throws IOException {
        QueueId first = QueueId.after(0, 1_000, 1);
        QueueId second = QueueId.after(0, 1_001, 2);
        QueueId third = QueueId.after(0, 1_002, 1);
        AllShardsOperations two = FakeShard.operations(List.of(new FakeShard(1).with(first, "a@a.example"),
                new FakeShard(2).with(second, "a@a.example").with(third, "a@a.example")));
        assertThat(two.list(QueueFilter.ANY, Optional.empty(), 10).messages()).extracting(MessageView::shard)
                .containsExactly(Optional.of(1), Optional.of(2), Optional.of(2));
        assertThat(two.ofShard(2).orElseThrow().list(QueueFilter.ANY, Optional.empty(), 10).messages())
                .extracting(MessageView::id, MessageView::shard)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(second.toString(), Optional.of(2)),
                        org.assertj.core.groups.Tuple.tuple(third.toString(), Optional.of(2)));
        assertThat(two.ofShard(3)).isEmpty();
    }

    @Test
    void theFirstShardHasTheRecordsOfHostsForTheShapeOfEach() throws IOException {
        AllShardsOperations two = FakeShard.operations(List.of(new FakeShard(1),
                new FakeShard(2).with(new QueueId(66), "ann@a.example")));
        assertThat(two.shape(ShapeBy.SENDER, Optional.empty()).rows()).extracting(ShapeRow::state)
                .containsExactly("known to 1");
        assertThat(two.ofShard(2).orElseThrow().shape(ShapeBy.SENDER, Optional.empty()).rows())
                .extracting(ShapeRow::state).containsExactly("known to 1");
    }

    @Test
    void aMessageThatMovesIsShownInTheShardThatItsIdNames() throws IOException {
        QueueId id = QueueId.after(0, 1_000, 2);
        AllShardsOperations two = FakeShard.operations(List.of(new FakeShard(1).with(id, "a@a.example"),
                new FakeShard(2).with(id, "a@a.example")));
        assertThat(two.list(QueueFilter.ANY, Optional.empty(), 10).messages()).extracting(MessageView::shard)
                .containsExactly(Optional.of(2));
    }

    @Test
    void aShardThatDoesNotAnswerIsNamedAndHidesNoOther() throws IOException {
        FakeShard broken = new FakeShard(2).with(new QueueId(66), "ann@a.example");
        broken.broken = true;
        FakeShard sound = new FakeShard(1).with(new QueueId(65), "ann@a.example");
        AllShardsOperations two = FakeShard.operations(List.of(sound, broken));
        String fault = "shard 2: the queue manager does not answer";
        QueuePage page = two.list(OF_ANN, Optional.empty(), 10);
        assertThat(page.messages()).hasSize(1);
        assertThat(page.faults()).containsExactly(fault);
        assertThat(two.count(QueueFilter.ANY, Optional.empty()))
                .isEqualTo(new MessageCount(1, Optional.empty(), List.of(fault)));
        assertThat(two.count(OF_ANN, Optional.empty()))
                .isEqualTo(new MessageCount(1, Optional.empty(), List.of(fault)));
        assertThat(two.order(new MessageOrder.Hold("", ""), OF_ANN, Optional.empty(), 10))
                .isEqualTo(new MessageCount(1, Optional.empty(), List.of(fault)));
        assertThat(two.shape(ShapeBy.SENDER, Optional.empty()).faults()).containsExactly(fault);
    }

    @Test
    void theOnlyShardHasNoNumber() throws IOException {
        AllShardsOperations one = FakeShard
                .operations(List.of(new FakeShard(1).with(new QueueId(65), "ann@a.example")));
        assertThat(one.list(QueueFilter.ANY, Optional.empty(), 10).messages()).extracting(MessageView::shard)
                .containsExactly(Optional.empty());
        assertThat(one.ofShard(1).orElseThrow().show(new QueueId(65)).orElseThrow().shard()).isEmpty();
    }
}
