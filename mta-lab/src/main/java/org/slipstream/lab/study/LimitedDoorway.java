package org.slipstream.lab.study;

import org.slipstream.lab.EventList;

import java.util.random.RandomGenerator;

/// Counts sessions and turns away one too many.
///
/// The server's own limit of 10 processes is not modelled: five sessions and the connections that
/// receive a 421 are fewer, and the world's ledger shows how wide the window ever was.
final class LimitedDoorway implements Doorway {
    private final Door.Limiter door;
    private final Habits habits;
    private final EventList clock;
    private final RandomGenerator chance;
    private int sessions;

    LimitedDoorway(Door.Limiter door, Habits habits, EventList clock, RandomGenerator chance) {
        this.door = door;
        this.habits = habits;
        this.clock = clock;
        this.chance = chance;
    }

    // The count is taken when the connection comes in, as anvil(8) is asked before the greeting.
    @Override
    public void call(DoorwayCaller caller) {
        long millis = habits.greeting().millis(chance);
        if (sessions < door.most()) {
            sessions++;
            clock.after(millis, caller::greeted);
        } else {
            clock.after(millis, () -> caller.failed(TURNED_AWAY));
        }
    }

    @Override
    public void left() {
        sessions--;
    }
}
