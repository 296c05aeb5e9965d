package org.slipstream.qmgr.wake;

/// Numbers that look random and follow from a seed: the same seed and place give the same number.
///
/// The mixing function is that of SplitMix64 (Steele, Lea, Flood 2014). A generator with a state
/// would give other numbers after a restart.
final class Seeds {
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private Seeds() {}

    /// A number from 0 to `bound` - 1.
    static int below(int bound, long seed, int place) {
        return (int) Long.remainderUnsigned(mixed(seed, place), bound);
    }

    /// A number from 0, inclusive, to 1, exclusive.
    static double fraction(long seed, int place) {
        return (mixed(seed, place) >>> 11) * 0x1.0p-53;
    }

    private static long mixed(long seed, int place) {
        long z = mix(seed + GOLDEN_GAMMA) + place * GOLDEN_GAMMA;
        return mix(z);
    }

    private static long mix(long value) {
        long z = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
