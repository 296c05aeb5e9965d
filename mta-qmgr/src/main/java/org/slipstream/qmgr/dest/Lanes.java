package org.slipstream.qmgr.dest;

import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.Rate;

import java.util.List;
import java.util.Optional;

/// The part of each limit that this queue manager may use: all of it, or with several shards the lanes that it holds.
public interface Lanes {
    /// Other limits of what destinations share. Surplus lanes go back as they become free.
    default void change(QmgrConfig settings) {}

    /// The rate of a destination in the new settings.
    default void rateIs(DestinationQueue queue, Optional<Rate> rate) {}

    /// A destination is in memory.
    default void enter(DestinationQueue queue) {}

    /// The destination leaves memory.
    default void leave(DestinationQueue queue) {}

    default Optional<DestinationQueue> find(LimitKey key) {
        return Optional.empty();
    }

    // ---- windows

    /// The part of the window that may be used here.
    default int limit(DestinationQueue queue, int window) {
        return window;
    }

    /// The window changed.
    default void windowIs(DestinationQueue queue, int window) {}

    /// True when lanes of others keep deliveries from testing the window.
    default boolean isHeldBack(DestinationQueue queue) {
        return false;
    }

    /// A destination whose window counts deliveries asks before one is refused, because the
    /// scheduler never selects it without a lane.
    default void needWindow(DestinationQueue queue, int window, int deliveries) {}

    default void needRate(DestinationQueue queue, Rate rate) {}

    // ---- lacks

    /// The lanes that the next delivery lacks, in the order of the limits; empty when others
    /// are not the reason for which it waits.
    ///
    /// @param window of the destination
    default List<LackingLane> lacks(Message message, DestinationQueue queue, int window, boolean mayOpen) {
        return List.of();
    }

    /// Asks for the lanes that the next deliveries lack.
    default void need(List<LackingLane> lacks, DestinationQueue queue) {}

    default Optional<LackingLane> lackOfRate(DestinationQueue queue, Rate rate) {
        return Optional.empty();
    }

    /// The reason for which a delivery waits.
    default String words(LackingLane lack) {
        throw new IllegalStateException("no lane is lacking: " + lack);
    }

    // ---- events

    default void happened(QmgrEvent.LeaseEvent event) {
        throw new ImpossibleEventException("no limit is shared: " + event);
    }

    /// The destinations that may ask for lanes again, because the lanes that come before theirs are
    /// here. Others ask for these first.
    default List<DestinationQueue> mayAskAgain() {
        return List.of();
    }

    /// An event that is not about lanes. True when deliveries are to be selected again, because a
    /// question of theirs was left out.
    default boolean renew() {
        return false;
    }

    /// Destinations with mail that the scheduler does not select without a lane.
    default List<DestinationQueue> withoutRoom() {
        return List.of();
    }

    /// Returns lanes and hands out the orders.
    ///
    /// @param chosen see [org.slipstream.qmgr.shard.Leases#settle]
    default void settle(boolean chosen) {}

    /// The time at which the next token of a rate can go back.
    default long nextMillis(long nowMillis) {
        return Long.MAX_VALUE;
    }

    /// One queue manager with all limits.
    record WholeLanes() implements Lanes {}
}
