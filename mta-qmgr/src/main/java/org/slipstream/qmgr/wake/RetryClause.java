package org.slipstream.qmgr.wake;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/// A retry policy under its name: its curve, the longest pause, the jitter, and the policies that
/// replace it for single classes of errors.
///
/// **Jitter** only lengthens a pause, so a time that greylisting or a hint of the peer requires
/// still passes. It follows from the queue id and the number of the attempt; a replay gives the
/// same times.
///
/// @param longestMillis no pause is longer, without the jitter
/// @param lifetimeMillis age at which a deferred recipient fails, if the lifetime of the queue does not end earlier
/// @param jitterPercent by which a pause is longer at most
/// @param others the names of other policies, by class of error
public record RetryClause(String name, RetryPolicy policy, long longestMillis, long lifetimeMillis,
        int jitterPercent, Map<ErrorClass, String> others) {
    public RetryClause {
        Map<ErrorClass, String> copy = new EnumMap<>(ErrorClass.class);
        copy.putAll(others);
        others = Collections.unmodifiableMap(copy);
    }

    /// The pause of this message before its next attempt.
    ///
    /// @param seed the queue id
    public long pauseMillis(long ageMillis, int attempts, long seed) {
        long pause = basePauseMillis(ageMillis, attempts, seed);
        return pause + (long) (pause * (jitterPercent / 100.0) * Seeds.fraction(seed, attempts));
    }

    /// The pause without jitter.
    public long basePauseMillis(long ageMillis, int attempts, long seed) {
        return Math.min(longestMillis, policy.pauseMillis(ageMillis, attempts, seed));
    }

    /// The pause with the most jitter.
    public long mostPauseMillis(long ageMillis, int attempts, long seed) {
        long pause = basePauseMillis(ageMillis, attempts, seed);
        return pause + (long) (pause * (jitterPercent / 100.0));
    }

    /// No pause is longer than this.
    public long furthestMillis() {
        long longest = Math.min(longestMillis, policy.longestMillis());
        return longest + (long) (longest * (jitterPercent / 100.0));
    }
}
