package org.slipstream.server.operate;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.ExplainOperations.MessageExplanation;
import org.slipstream.admin.operations.ExplainOperations.ReasonCount;
import org.slipstream.admin.operations.ExplainOperations.Subject;
import org.slipstream.admin.operations.ExplainOperations.SubjectExplanation;
import org.slipstream.admin.operations.HostOperations.ConnectionView;
import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.HostOperations.Hosts;
import org.slipstream.admin.operations.HostOperations.StateView;
import org.slipstream.admin.operations.Metric;
import org.slipstream.admin.operations.Operations.ConnectionsView;
import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.admin.operations.Operations.NotOnDiskException;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.ShardLine;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.intake.EtrnRequests;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Views and orders over two shards in memory.
class AllShardsTest {
    private static final String SILENT = "the queue manager does not answer";
    private static final QueueId OF_TWO = QueueId.after(0, 1_000, 2);

    private final FakeShard one = new FakeShard(1);
    private final FakeShard two = new FakeShard(2);
    private final AllShards<OwnShard> shards = FakeShard.all(List.of(one, two));
    private final AllShardsOperations operations = FakeShard.operations(List.of(one, two));
    private final AllShardsStandingOrders suspensions = new AllShardsStandingOrders(shards,
            task -> task.run(shards.parts().get().getFirst().suspensions()));
    private final AllShardsHosts hosts = new AllShardsHosts(shards, () -> FakeShard.limits(2));

    // ---- one message

    @Test
    void theShardThatTheIdNamesIsAskedFirstAndIsEnough() throws IOException {
        two.with(OF_TWO, "a@a.example");
        assertThat(operations.show(OF_TWO).orElseThrow().shard()).contains(2);
        assertThat(operations.order(new MessageOrder.Hold("", ""), OF_TWO)).isTrue();
        assertThat(two.orders).containsExactly("show " + OF_TWO, "hold " + OF_TWO);
        assertThat(one.orders).isEmpty();
    }

    @Test
    void aMovedMessageIsFoundInAnotherShard() throws IOException {
        one.with(OF_TWO, "a@a.example");
        assertThat(operations.show(OF_TWO).orElseThrow().shard()).contains(1);
        assertThat(operations.order(new MessageOrder.Hold("", ""), OF_TWO)).isTrue();
        assertThat(operations.show(QueueId.after(0, 2_000, 1))).isEmpty();
        assertThat(operations.order(new MessageOrder.Hold("", ""), QueueId.after(0, 2_000, 1))).isFalse();
    }

    @Test
    void anOrderThatIsOnNoDiskFailsAndOneThatIsOnSomeNamesTheOthers() throws IOException {
        one.with(QueueId.after(0, 1_000, 1), "a@a.example");
        two.with(OF_TWO, "a@a.example");
        two.diskStandsStill = true;
        MessageCount part = operations.order(new MessageOrder.Release(), QueueFilter.ANY, Optional.empty(), 9);
        assertThat(part.count()).isEqualTo(1);
        assertThat(part.faults()).singleElement().asString().startsWith("shard 2: ordered, but not on disk yet");
        one.diskStandsStill = true;
        assertThatThrownBy(() -> operations.order(new MessageOrder.Release(), QueueFilter.ANY, Optional.empty(), 9))
                .hasMessageContaining("not on disk yet").hasCauseInstanceOf(NotOnDiskException.class);
        one.messages.clear();
        two.messages.clear();
        assertThat(operations.order(new MessageOrder.Release(), QueueFilter.ANY, Optional.empty(), 9))
                .isEqualTo(new MessageCount(0, Optional.empty()));
    }

    @Test
    void aMessageThatASilentShardMayHaveIsNotMissing() throws IOException {
        two.broken = true;
        assertThatThrownBy(() -> operations.show(OF_TWO)).isInstanceOf(IOException.class)
                .hasMessage("shard 2: " + SILENT);
        one.with(OF_TWO, "a@a.example");
        assertThat(operations.show(OF_TWO)).isPresent();
    }

    @Test
    void anUnreadableIndexExplainsOnlyWhatNoOtherShardHas() throws IOException {
        two.indexIsUnreadable = true;
        assertThat(operations.explain(OF_TWO)).map(MessageExplanation::reason).contains("index");
        one.with(OF_TWO, "a@a.example");
        assertThat(operations.explain(OF_TWO)).map(MessageExplanation::why).contains("shard 1");
    }

    @Test
    void aStoryHasTheStateOfTheShardWithTheMessage() throws IOException {
        QueueId gone = QueueId.after(0, 500, 2);
        one.stories = List.of(story(gone), story(OF_TWO));
        one.with(OF_TWO, "a@a.example");
        assertThat(operations.trace("a@a.example", 10).messages()).extracting(MessageTrace::state)
                .containsExactly("left", "in the queue of 1");
        assertThat(two.orders).as("all shards have the same history").isEmpty();
        two.broken = true;
        assertThat(operations.trace("a@a.example", 10).messages()).extracting(MessageTrace::state)
                .containsExactly("left; not read: shard 2: " + SILENT, "in the queue of 1");
        two.broken = false;
        one.stories = List.of();
        assertThat(operations.trace(OF_TWO.toString(), 10).messages()).extracting(MessageTrace::state)
                .containsExactly("in the queue of 1");
    }

    @Test
    void aMessageThatNoShardHasIsNotInTheQueue() throws IOException {
        one.stories = List.of(story(OF_TWO).withState(MessageTrace.OPEN));
        assertThat(operations.trace("a@a.example", 10).messages()).extracting(MessageTrace::state)
                .containsExactly(MessageTrace.OPEN + ", and it is not in the queue");
    }

    private static MessageTrace story(QueueId id) {
        return new MessageTrace(id.toString(), "", List.of(), 0, SubmitterView.UNKNOWN, "left", true, List.of());
    }

    // ---- all messages

    @Test
    void aFlushReachesEachShard() throws IOException {
        operations.flushAll(Optional.of("far.example"));
        assertThat(one.orders).containsExactly("flush far.example");
        assertThat(two.orders).containsExactly("flush far.example");
        one.broken = true;
        assertThatThrownBy(() -> operations.flushAll(Optional.empty()))
                .hasMessage("shard 1: " + SILENT + "; the order is carried out in the other shards");
        assertThat(two.orders).contains("flush everything");
    }

    @Test
    void etrnCountsTheMailOfAllShards() throws IOException {
        one.with(QueueId.after(0, 500, 1), "a@a.example");
        two.with(OF_TWO, "a@a.example");
        assertThat(operations.pending("far.example")).isEqualTo(new EtrnRequests.Pending(2, false));
        one.broken = true;
        assertThat(operations.pending("far.example")).isEqualTo(new EtrnRequests.Pending(1, true));
        operations.flush("far.example");
        assertThat(two.orders).containsExactly("flush far.example");
        two.broken = true;
        assertThatThrownBy(() -> operations.flush("far.example")).isInstanceOf(IOException.class);
    }

    @Test
    void anAddressIsVerifiedByAShardThatAnswers() throws IOException {
        one.broken = true;
        assertThat(operations.verify(Address.of("a@a.example")).orElseThrow().host()).isEqualTo("shard 2");
        assertThat(one.orders).isEmpty();
    }

    @Test
    void theReasonsOfADestinationAreThoseOfAllShards() throws IOException {
        one.subject = Optional.of(subject("3 wait", 3, List.of(new ReasonCount("retry", 3, "450 no")),
                "1970-01-01T00:00:20Z", "1970-01-01T00:02:00Z"));
        two.subject = Optional.of(subject("9 wait", 9,
                List.of(new ReasonCount("dead", 5, "refused"), new ReasonCount("retry", 4, "451 no")),
                "1970-01-01T00:00:10Z", ""));
        SubjectExplanation all = operations.explain(Subject.DESTINATION, "far.example", 5_000);
        assertThat(all.waiting()).isEqualTo(12);
        assertThat(all.examined()).isTrue();
        assertThat(all.reasons()).containsExactly(new ReasonCount("retry", 7, "450 no"),
                new ReasonCount("dead", 5, "refused"));
        assertThat(all.oldest()).isEqualTo("1970-01-01T00:00:10Z");
        assertThat(all.next()).isEqualTo("1970-01-01T00:02:00Z");
        assertThat(all.text()).isEqualTo("""
                Destination far.example: shard 1: 3 wait; shard 2: 9 wait

                waiting  12 messages
                oldest   1970-01-01T00:00:10Z (50s ago)
                next     1970-01-01T00:02:00Z (in 1m)

                Reasons:
                  7      retry        such as: 450 no
                  5      dead         such as: refused""");
        two.broken = true;
        SubjectExplanation rest = operations.explain(Subject.DESTINATION, "far.example", 5_000);
        assertThat(rest.examined()).isFalse();
        assertThat(rest.state()).isEqualTo("3 wait; not read: shard 2: " + SILENT);
    }

    private static SubjectExplanation subject(String state, int waiting, List<ReasonCount> reasons, String oldest,
            String next) {
        return new SubjectExplanation("destination", "far.example", state, waiting, true, reasons, oldest, next, "");
    }

    // ---- the server

    @Test
    @Tag("IM-25")
    void theStatusHasALineForEachShardAndSums() throws IOException {
        one.with(QueueId.after(0, 500, 1), "a@a.example");
        two.with(OF_TWO, "a@a.example").with(QueueId.after(0, 3_000, 2), "a@a.example");
        two.mode = ShardMode.DISABLED;
        one.destinations = List.of(new DestinationView("smtp", "far.example", 4, 1, 2, Optional.of(10L)));
        two.destinations = List.of(new DestinationView("smtp", "far.example", 5, 2, 1, Optional.of(30L)),
                new DestinationView("local", "here.example", 1, 0, 0, Optional.empty()));
        two.troubles = List.of(new TroubleView("space", "1970-01-01T00:00:00Z", "little space", "none"));
        Status all = operations.status();
        assertThat(all.messages()).contains(3L);
        assertThat(all.held()).contains(2L);
        assertThat(List.of(all.active(), (int) all.stuck(), (int) all.unannounced())).containsExactly(6, 2, 4);
        assertThat(all.connections()).isEqualTo(new ConnectionsView(100, 30, 3, 3, 75));
        assertThat(all.destinations()).containsExactly(
                new DestinationView("smtp", "far.example", 9, 3, 3, Optional.of(20L)),
                new DestinationView("local", "here.example", 1, 0, 0, Optional.empty()));
        assertThat(all.trouble()).extracting(TroubleView::meaning).containsExactly("shard 2: little space");
        assertThat(all.shards()).containsExactly(
                new ShardLine(1, "normal", new UseView(2, 10), new UseView(5, 20), Optional.of(1L), Optional.of(1L),
                        3, 4, 10, ""),
                new ShardLine(2, "disabled", new UseView(2, 10), new UseView(5, 20), Optional.of(2L),
                        Optional.of(1L), 3, 6, 20, ""));
    }

    @Test
    void aSilentShardIsATroubleOfTheServer() throws IOException {
        two.broken = true;
        Status all = operations.status();
        assertThat(all.messages()).as("not known").isEmpty();
        assertThat(all.shards().getFirst().messages()).contains(0L);
        assertThat(all.shards().getLast().fault()).isEqualTo(SILENT);
        assertThat(all.trouble()).containsExactly(
                new TroubleView("shard", "", "shard 2 does not answer; its mail is not in these figures", SILENT));
        one.broken = true;
        assertThatThrownBy(operations::status).hasMessage("shard 1: " + SILENT + "; shard 2: " + SILENT);
    }

    @Test
    void anUnreadableIndexMakesOnlySumsUnknown() throws IOException {
        two.indexIsUnreadable = true;
        Status all = operations.status();
        assertThat(all.messages()).isEmpty();
        assertThat(all.active()).isEqualTo(6);
        assertThat(all.shards()).extracting(ShardLine::messages).containsExactly(Optional.of(0L), Optional.empty());
    }

    @Test
    void theOnlyShardHasNoLine() throws IOException {
        AllShardsOperations only = FakeShard.operations(List.of(one));
        assertThat(only.status()).isEqualTo(one.status());
        assertThat(only.activity()).isEqualTo(one.activity());
        one.broken = true;
        assertThatThrownBy(only::status).hasMessage(SILENT);
        assertThatThrownBy(() -> only.order(new MessageOrder.Hold("", ""), OF_TWO)).hasMessage(SILENT);
        assertThatThrownBy(() -> only.flushAll(Optional.empty())).hasMessage(SILENT);
    }

    @Test
    @Tag("IM-24")
    void theLoadIsThatOfAllShards() throws IOException {
        one.busy = List.of(busy("smtp", "far.example", "live", 5, 3, "450 no", "1970-01-01T00:00:40Z"),
                busy("", "gone.example", "idle", 0, 0, "550 no", "1970-01-01T00:00:30Z"),
                busy("", "back.example", "idle", 0, 0, "451 later", "1970-01-01T00:00:30Z"));
        two.busy = List.of(busy("smtp", "back.example", "live", 5, 1, "", ""),
                busy("smtp", "far.example", "dead", 20, 8, "refused", ""),
                busy("", "gone.example", "idle", 0, 0, "550 no", "1970-01-01T00:00:30Z"));
        Activity all = operations.activity();
        assertThat(all.destinations()).containsExactly(
                busy("smtp", "far.example", "dead", 20, 11, "450 no", "1970-01-01T00:00:40Z"),
                busy("smtp", "back.example", "live", 5, 1, "", ""),
                busy("", "gone.example", "idle", 0, 0, "550 no", "1970-01-01T00:00:30Z"));
        assertThat(all.counters()).as("shards share counters").containsEntry("mtaReceivedMessages", 9L)
                .containsEntry(Metric.UNANNOUNCED_MESSAGES.word(), 4L);
        assertThat(all.shards()).extracting(ShardLine::waiting).containsExactly(3, 9);
        assertThat(all.knownShards()).isEqualTo(2);
    }

    private static BusyDestination busy(String transport, String nextHop, String state, int window, int waiting,
            String error, String at) {
        return new BusyDestination(transport, nextHop, state, "", window, 20, 0, 0, waiting, "", error, at);
    }

    // ---- suspensions

    @Test
    void aSuspensionIsKeptOnceAndHoldsInEachShard() throws IOException {
        Suspension freeze = new Suspension(SuspensionScope.DESTINATION, "far.example", "repair", "ann", 0,
                Long.MAX_VALUE);
        suspensions.begin(freeze);
        assertThat(one.orders).containsExactly("keep far.example");
        assertThat(two.orders).isEmpty();
        assertThat(List.of(one.suspensions, two.suspensions)).containsOnly(List.of(freeze));
        assertThat(suspensions.suspensions()).hasSize(1);
        assertThat(operations.status().suspensions()).hasSize(1);
        assertThat(suspensions.end(SuspensionScope.DESTINATION.kind(), "far.example")).isTrue();
        assertThat(one.orders).contains("forget far.example");
        assertThat(List.of(one.suspensions, two.suspensions)).containsOnly(List.of());
        assertThat(suspensions.end(SuspensionScope.DESTINATION.kind(), "far.example")).isFalse();
        assertThat(suspensions.refusal(new Suspension(SuspensionScope.SENDER, "", "why", "ann", 0, 1)))
                .contains("refused by 1");
    }

    @Test
    void aSuspensionThatAShardMissesIsInForceInTheOthers() {
        one.broken = true;
        Suspension freeze = new Suspension(SuspensionScope.EVERYTHING, "", "repair", "ann", 0, Long.MAX_VALUE);
        assertThatThrownBy(() -> suspensions.begin(freeze)).hasMessageContaining("shard 1: ");
        assertThat(one.orders).as("it comes into force when the shard starts again").containsExactly("keep ");
        assertThat(two.suspensions).containsExactly(freeze);
    }

    // ---- hosts

    @Test
    void theRecordsOfAHostAreSharedAndItsConnectionsAreOfAllShards() throws IOException {
        one.knownHosts = List.of(host("mx.far.example", List.of(state("idle", ""),
                state("retry", "1970-01-01T01:00:00Z")), connection(1)));
        two.knownHosts = List.of(host("", List.of(state("active", ""), state("retry", "1970-01-01T02:00:00Z")),
                connection(7)));
        Hosts all = hosts.hosts();
        assertThat(all.hosts()).containsExactly(host("mx.far.example",
                List.of(state("retry", "1970-01-01T02:00:00Z"), state("active", "")), connection(1), connection(7)));
        assertThat(List.of(all.workers(), all.busy(), (int) all.opened(), (int) all.possibleDuplicates()))
                .containsExactly(100, 4, 20, 2);
        two.broken = true;
        assertThat(hosts.show("mx.far.example")).hasSize(1);
    }

    @Test
    void anOrderForAHostReachesShardsThatDoNotKnowItsName() throws IOException {
        two.knownHosts = List.of(host("mx.far.example", List.of()));
        HostOrder repair = new HostOrder.Suspend("repair", "ann", Optional.empty());
        assertThat(hosts.order("mx.far.example", repair)).containsExactly("[192.0.2.1]:25/clear");
        assertThat(one.orders).containsExactly("suspend [192.0.2.1]:25/clear");
        assertThat(two.orders).containsExactly("suspend [192.0.2.1]:25/clear");
        assertThat(hosts.order("mx.far.example", new HostOrder.Forget())).containsExactly("[192.0.2.1]:25/clear");
        assertThat(hosts.order("mx.far.example", new HostOrder.Resume())).containsExactly("[192.0.2.1]:25/clear");
        assertThat(hosts.order("192.0.2.9", repair)).as("an address without a record").containsExactly("192.0.2.9");
    }

    private static HostView host(String name, List<StateView> states, ConnectionView... connections) {
        return new HostView("[192.0.2.1]:25/clear", name, states, List.of(connections));
    }

    private static StateView state(String state, String until) {
        return new StateView(state, "", "", until, 0, "");
    }

    private static ConnectionView connection(long number) {
        return new ConnectionView(number, "busy", 1, 1, 1, "", List.of());
    }
}
