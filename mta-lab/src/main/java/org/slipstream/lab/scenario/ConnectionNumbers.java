package org.slipstream.lab.scenario;

import java.util.BitSet;

/// The numbers of connections in pictures and lists. A connection gets the smallest number that no
/// open connection has.
final class ConnectionNumbers {
    private final BitSet taken = new BitSet();

    int take() {
        int number = taken.nextClearBit(1);
        taken.set(number);
        return number;
    }

    void free(int number) {
        taken.clear(number);
    }
}
