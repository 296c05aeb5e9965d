package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.Pipeline.Reach;

/// How many unanswered messages keep one connection busy.
///
/// A connection is a pipe: what was written is on its way to the peer, in the peer's hands, or on its way back as a reply. With a
/// round trip of R and a peer that needs T for a message, 1 + R/T messages in the pipe keep the peer at work all the time. Fewer
/// leave it waiting; each further one only waits in front of it, is more to redo when the connection breaks, and is one that
/// another connection could have carried. Neither R nor T is known and both change, but their sum is seen with every message, from its last
/// byte to its final reply. The shortest time seen, `base`, is what a message takes that meets nobody: R + T. What it takes longer
/// than that, it has waited for others.
///
/// TCP Vegas asks the same question of a path (Brakmo and Peterson, 1995) and answers it with a count: there are
/// `depth · (1 − base / now)` packets waiting, and two to four are right. Mail servers spoil that. They send replies when there is
/// nothing left to read, so messages travel in flocks: the whole flock waits for its last message, and a flock of n looks like a
/// line of n²T / (R + nT), long before the pipe is full. (With R = 100 ms and T = 2 ms Vegas stops at 13 of 51.) So the time is
/// judged, not the count:
///
/// - less than [#GROW] times the base: one more with each answer, so the depth doubles with each round trip and
///   50 are reached in five;
/// - more than [#SHRINK] times the base: one less with each answer.
///
/// With flocks, now = R + nT, so growth ends when the peer works for two of three moments; without, when twice the round trip
/// stands in line. A near peer, where R is nothing, gets about four.
///
/// A depth that nobody filled says nothing, and neither does a message that was sent when the depth was a greater one, so those do not
/// count for growth. The base is the shortest of the last one to two times [#EPOCH] messages, so that a path that has become longer
/// is noticed; and because a base that is only ever seen through a line of our own making would creep up, and the depth
/// after it, each epoch begins with a depth of two.
///
/// **When one is enough.** Between a final reply and the next message lies a pause: a round trip, and what we ourselves need to
/// turn around ([#TURN_NANOS]). With a peer that needs [#SLOW] times as long for a message, nothing worth having is won by a second
/// one on the way, and it loses what it had: while it waits in our queue a more urgent one may pass it, on the
/// connection nothing can. So the depth of such a connection is one. The round trip is taken from the handshake.
///
/// DATA has one message of content under way and the next envelope with it ([Reach#NEXT]); more would not help.
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

    /// @param roundTripNanos as far as is known
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

    /// A message was answered.
    ///
    /// @param nanos from its last byte to its final reply
    /// @param underWay messages under way when it was begun, itself among them
    /// @param depthThen the depth at that time
    /// @return true when the depth is another one now
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
