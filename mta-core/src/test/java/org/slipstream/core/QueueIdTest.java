package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

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
