package org.slipstream.smtpout.source;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/// Which pool a message has, and in which order it tries the sources of the pool.
class SourceTableTest {
    private static PoolSettings pool(List<String> sources) {
        return pool(sources, List.of(), List.of(), List.of());
    }

    private static PoolSettings pool(List<String> sources, List<String> senders, List<String> users,
            List<String> providers) {
        return new PoolSettings(
                sources.stream().map(each -> PoolSettings.PoolMember.parse(each).orElseThrow()).toList(), senders,
                users, providers, PoolSettings.Overflow.OTHER);
    }

    private static String of(SourceTable table, String sender, String user, Optional<String> clause,
            String provider) {
        return table.pool(Address.parse(sender), user, clause, provider).map(each -> each.pool() + ", " + each.why())
                .orElse("none");
    }

    @Test
    void theUserComesFirstThenTheSenderThenTheDestinationThenTheProvider() {
        SourceTable table = new SourceTable(Map.of(), Map.of(
                "users", pool(List.of("a"), List.of(), List.of("alice"), List.of()),
                "shop", pool(List.of("a"), List.of("shop.example", "news@other.example"), List.of(), List.of()),
                "clause", pool(List.of("a")),
                "large", pool(List.of("a"), List.of(), List.of(), List.of("google"))));
        Optional<String> clause = Optional.of("clause");
        assertThat(of(table, "x@shop.example", "alice", clause, "google")).isEqualTo("users, user alice");
        assertThat(of(table, "x@Shop.Example", "bob", clause, "google")).isEqualTo("shop, sender shop.example");
        assertThat(of(table, "news@other.example", "", clause, "google"))
                .isEqualTo("shop, sender news@other.example");
        assertThat(of(table, "x@other.example", "", clause, "google")).isEqualTo("clause, destination");
        assertThat(of(table, "x@other.example", "", Optional.empty(), "google")).isEqualTo("large, provider google");
        assertThat(of(table, "x@sub.shop.example", "", Optional.empty(), "other")).isEqualTo("none");
        assertThat(table.pool(Optional.empty(), "", Optional.of("gone"), "other")).as("a reload").isEmpty();
    }

    @Test
    void messagesAreSharedByWeightAndEachKeepsItsOrder() {
        PoolSettings pool = pool(List.of("a:3", "b", "c:6"));
        Map<String, Integer> first = new HashMap<>();
        Map<String, Integer> behindC = new HashMap<>();
        int messages = 100_000;
        for (int i = 0; i < messages; i++) {
            QueueId id = QueueId.after(1L << 50, 1_700_000_000_000L + i, 1);
            List<String> order = SourceTable.order(pool, id);
            assertThat(order).hasSize(3).containsExactlyInAnyOrder("a", "b", "c");
            first.merge(order.getFirst(), 1, Integer::sum);
            if (order.getFirst().equals("c")) {
                behindC.merge(order.get(1), 1, Integer::sum);
            }
        }
        assertThat(first.get("a") / (double) messages).isCloseTo(0.3, within(0.01));
        assertThat(first.get("b") / (double) messages).isCloseTo(0.1, within(0.01));
        assertThat(behindC.get("a") / (double) first.get("c")).as("without c, a has 3 of 4")
                .isCloseTo(0.75, within(0.01));
        QueueId one = new QueueId(123_456_789);
        assertThat(SourceTable.order(pool, one)).isEqualTo(SourceTable.order(pool, one));
    }

    @Test
    void aMemberIsANameAndAWeightFromOneToAThousand() {
        assertThat(PoolSettings.PoolMember.parse("out-1:1000")).map(Object::toString).contains("out-1:1000");
        assertThat(PoolSettings.PoolMember.parse("out-1")).map(Object::toString).contains("out-1:1");
        for (String wrong : List.of("", "a:", "a:0", "a:1001", "a:-1", "a:1:1", "A", "a b", "a/b", ":1",
                "a".repeat(33))) {
            assertThat(PoolSettings.PoolMember.parse(wrong)).as(wrong).isEmpty();
        }
    }
}
