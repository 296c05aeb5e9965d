package org.slipstream.qmgr.wake;

import java.util.ArrayList;
import java.util.List;

/// The times of the attempts for a message that is deferred each time, until it expires. They are
/// those of the queue manager when attempts take no time and the destination is never dead.
public final class RetryTimes {
    private RetryTimes() {}

    /// @param number from 1
    /// @param pauseMillis since the attempt before; 0 for the first
    /// @param afterMillis since the arrival
    /// @param latestMillis the same with the most jitter in each pause
    public record RetryAttempt(int number, long pauseMillis, long afterMillis, long latestMillis) {}

    /// The earliest and the latest times of any message. A random place follows from the seed.
    ///
    /// @param most attempts to return, at most
    public static List<RetryAttempt> range(RetryClause clause, long lifetimeMillis, long seed, int most) {
        return attempts(lifetimeMillis, most, (age, attempts) -> clause.basePauseMillis(age, attempts, seed),
                (age, attempts) -> clause.mostPauseMillis(age, attempts, seed));
    }

    /// The times of one message.
    ///
    /// @param seed its queue id
    public static List<RetryAttempt> exact(RetryClause clause, long lifetimeMillis, long seed, int most) {
        Pause pause = (age, attempts) -> clause.pauseMillis(age, attempts, seed);
        return attempts(lifetimeMillis, most, pause, pause);
    }

    private interface Pause {
        long millis(long ageMillis, int attempts);
    }

    private static List<RetryAttempt> attempts(long lifetimeMillis, int most, Pause shortest, Pause longest) {
        List<RetryAttempt> attempts = new ArrayList<>();
        attempts.add(new RetryAttempt(1, 0, 0, 0));
        while (attempts.size() < most && attempts.getLast().afterMillis() < lifetimeMillis) {
            RetryAttempt last = attempts.getLast();
            long pause = shortest.millis(last.afterMillis(), last.number());
            attempts.add(new RetryAttempt(last.number() + 1, pause, last.afterMillis() + pause,
                    last.latestMillis() + longest.millis(last.latestMillis(), last.number())));
        }
        return attempts;
    }

    /// The number of attempts until the message is returned.
    public static int count(RetryClause clause, long lifetimeMillis, long seed) {
        int attempts = 1;
        long after = 0;
        while (after < lifetimeMillis) {
            after += clause.basePauseMillis(after, attempts, seed);
            attempts++;
        }
        return attempts;
    }
}
