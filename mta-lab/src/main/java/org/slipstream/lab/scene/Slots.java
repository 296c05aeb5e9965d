package org.slipstream.lab.scene;

import java.util.BitSet;

/// Numbers of connections in pictures and lists: each connection gets the smallest number that is
/// free.
final class Slots {
    private final BitSet taken = new BitSet();

    int take() {
        int slot = taken.nextClearBit(1);
        taken.set(slot);
        return slot;
    }

    void leave(int slot) {
        taken.clear(slot);
    }
}
