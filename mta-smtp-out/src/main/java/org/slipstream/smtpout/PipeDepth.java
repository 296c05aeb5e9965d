package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.Pipeline.Reach;

/// The number of unanswered messages that keeps one connection busy.
///
/// A connection is a pipe: a message is on its way to the peer, at the peer, or its reply is on the
/// way back. With a round trip of R and a peer that needs T for a message, 1 + R/T messages in the
/// pipe keep the peer busy all the time. With fewer, the peer waits. Each further message only
/// queues at the peer, must be sent again when the connection breaks, and could have used another
/// connection. Neither R nor T is known and both change, but their sum is measured with every
/// message, from its last byte to its final reply. The shortest time measured, `base`, is that of a
/// message without others before it: R + T. Any further time was spent queueing.
///
/// TCP Vegas solves the same problem for a network path (Brakmo and Peterson, 1995) by a count:
/// `depth · (1 − base / now)` packets are queued, and two to four are right. Mail servers defeat
/// that count. They send replies when no more input is available, so messages travel in batches:
/// the whole batch waits for its last message, and a batch of n looks like a queue of n²T / (R +
/// nT), long before the pipe is full. (With R = 100 ms and T = 2 ms Vegas stops at 13 of 51.) So
/// the time decides, not the count:
///
/// - less than [#GROW] times the base: one more with each reply, so the depth doubles with each
///   round trip and 50 are reached in five;
/// - more than [#SHRINK] times the base: one less with each reply.
///
/// With batches, now = R + nT, so growth ends when the peer is busy two thirds of the time;
/// without, when the queue takes twice the round trip. A near peer, where R is almost zero, gets
/// about four.
///
/// A depth that was not reached shows nothing, and neither does a message that was sent at a
/// greater depth, so these do not count for growth. The base is the minimum of the last one to two
/// times [#EPOCH] messages, so that a longer path is noticed. A base measured only through our own
/// queue would creep up, and the depth with it, so each epoch begins with a depth of two.
///
/// **When one is enough.** Between a final reply and the next message lies a pause: a round trip,
/// and our own turnaround ([#TURN_NANOS]). With a peer that needs [#SLOW] times as long for a
/// message, a second message on the way gains almost nothing. It also loses something: in our queue
/// a more urgent message can overtake it, on the connection nothing can. So the depth of such a
/// connection is one. The round trip is measured in the handshake.
///
/// DATA has the content of one message under way and the next envelope with it ([Reach#NEXT]); more
/// does not help.
final class PipeDepth {
    static final int GROW = 3;
    static final int SHRINK = 5;
    static final int EPOCH = 5000;
    static final int SLOW = 10;
    static final long TURN_NANOS = 1_000_000;

    private final int most;
    private final long pauseNanos;
    private int depth;
    private long baseNanos = Long.MAX_VALUE;
    private long nextBaseNanos = Long.MAX_VALUE;
    private int answers;

    /// @param roundTripNanos measured in the handshake
    PipeDepth(Reach reach, ClientConfig.Ahead bounds, long roundTripNanos) {
        this.most = switch (reach) {
            case ONE -> 1;
            case NEXT -> Math.min(2, bounds.messages());
            case ANY -> bounds.messages();
        };
        this.pauseNanos = Math.min(roundTripNanos, Long.MAX_VALUE / SLOW - TURN_NANOS) + TURN_NANOS;
        this.depth = Math.min(bounds.first(), most);
    }

    int depth() {
        return depth;
    }

    /// Adapts the depth to the time of a message.
    ///
    /// @param nanos from its last byte to its final reply
    /// @param underWay messages under way when it began, including itself
    /// @param depthThen the depth at that time
    /// @return true when the depth has changed
    boolean answered(long nanos, int underWay, int depthThen) {
        int before = depth;
        remember(Math.max(1, nanos));
        boolean tells = underWay >= depthThen && depthThen <= depth;
        if (isSlow()) {
            depth = 1;
        } else if (tells && nanos / GROW < baseNanos) {
            depth = Math.min(most, depth + 1);
        } else if (nanos / SHRINK > baseNanos) {
            depth = Math.max(least(), depth - 1);
        }
        return depth != before;
    }

    private boolean isSlow() {
        return baseNanos != Long.MAX_VALUE && baseNanos > SLOW * pauseNanos;
    }

    private int least() {
        return isSlow() ? 1 : Math.min(2, most);
    }

    private void remember(long nanos) {
        if (++answers % EPOCH == 0) {
            baseNanos = nextBaseNanos;
            nextBaseNanos = Long.MAX_VALUE;
            depth = least();
        }
        nextBaseNanos = Math.min(nextBaseNanos, nanos);
        baseNanos = Math.min(baseNanos, nanos);
    }
}
