package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.slipstream.smtpout.ClientConfig.Ahead;
import org.slipstream.smtpout.dialog.Pipeline.Reach;

import java.util.ArrayDeque;
import java.util.Deque;

import static org.assertj.core.api.Assertions.assertThat;

/// The number of messages under way that a connection chooses, in simulated time.
class PipeDepthTest {
    private static final long MILLI = 1_000_000;

    @Test
    void aFarPeerGetsAsManyAsFillTheWay() {
        // 100 ms away and 5 ms for a message: 21 in the pipe.
        assertThat(settled(100 * MILLI, 5 * MILLI, 1, 2000)).isBetween(22, 50);
        assertThat(settled(20 * MILLI, 5 * MILLI, 1, 2000)).isBetween(6, 25);
    }

    @Test
    void aPeerThatAnswersInFlocksIsKeptBusyToo() {
        assertThat(settled(100 * MILLI, 5 * MILLI, 1000, 3000)).isGreaterThan(35);
    }

    @Test
    void aNearPeerGetsAFewHoweverLongItGoesOn() {
        assertThat(settled(0, 5 * MILLI, 1, 2000)).isBetween(2, 6);
        assertThat(settled(0, 5 * MILLI, 1, 50_500)).isBetween(2, 10);
    }

    @Test
    void aNearPeerThatNeedsLongForEachMessageGetsOneAtATimeSoThatOthersMayPass() {
        assertThat(settled(0, 100 * MILLI, 1, 200)).isEqualTo(1);
        assertThat(settled(2 * MILLI, 100 * MILLI, 1, 11_000)).isEqualTo(1);
        assertThat(settled(20 * MILLI, 100 * MILLI, 1, 200)).as("but not a far one").isGreaterThan(1);
    }

    @Test
    void theSettingIsTheBound() {
        assertThat(settled(1000 * MILLI, MILLI, 1, 4000)).isEqualTo(50);
    }

    @Test
    void fiftyAreReachedInAFewRoundTrips() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT, 100 * MILLI);
        int roundTrips = 0;
        for (; depth.depth() < 50; roundTrips++) {
            answers(depth, depth.depth(), 100 * MILLI);
        }
        assertThat(roundTrips).isEqualTo(5);
    }

    @Test
    void aPipeThatIsNotFullDoesNotGrow() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT, 100 * MILLI);
        for (int i = 0; i < 100; i++) {
            assertThat(depth.answered(100 * MILLI, 1, depth.depth())).isFalse();
        }
        assertThat(depth.depth()).isEqualTo(2);
    }

    @Test
    void aPeerThatBecomesSlowIsNotBuriedInMail() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT, 100 * MILLI);
        answers(depth, 100, 100 * MILLI);
        assertThat(depth.depth()).isEqualTo(50);
        answers(depth, 100, 2000 * MILLI);
        assertThat(depth.depth()).isEqualTo(2);
    }

    @Test
    void aWayThatHasBecomeLongerIsNoticed() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT, 100 * MILLI);
        answers(depth, 10, MILLI);
        answers(depth, 2 * PipeDepth.EPOCH + 100, 100 * MILLI);
        assertThat(depth.depth()).isEqualTo(50);
    }

    @Test
    void anEpochBeginsWithAnEmptyPipe() {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT, 100 * MILLI);
        answers(depth, PipeDepth.EPOCH - 1, 100 * MILLI);
        assertThat(depth.depth()).isEqualTo(50);
        depth.answered(100 * MILLI, 50, 50);
        for (int i = 0; i < 49; i++) {
            depth.answered(100 * MILLI, 50, 50);
        }
        assertThat(depth.depth()).as("those that were still under way do not fill it again").isEqualTo(2);
    }

    @Test
    void withDataTwoAndWithoutPipeliningOne() {
        assertThat(new PipeDepth(Reach.NEXT, Ahead.DEFAULT, 100 * MILLI).depth()).isEqualTo(2);
        assertThat(new PipeDepth(Reach.ONE, Ahead.DEFAULT, 100 * MILLI).depth()).isEqualTo(1);
        PipeDepth next = new PipeDepth(Reach.NEXT, Ahead.DEFAULT, 100 * MILLI);
        answers(next, 100, 100 * MILLI);
        assertThat(next.depth()).isEqualTo(2);
    }

    private static void answers(PipeDepth depth, int count, long nanos) {
        for (int i = 0; i < count; i++) {
            depth.answered(nanos, depth.depth(), depth.depth());
        }
    }

    /// The depth after this number of messages to a peer that handles one after the other and sends
    /// its replies when it has a number of them, or no message left.
    private static int settled(long roundTripNanos, long serviceNanos, int flock, int messages) {
        PipeDepth depth = new PipeDepth(Reach.ANY, Ahead.DEFAULT, roundTripNanos);
        record UnderWay(long sent, int before, int depthThen) {}
        Deque<UnderWay> underWay = new ArrayDeque<>();
        long now = 0;
        long peerFree = 0;
        for (int answered = 0; answered < messages;) {
            while (underWay.size() < depth.depth()) {
                underWay.add(new UnderWay(now, underWay.size() + 1, depth.depth()));
            }
            int count = Math.min(flock, underWay.size());
            for (int i = 0; i < count; i++) {
                peerFree = Math.max(peerFree, underWay.stream().skip(i).findFirst().orElseThrow().sent()
                        + roundTripNanos / 2) + serviceNanos;
            }
            now = Math.max(now, peerFree + roundTripNanos / 2);
            for (int i = 0; i < count; i++) {
                UnderWay first = underWay.remove();
                depth.answered(now - first.sent(), first.before(), first.depthThen());
                answered++;
            }
        }
        return depth.depth();
    }
}
