package org.slipstream.qmgr;

import java.util.Random;
import java.util.random.RandomGenerator;

/// The random numbers of a queue manager, made from one seed: the same seed gives the same numbers
/// in the server, in the simulation and in a replay.
public final class SeededChance {
    private SeededChance() {}

    /// Chooses among equal hosts. A generator of its own, so that such a choice changes nothing
    /// else.
    public static RandomGenerator ofHosts(long seed) {
        return new Random(seed);
    }

    /// For the order of service.
    public static RandomGenerator ofOrder(long seed) {
        return new Random(~seed);
    }
}
