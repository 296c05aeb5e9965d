package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class QueueIdTest {
    @Test
    void textAndNumberSayTheSameAndSortTheSame() {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.SplittableRandom(seed);
        for (int i = 0; i < 1000; i++) {
            QueueId a = new QueueId(random.nextLong(1, 1L << 55));
            QueueId b = new QueueId(random.nextLong(1, 1L << 55));
            assertThat(QueueId.parse(a.toString())).as("seed %d", seed).contains(a);
            assertThat(Integer.signum(a.toString().compareTo(b.toString()))).as("seed %d", seed)
                    .isEqualTo(a.compareTo(b));
        }
    }

    @Test
    void idsGrowEvenWhenTheClockJumpsBack() {
        QueueId first = QueueId.after(0, 1_800_000_000_000L);
        QueueId second = QueueId.after(first.value(), 1_700_000_000_000L);
        assertThat(second).isGreaterThan(first);
        assertThat(first.createdMillis()).isEqualTo(1_800_000_000_000L);
        assertThat(second.createdMillis()).isEqualTo(1_800_000_000_000L);
    }

    @Test
    void idsOfAllShardsGrowAndAreDifferent() {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.SplittableRandom(seed);
        Set<QueueId> given = new HashSet<>();
        long[] last = new long[QueueId.SHARDS + 1];
        for (int i = 0; i < 10_000; i++) {
            int shard = random.nextInt(1, QueueId.SHARDS + 1);
            QueueId id = QueueId.after(last[shard], 1_800_000_000_000L + random.nextInt(3), shard);
            assertThat(id.value()).as("seed %d", seed).isGreaterThan(last[shard]);
            assertThat(id.shard()).as("seed %d", seed).isEqualTo(shard);
            assertThat(given.add(id)).as("seed %d: %s", seed, id).isTrue();
            last[shard] = id.value();
        }
    }

    @Test
    void anIdIsTheSmallestOfItsShard() {
        long now = 1_800_000_000_000L;
        assertThat(QueueId.after(0, now, 1)).isEqualTo(new QueueId((now << 10) + 1));
        assertThat(QueueId.after(0, now, 64)).isEqualTo(new QueueId(now << 10));
        assertThat(QueueId.after((now << 10) + 1, now, 1)).isEqualTo(new QueueId((now << 10) + 65));
        assertThat(QueueId.after((now << 10) + 5, now, 7)).isEqualTo(new QueueId((now << 10) + 7));
        assertThatThrownBy(() -> QueueId.after(0, now, 65)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> QueueId.after(0, now, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void otherTextIsNoId() {
        assertThat(QueueId.parse("")).isEmpty();
        assertThat(QueueId.parse("hello world")).isEmpty();
        assertThat(QueueId.parse("00000000000")).isEmpty();
        assertThat(QueueId.parse("zzzzzzzzzzzzzzzzzzzz")).isEmpty();
        assertThat(QueueId.parse("8000000000001")).isEmpty();
    }
}
