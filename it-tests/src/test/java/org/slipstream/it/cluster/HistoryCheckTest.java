package org.slipstream.it.cluster;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.it.cluster.FaultyCluster.Term;
import org.slipstream.it.cluster.MailHistory.Acknowledged;
import org.slipstream.it.cluster.MailHistory.Copy;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The check sees what it is there for: histories with one broken promise each.
class HistoryCheckTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int TAKEN = 2;
    private static final int REFUSED = 10;
    private static final long KILL = 100 * SECOND;
    private static final FaultRecord KILLED = new FaultRecord(1, FaultKind.NODE_KILLED, Set.of("a"), KILL,
            KILL + SECOND, KILL + SECOND, KILL + 2 * SECOND, OptionalLong.empty(), 0, 0, List.of());
    private final MailHistory history = new MailHistory();

    @BeforeEach
    void acknowledge() {
        history.acknowledged(new Acknowledged(TAKEN, "a", SECOND, 2 * SECOND));
    }

    private HistoryCheck check() {
        return new HistoryCheck(history, List.of(KILLED));
    }

    private void received(String recipient, String node, long atNanos) {
        history.received(recipient, new Copy(node, atNanos));
    }

    @Test
    void aMessageIsDeliveredOrQueued() {
        assertThat(check().mail(Set.of()).violations()).singleElement().asString()
                .contains("neither delivered nor reported nor queued", "m2@far.example");
        assertThat(check().mail(Set.of(MailHistory.recipient(TAKEN))).violations()).isEmpty();
        received(MailHistory.recipient(TAKEN), "b", KILL);
        assertThat(check().mail(Set.of()).violations()).isEmpty();
        assertThat(check().mail(Set.of(MailHistory.recipient(TAKEN))).violations()).singleElement().asString()
                .contains("delivered or reported, and queued");
    }

    @Test
    void onlyARefusedMessageIsReported() {
        received(MailHistory.recipient(TAKEN), "a", KILL);
        history.acknowledged(new Acknowledged(REFUSED, "a", SECOND, 2 * SECOND));
        assertThat(check().mail(Set.of()).violations()).hasSize(1);
        received(MailHistory.sender(REFUSED), "a", KILL);
        assertThat(check().mail(Set.of()).violations()).isEmpty();
        received(MailHistory.sender(TAKEN), "a", KILL);
        assertThat(check().mail(Set.of()).violations()).singleElement().asString().contains("not refused");
    }

    @Test
    void aFurtherCopyWasUnderWayAtAFaultOfItsNode() {
        received("m4@later.example", "a", KILL - SECOND / 2);
        received("m4@later.example", "b", KILL + 20 * SECOND);
        HistoryCheck explained = check().copies();
        assertThat(explained.violations()).isEmpty();
        assertThat(explained.furtherCopies()).isEqualTo(Map.of(1, 1));

        received("m7@later.example", "b", KILL - SECOND / 2);
        received("m7@later.example", "a", KILL + 20 * SECOND);
        assertThat(check().copies().violations()).singleElement().asString().contains("m7@later.example");
    }

    @Test
    void aCopyLongBeforeTheFaultIsNotSentAgain() {
        received("m4@later.example", "a", KILL - 4 * SECOND);
        received("m4@later.example", "b", KILL + 20 * SECOND);
        assertThat(check().copies().violations()).hasSize(1);
    }

    @Test
    void aTermHasOneClaimAndOneWriter() {
        Term term = new Term(1, 4);
        assertThat(check().terms(Map.of(term, List.of("a.1")), Map.of(term, List.of("a.1"))).violations()).isEmpty();
        assertThat(check().terms(Map.of(term, List.of("a.1", "b.1")), Map.of()).violations()).hasSize(1);
        assertThat(check().terms(Map.of(term, List.of("a.1")), Map.of(term, List.of("a.1", "b.1"))).violations())
                .hasSize(1);
        assertThat(check().terms(Map.of(term, List.of("a.2")), Map.of(term, List.of("a.1"))).violations()).hasSize(1);
    }

    @Test
    void twoLogsWithOneClaimAndAFaultOfTheProgramAreFound() {
        assertThat(check().logs(List.of("a 2026 INFO  event=shard-claimed shard=1 epoch=4 thread=x",
                "b 2026 INFO  event=shard-claimed shard=1 epoch=5 thread=x")).violations()).isEmpty();
        assertThat(check().logs(List.of("a 2026 INFO  event=shard-claimed shard=1 epoch=4 thread=x",
                "b 2026 INFO  event=shard-claimed shard=1 epoch=4 thread=x")).violations()).hasSize(1);
        assertThat(check().logs(List.of("a 2026 ERROR event=shard-failed shard=1")).violations()).hasSize(1);
    }

    @Test
    void moreConnectionsThanTheLimitAreFound() {
        OptionalLong stays = OptionalLong.empty();
        assertThat(check().connections("far.example", List.of(overlap(6, stays)), 6).violations()).isEmpty();
        assertThat(check().connections("far.example", List.of(overlap(6, stays), overlap(7, stays)), 6).violations())
                .hasSize(1);
    }

    /// The lane of a connection that is being closed is in use again already.
    @Test
    void aConnectionThatQuitsAtOnceMakesRoomForItsSuccessor() {
        assertThat(check().connections("far.example", List.of(overlap(7, OptionalLong.of(KILL + SECOND / 2))), 6)
                .violations()).isEmpty();
        assertThat(check().connections("far.example", List.of(overlap(7, OptionalLong.of(KILL + 5 * SECOND))), 6)
                .violations()).hasSize(1);
        assertThat(check().connections("far.example", List.of(overlap(8, OptionalLong.of(KILL + SECOND / 2))), 6)
                .violations()).singleElement().asString().contains("had 7");
    }

    /// @param quits the first of them
    private static Overlap overlap(int connections, OptionalLong quits) {
        return new Overlap(KILL, Stream.concat(Stream.of(quits),
                Stream.generate(OptionalLong::empty).limit(connections - 1L)).toList(), List.of("a"));
    }

    @Test
    void waitingMailThatIsMissingIsFound() {
        assertThat(check().waiting(12, 10).violations()).isEmpty();
        assertThat(check().waiting(9, 10).violations()).hasSize(1);
    }

    /// One record of the log has a report and its mark, so a kill makes no second one.
    @Test
    void aSecondReportWasUnderWayAtAFaultLikeAnyCopy() {
        history.acknowledged(new Acknowledged(REFUSED, "a", SECOND, KILL - 5 * SECOND));
        received(MailHistory.sender(REFUSED), "a", KILL - SECOND / 2);
        received(MailHistory.sender(REFUSED), "b", KILL + 21 * SECOND);
        assertThat(check().copies().violations()).isEmpty();

        received(MailHistory.sender(2 * REFUSED), "b", KILL + 20 * SECOND);
        received(MailHistory.sender(2 * REFUSED), "b", KILL + 21 * SECOND);
        assertThat(check().copies().violations()).hasSize(1);
    }
}
