package org.slipstream.lab.study;

import org.slipstream.lab.EventList;

import java.util.random.RandomGenerator;

/// Hands connections to its servers in turn, of which the last is broken: each K-th connection ends
/// before the greeting.
final class BalancedDoorway implements Doorway {
    private final Door.Balanced door;
    private final Habits habits;
    private final EventList clock;
    private final RandomGenerator chance;
    private long calls;

    BalancedDoorway(Door.Balanced door, Habits habits, EventList clock, RandomGenerator chance) {
        this.door = door;
        this.habits = habits;
        this.clock = clock;
        this.chance = chance;
    }

    @Override
    public void call(DoorwayCaller caller) {
        boolean broken = ++calls % door.servers() == 0;
        clock.after(habits.greeting().millis(chance), broken ? () -> caller.failed(DROPPED) : caller::greeted);
    }

    @Override
    public void left() {
        // The good servers take any number of sessions.
    }
}
