package org.slipstream.lab.study;

import org.slipstream.core.Reply;
import org.slipstream.lab.EventList;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;

/// A server whose processes are all busy and whose kernel queue is full, with clients that give up
/// after a timeout.
///
/// A call is in one of four places: *served*, in the *queue*, *outside*, or *gone*. Outside it
/// retries: the first packet found the queue full, and one of the two sides repeats itself after so
/// many seconds ([Door.Overflow]). In between, the place that a served client leaves is taken by
/// the next packet, and that is nearly always one of a new call. A new call comes a few
/// milliseconds after a client has left, and a call outside retries every few seconds. So a call
/// outside stays there until its timeout: this is the whole mechanism of both studies, and why the
/// deferred share is the number of outsiders divided by the timeout.
///
/// A client that gives up in the queue keeps its place, since the kernel hands a closed connection
/// to a process like any other. The process finds no client there and takes the next.
final class CongestedDoorway implements Doorway {
    private static final long SECOND = 1_000;

    private enum Place {
        OUTSIDE, QUEUE, SERVED, GONE
    }

    private static final class Call {
        final DoorwayCaller caller;
        final long since;
        Place place = Place.OUTSIDE;

        Call(DoorwayCaller caller, long since) {
            this.caller = caller;
            this.since = since;
        }
    }

    private final Door.Congested door;
    private final Habits habits;
    private final EventList clock;
    private final RandomGenerator chance;
    private final Deque<Call> queue = new ArrayDeque<>();
    private int busy;

    CongestedDoorway(Door.Congested door, Habits habits, EventList clock, RandomGenerator chance) {
        this.door = door;
        this.habits = habits;
        this.clock = clock;
        this.chance = chance;
    }

    @Override
    public void call(DoorwayCaller caller) {
        Call call = new Call(caller, clock.now());
        if (!enters(call)) {
            switch (door.overflow()) {
                case SYN_IS_DROPPED ->
                    clock.at(call.since + Setup.CONNECT_TIMEOUT_MILLIS, () -> giveUp(call, CONNECT_TIMEOUT));
                case ACK_IS_DROPPED -> awaitGreeting(call, call.since);
            }
            knockAgain(call, 0);
        }
    }

    private void knockAgain(Call call, int time) {
        if (time < door.overflow().againSeconds.size()) {
            clock.at(call.since + door.overflow().againSeconds.get(time) * SECOND, () -> {
                if (call.place == Place.OUTSIDE && !enters(call)) {
                    knockAgain(call, time + 1);
                }
            });
        }
    }

    /// Whether there was room.
    private boolean enters(Call call) {
        if (busy < door.processes()) {
            serve(call);
        } else if (queue.size() < door.places()) {
            call.place = Place.QUEUE;
            queue.add(call);
            if (door.overflow() == Door.Overflow.SYN_IS_DROPPED) {
                awaitGreeting(call, clock.now());
            }
        } else {
            return false;
        }
        return true;
    }

    private void awaitGreeting(Call call, long connectedMillis) {
        clock.at(connectedMillis + Setup.GREETING_TIMEOUT_MILLIS, () -> giveUp(call, GREETING_TIMEOUT));
    }

    private void giveUp(Call call, Reply reason) {
        boolean late = reason == CONNECT_TIMEOUT ? call.place == Place.OUTSIDE : call.place != Place.SERVED;
        if (late && call.place != Place.GONE) {
            call.place = Place.GONE;
            call.caller.failed(reason);
        }
    }

    private void serve(Call call) {
        call.place = Place.SERVED;
        busy++;
        clock.after(habits.greeting().millis(chance), call.caller::greeted);
    }

    @Override
    public void left() {
        busy--;
        while (busy < door.processes() && !queue.isEmpty()) {
            Call next = queue.remove();
            if (next.place == Place.QUEUE) {
                serve(next);
            }
        }
    }
}
