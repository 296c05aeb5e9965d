package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.Pipeline.Reach;

/// How many unanswered messages keep one connection busy.
///
/// A connection is a pipe: what was written is on its way to the peer, in the peer's hands, or on its way back as a reply. With a
/// round trip of R and a peer that needs T for a message, 1 + R/T messages in the pipe keep the peer at work all the time. Fewer
/// leave it waiting; each further one only waits in front of it, is more to redo when the connection breaks, and is one that
/// another connection could have carried. Neither R nor T is known and both change, but their sum is seen with every message, from its last
/// byte to its final reply.
///
/// That is the question that TCP Vegas asks of a path (Brakmo and Peterson, 1995), with messages for packets: the shortest time seen
/// is what a message takes that meets nobody, `base`. With `depth` messages under way and a time of `now` each, `depth · base / now` of
/// them are in the pipe and the others,
///
/// ```
/// waiting = depth · (1 − base / now)
/// ```
///
/// stand in line before the peer. With fewer than [#FEW] in line the depth grows by one with each answer, so it doubles with each round
/// trip, and 50 are reached in five; with more than [#MANY] it shrinks by one. In between the peer always finds the next
/// message waiting, and that is all there is to gain.
///
/// A depth that nobody filled says nothing, so only messages that were sent with a full pipe count for growth. The base is the
/// shortest of the last one to two times [#EPOCH] messages, so that a path that has become longer is noticed. A base that is only
/// ever seen through our own line would creep up, and the depth after it; so each epoch begins with half the depth, which costs
/// half a round trip.
///
/// DATA has one message of content under way and the next envelope with it ([Reach#NEXT]); more would not help.
final class PipeDepth {
    static final int FEW = 2;
    static final int MANY = 4;
    static final int EPOCH = 1000;

    private final int least;
    private final int most;
    private int depth;
    private long baseNanos = Long.MAX_VALUE;
    private long nextBaseNanos = Long.MAX_VALUE;
    private int answers;

    PipeDepth(Reach reach, ClientConfig.Ahead bounds) {
        this.most = switch (reach) {
            case ONE -> 1;
            case NEXT -> Math.min(2, bounds.messages());
            case ANY -> bounds.messages();
        };
        this.least = Math.min(2, most);
        this.depth = Math.min(bounds.first(), most);
    }

    int depth() {
        return depth;
    }

    /// A message was answered.
    ///
    /// @param nanos from its last byte to its final reply
    /// @param full it was sent with as many under way as the depth allowed
    /// @return true when the depth is another one now
    boolean answered(long nanos, boolean full) {
        int before = depth;
        remember(Math.max(1, nanos));
        double waiting = depth * (1 - (double) baseNanos / Math.max(1, nanos));
        if (waiting < FEW && full) {
            depth = Math.min(most, depth + 1);
        } else if (waiting > MANY) {
            depth = Math.max(least, depth - 1);
        }
        return depth != before;
    }

    private void remember(long nanos) {
        if (++answers % EPOCH == 0) {
            baseNanos = nextBaseNanos;
            nextBaseNanos = Long.MAX_VALUE;
            depth = Math.max(least, depth / 2);
        }
        nextBaseNanos = Math.min(nextBaseNanos, nanos);
        baseNanos = Math.min(baseNanos, nanos);
    }
}
