package org.slipstream.cluster;

import org.junit.jupiter.api.Test;
import org.slipstream.cluster.ClusterLook.ClusterNode;
import org.slipstream.cluster.ClusterLook.ShardClaim;
import org.slipstream.cluster.OwnershipQuestion.AskFor;
import org.slipstream.cluster.OwnershipQuestion.Claim;
import org.slipstream.cluster.OwnershipQuestion.Make;
import org.slipstream.cluster.OwnershipRules.OwnershipDecision;
import org.slipstream.cluster.OwnershipRules.Standpoint;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// Examples of claims. [OwnershipWorldsTest] has the whole.
class OwnershipRulesTest {
    private static ShardClaim owned(int number, String owner) {
        return new ShardClaim(number, 1, Optional.of(owner), 5_000, Optional.empty());
    }

    /// @param moveTo empty: no order
    private static ShardClaim free(int number, long sinceMillis, String moveTo) {
        return new ShardClaim(number, 1, Optional.of("gone"), -sinceMillis,
                Optional.of(moveTo).filter(each -> !each.isEmpty()));
    }

    private static ClusterLook look(List<ShardClaim> shards, String... alive) {
        return new ClusterLook(shards,
                Stream.concat(Stream.of(alive).map(each -> new ClusterNode(each, "", "", 900, 9)),
                        Stream.of(new ClusterNode("gone", "", "", 9_000, 9_999))).toList());
    }

    private static OwnershipDecision decide(ClusterLook look, String node) {
        return OwnershipRules.decide(look, new Standpoint(node, new HashSet<>(look.heldBy(node)), Set.of(), true));
    }

    @Test
    void theNodeWithTheFewestShardsTakesAFreeOneAndTheNextOneASecondLater() {
        List<ShardClaim> owned = List.of(owned(1, "a"), owned(2, "a"), owned(3, "b"));
        ClusterLook now = look(Stream.concat(owned.stream(), Stream.of(free(4, 10, ""))).toList(), "a", "b");
        assertThat(decide(now, "b").questions()).containsExactly(new Claim(4));
        assertThat(decide(now, "a").questions()).isEmpty();
        ClusterLook later = look(Stream.concat(owned.stream(), Stream.of(free(4, 1_000, ""))).toList(), "a", "b");
        assertThat(decide(later, "a").questions()).containsExactly(new Claim(4));
    }

    @Test
    void aNodeLooksAgainWhenTheLeaseOfALostNodeEnds() {
        Ownership ownership = new Ownership("a");
        assertThat(ownership.restMillis(0)).isEqualTo(1_000);
        ShardClaim lost = new ShardClaim(2, 1, Optional.of("gone"), 300, Optional.empty());
        ClusterLook now = look(List.of(owned(1, "b"), lost), "a", "b");
        ownership.answered(ownership.next(0), new OwnershipAnswer.Renewed(Set.of(), true, now), 0);
        assertThat(ownership.restMillis(100_000_000)).as("the look is 0.1 s old").isBetween(201L, 250L);
        assertThat(ownership.restMillis(2_000_000_000)).as("late").isPositive().isLessThan(50);

        ClusterLook well = look(List.of(owned(1, "b")), "a", "b");
        ownership.unanswered();
        ownership.answered(ownership.next(0), new OwnershipAnswer.Renewed(Set.of(), true, well), 0);
        assertThat(ownership.restMillis(100_000_000)).isEqualTo(900);
    }

    @Test
    void theShardsOfALostNodeAreShared() {
        ClusterLook now = look(List.of(owned(1, "a"), owned(2, "b"), free(3, 10, ""), free(4, 10, "")), "a", "b");
        assertThat(decide(now, "a").questions()).containsExactly(new Claim(3));
        assertThat(decide(now, "b").questions()).containsExactly(new Claim(4));
    }

    @Test
    void aShardThatAnOrderMovesGoesToThatNodeIfItIsAlive() {
        ClusterLook now = look(List.of(owned(1, "a"), owned(2, "b"), owned(3, "b"), free(4, 10, "b")), "a", "b");
        assertThat(decide(now, "b").questions()).containsExactly(new Claim(4));
        assertThat(decide(now, "a").questions()).isEmpty();
        ClusterLook dead = look(List.of(owned(1, "a"), owned(2, "b"), free(4, 10, "gone")), "a", "b");
        assertThat(decide(dead, "a").questions()).containsExactly(new Claim(4));

        ShardClaim moving = new ShardClaim(1, 1, Optional.of("a"), 5_000, Optional.of("b"));
        assertThat(decide(look(List.of(moving, owned(2, "b")), "a", "b"), "a").leaving()).containsEntry(1, "b");
        ShardClaim waiting = new ShardClaim(1, 1, Optional.of("a"), 5_000, Optional.of("gone"));
        assertThat(decide(look(List.of(waiting, owned(2, "b")), "a", "b"), "a").leaving()).isEmpty();
    }

    @Test
    void aNodeWithoutAShardAsksOneWithSeveralAndOtherwiseMakesOne() {
        assertThat(decide(look(List.of()), "a").questions()).containsExactly(new Make(1));
        assertThat(decide(look(List.of(owned(1, "b"), owned(3, "c")), "a", "b", "c"), "a").questions())
                .containsExactly(new Make(2));
        assertThat(decide(look(List.of(owned(1, "b"), owned(2, "c"), owned(3, "c")), "a", "b", "c"), "a").questions())
                .containsExactly(new AskFor(3, "c"));
        // Its own name, before it was killed: its lease counts as well.
        ClusterLook before = look(List.of(owned(1, "a")), "a");
        assertThat(OwnershipRules.decide(before, new Standpoint("a", Set.of(), Set.of(), true)).questions()).isEmpty();
    }

    @Test
    void aClusterHasSixtyFourShardsAtMost() {
        List<ShardClaim> all = IntStream.rangeClosed(1, 64).mapToObj(each -> owned(each, "n" + each)).toList();
        assertThat(decide(look(all, "a"), "a").questions()).isEmpty();
    }
}
