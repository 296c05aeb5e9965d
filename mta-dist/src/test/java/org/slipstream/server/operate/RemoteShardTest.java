package org.slipstream.server.operate;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.NotOnDiskException;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.RequestAuthor;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.RouteText;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.qmgr.journal.file.NodeText;
import org.slipstream.qmgr.journal.file.ValueText;
import org.slipstream.qmgr.shard.ShardCall;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Shards of two nodes as one queue. The messages between the nodes are those of the network, in this process.
class RemoteShardTest {
    private static final QueueId OF_ONE = QueueId.after(0, 1_000, 1);
    private static final QueueId OF_TWO = QueueId.after(0, 2_000, 2);

    private final FakeShard one = new FakeShard(1).with(OF_ONE, "a@a.example");
    private final FakeShard two = new FakeShard(2).with(OF_TWO, "b@b.example");
    private final List<String> asked = new ArrayList<>();
    private Optional<IOException> silence = Optional.empty();
    private boolean lost;
    private final RemoteShard remote = new RemoteShard(2, "a", "b", message -> {
        asked.add(message);
        if (silence.isPresent()) {
            throw silence.get();
        }
        return ShardCalls.answer(message, number -> lost
                ? Optional.empty()
                : FakeShard.all(List.of(two)).parts().get().stream().filter(each -> each.number() == number)
                        .findFirst(),
                two::commonRecords);
    });
    private final AllShardsOperations operations = AllShardsOperations.of(
            new AllShards<ShardPart>(
                    () -> Stream.concat(FakeShard.all(List.of(one)).parts().get().stream(), Stream.of(remote))
                            .toList()),
            () -> FakeShard.limits(2), List::of, () -> 60_000);

    static Collection<Method> methods() {
        return ShardCalls.methods().values();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void eachMethodOfAShardCanTravel(Method method) {
        List<Type> types = new ArrayList<>(List.of(method.getGenericParameterTypes()));
        types.add(method.getGenericReturnType());
        types.removeIf(type -> type == void.class || type == Spool.CommonRecords.class
                || type.getTypeName().contains(Content.class.getName()));
        types.forEach(type -> ValueText.requireForm(type, new LinkedHashSet<>()));
    }

    @Test
    void oneNodeShowsTheMailOfBoth() throws IOException {
        QueuePage page = operations.list(QueueFilter.ANY, Optional.empty(), 10);
        assertThat(page.messages()).extracting(MessageView::id, MessageView::sender, MessageView::shard)
                .containsExactly(row(OF_ONE, "a@a.example", 1), row(OF_TWO, "b@b.example", 2));
        assertThat(page.total()).isEqualTo(2);
        assertThat(operations.show(OF_TWO).orElseThrow().sender()).isEqualTo("b@b.example");
        assertThat(operations.explain(OF_TWO).orElseThrow().why()).isEqualTo("shard 2");
        assertThat(operations.explain(QueueId.after(0, 9_000, 2))).isEmpty();
        assertThat(operations.status().messages()).contains(2L);
        assertThat(operations.activity().shards()).hasSize(2);
        assertThat(operations.deliveryCounts().running()).isEqualTo(4);
        assertThat(operations.shape(ShapeBy.SENDER, Optional.empty()).rows()).extracting(ShapeRow::name)
                .containsExactly("a@a.example", "b@b.example");
    }

    private static Tuple row(QueueId id, String sender, int shard) {
        return Tuple.tuple(id.toString(), sender, Optional.of(shard));
    }

    @Test
    void anOrderGoesToTheOwnerWithAllItsArguments() throws IOException {
        Route route = RouteText.parse("smtp:[192.0.2.25]:2525").orElseThrow();
        assertThat(operations.order(new MessageOrder.Reroute(Optional.of(route)), OF_TWO)).isTrue();
        assertThat(two.orders).containsExactly("reroute " + OF_TWO);
        assertThat(one.orders).isEmpty();
        MessageCount held = operations.order(new MessageOrder.Hold("until noon", "ann"), QueueFilter.ANY,
                Optional.empty(), 10);
        assertThat(held.count()).isEqualTo(2);
        assertThat(two.orders).contains("hold " + OF_TWO);
        assertThat(asked.getLast()).contains("until noon", "ann");
        operations.flushAll(Optional.empty());
        assertThat(two.orders).contains("flush everything");
    }

    /// Each shard is asked on a thread of its own, and the name has a limit at the owner, too.
    @Test
    void theOwnersLogHasTheAuthorOfAnOrder() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger(ShardCalls.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        try {
            operations.flushAll(Optional.empty());
            RequestAuthor.call(Optional.of("ann"), () -> {
                operations.flushAll(Optional.empty());
                return operations.order(new MessageOrder.Reroute(Optional.empty()), OF_TWO);
            });
            String longest = "n".repeat(RequestAuthor.LONGEST);
            String call = NodeText.write(new ShardCall("a", 2, "flushAll(Optional)", List.of("null"),
                    Optional.of(longest + "o")));
            ShardCalls.answer(call, _ -> FakeShard.all(List.of(two)).parts().get().stream().findFirst(),
                    two::commonRecords);
            assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
                    .extracting(line -> line.replaceAll(".*author=\"(.*?)\".*", "$1"))
                    .containsExactly("", "ann", "ann", longest);
            assertThat(ShardCalls.answer(call.replaceAll(",\"by\":\"n+o\"", ""), _ -> Optional.empty(),
                    two::commonRecords)).as("of an earlier version").contains("does not own shard 2");
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(null);
        }
    }

    /// Each answer says which shard is missing and why, and has the rest.
    @Test
    void aNodeThatDoesNotAnswerIsNamed() throws IOException {
        silence = Optional.of(new IOException("no answer in 5000 ms"));
        String fault = "shard 2: node b, which owns it, does not answer: no answer in 5000 ms";
        QueuePage page = operations.list(QueueFilter.ANY, Optional.empty(), 10);
        assertThat(page.messages()).hasSize(1);
        assertThat(page.faults()).containsExactly(fault);
        assertThat(operations.count(QueueFilter.ANY, Optional.empty()).faults()).containsExactly(fault);
        assertThat(operations.trace("x@far.example", 5).faults()).containsExactly(fault);
        assertThat(operations.status().trouble()).anyMatch(each -> each.reason().contains("node b"));
        assertThat(operations.show(OF_ONE)).isPresent();
        assertThatThrownBy(() -> operations.show(OF_TWO)).isInstanceOf(IOException.class).hasMessage(fault);
        assertThatThrownBy(() -> operations.flushAll(Optional.empty()))
                .hasMessageContaining("carried out in the other");
    }

    @Test
    void theOwnersOwnFailureIsTold() throws IOException {
        two.with(OF_TWO, "b@b.example");
        two.diskStandsStill = true;
        assertThat(operations.order(new MessageOrder.Release(), QueueFilter.ANY, Optional.empty(), 9).faults())
                .singleElement().asString().startsWith("shard 2: ordered, but not on disk yet");
        one.messages.clear();
        assertThatThrownBy(() -> operations.order(new MessageOrder.Release(), QueueFilter.ANY, Optional.empty(), 9))
                .as("503 and not 500").hasCauseInstanceOf(NotOnDiskException.class)
                .hasMessageStartingWith("shard 2: ordered, but not on disk yet");
        two.broken = true;
        assertThatThrownBy(() -> operations.show(OF_TWO)).hasMessage("shard 2: the queue manager does not answer")
                .cause().isNotInstanceOf(NotOnDiskException.class);
        two.broken = false;
        lost = true;
        assertThatThrownBy(() -> operations.show(OF_TWO))
                .hasMessage("shard 2: this node does not own shard 2 any more");
    }

    @Test
    void aLongPageIsAskedForInParts() throws IOException {
        IntStream.range(0, 250).forEach(i -> two.with(QueueId.after(0, 10_000 + i, 2), "b@b.example"));
        assertThat(operations.list(QueueFilter.ANY, Optional.empty(), 1_000).messages()).hasSize(252);
        assertThat(asked).filteredOn(each -> each.contains("\"views(List)\"")).hasSize(3);
    }

    @Test
    void nothingButTheMethodsOfAShardCanBeCalled() {
        for (String question : List.of("getClass()", "toString()", "ofShard(int)", "commonRecords", "show(QueueId)")) {
            assertThatThrownBy(() -> ShardCalls.answer(
                    NodeText.write(new ShardCall("x", 2, question, List.of(), Optional.empty())),
                    _ -> FakeShard.all(List.of(two)).parts().get().stream().findFirst(), two::commonRecords))
                    .as(question).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /// The shard of a message has moved: its former node knows the beginning, the next one the end.
    @Test
    void aStoryIsPutTogetherFromTheHistoriesOfItsNodes() throws IOException {
        TraceEvent accepted = new TraceEvent("2026-11-28T07:00:00Z", "accepted", List.of(), "", "", 0, "");
        TraceEvent deferred = new TraceEvent("2026-11-28T07:00:01Z", "deferred", List.of(), "", "", 0, "");
        TraceEvent delivered = new TraceEvent("2026-11-28T07:00:09Z", "delivered", List.of(), "", "", 0, "");
        String id = QueueId.after(0, 500, 2).toString();
        one.stories = List.of(new MessageTrace(id, "a@a.example", List.of("x@far.example"), 9, SubmitterView.UNKNOWN,
                MessageTrace.OPEN, true, List.of(accepted, deferred)));
        two.stories = List.of(new MessageTrace(id, "", List.of(), 0, SubmitterView.UNKNOWN, "delivered", false,
                List.of(delivered)));
        TraceResult found = operations.trace("x@far.example", 5);
        assertThat(found.messages()).singleElement().satisfies(story -> {
            assertThat(story.sender()).isEqualTo("a@a.example");
            assertThat(story.state()).isEqualTo("delivered");
            assertThat(story.complete()).isTrue();
            assertThat(story.events()).containsExactly(accepted, deferred, delivered);
        });
    }
}
