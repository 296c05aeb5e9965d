package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.slipstream.smtpout.ClientConfig.Ahead;
import org.slipstream.smtpout.dialog.Pipeline.Reach;

import java.util.ArrayDeque;
import java.util.Deque;

import static org.assertj.core.api.Assertions.assertThat;

/// How many messages a connection finds worth having under way, in simulated time.
class PipeDepthTest {
    private static final long MILLI = 1_000_000;

    @Test
    void aFarPeerGetsAsManyAsFillTheWay() {
        // 100 ms away and 5 ms for a message: 21 in the pipe, two to four waiting.
        assertThat(settled(100 * MILLI, 5 * MILLI, 50_500)).isBetween(22, 26);
        assertThat(settled(20 * MILLI, 5 * MILLI, 50_500)).isBetween(6, 13);
    }

    @Test
    void aNearPeerGetsAFew() {
        assertThat(settled(0, 5 * MILLI, 50_000)).isBetween(2, 9);
    }

    @Test
    void theSettingIsTheBound() {
        assertThat(settled(1000 * MILLI, MILLI, 5500)).isEqualTo(50);
    }

    @Test
    void fiftyAreReachedInAFewRoundTrips() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT);
        int roundTrips = 0;
        for (; depth.depth() < 50; roundTrips++) {
            for (int i = depth.depth(); i > 0; i--) {
                depth.answered(100 * MILLI, true);
            }
        }
        assertThat(roundTrips).isEqualTo(5);
    }

    @Test
    void aPipeThatNobodyFillsDoesNotGrow() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT);
        for (int i = 0; i < 100; i++) {
            assertThat(depth.answered(100 * MILLI, false)).isFalse();
        }
        assertThat(depth.depth()).isEqualTo(2);
    }

    @Test
    void aPeerThatBecomesSlowIsNotBuriedInMail() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT);
        for (int i = 0; i < 100; i++) {
            depth.answered(100 * MILLI, true);
        }
        assertThat(depth.depth()).isEqualTo(50);
        for (int i = 0; i < 100; i++) {
            depth.answered(2000 * MILLI, true);
        }
        assertThat(depth.depth()).isLessThan(10);
    }

    @Test
    void aWayThatHasBecomeLongerIsNoticed() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT);
        for (int i = 0; i < 10; i++) {
            depth.answered(MILLI, true);
        }
        for (int i = 0; i < 2 * PipeDepth.EPOCH + 100; i++) {
            depth.answered(100 * MILLI, true);
        }
        assertThat(depth.depth()).isEqualTo(50);
    }

    @Test
    void withDataTwoAndWithoutPipeliningOne() {
        assertThat(new PipeDepth(Reach.NEXT, Ahead.DEFAULT).depth()).isEqualTo(2);
        assertThat(new PipeDepth(Reach.ONE, Ahead.DEFAULT).depth()).isEqualTo(1);
        PipeDepth next = new PipeDepth(Reach.NEXT, Ahead.DEFAULT);
        for (int i = 0; i < 100; i++) {
            next.answered(100 * MILLI, true);
        }
        assertThat(next.depth()).isEqualTo(2);
    }

    /// The depth after so many messages to a peer that takes one after the other.
    private static int settled(long roundTripNanos, long serviceNanos, int messages) {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT);
        Deque<long[]> underWay = new ArrayDeque<>();
        long now = 0;
        long peerFree = 0;
        for (int i = 0; i < messages; i++) {
            while (underWay.size() < depth.depth()) {
                peerFree = Math.max(peerFree, now + roundTripNanos / 2) + serviceNanos;
                underWay.add(
                        new long[]{now, peerFree + roundTripNanos / 2, underWay.size() + 1 >= depth.depth() ? 1 : 0});
            }
            long[] first = underWay.remove();
            now = Math.max(now, first[1]);
            depth.answered(now - first[0], first[2] == 1);
        }
        return depth.depth();
    }
}
