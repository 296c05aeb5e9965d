package org.slipstream.qmgr.flow;

import java.util.ArrayDeque;
import java.util.Deque;

/// Spaces the starts of bulk deliveries to one destination, so that connections become free one
/// after the other. A message with a single delivery then waits for a fraction of a delivery
/// instead of half a delivery.
///
/// **The problem.** A mailing finds twenty connections free and starts twenty deliveries. They take
/// the same time, so they end together, twenty others start together, and so on to the end of the
/// mailing. A single message is next for the first free connection, but all connections become free
/// at the same moment: it waits for up to a whole delivery, half of one on average. Twenty
/// connections then serve it no better than one.
///
/// **The idea.** Let deliveries take the time S, with n slots. With starts S/n apart, a slot
/// becomes free every S/n, and that is the longest wait of a single message. So bulk deliveries
/// have turns with a distance of S/n. The delay occurs once per burst: afterwards the slots become
/// free at this distance by themselves. The price is (n − 1)/2 · S/n, almost half a delivery, at the
/// end of the mailing.
///
/// **No more turns than needed.** As long as no single message comes, a slot every
/// [#ALONE_DISTANCE_MILLIS] is enough: the first single message then waits about that long at most.
/// With c such turns in a delivery, slots are held back for those turns that have no delivery yet,
/// c − 1 in the first round, and all other slots start at once ([#mayStart]). The price is
/// (c − 1)/2 · S/n.
/// A single message makes the turns dense for [#DENSE_MILLIS]. The other slots then take their
/// places between the turns, one after the other.
///
/// **Varying durations.** A slot that becomes free too early stays empty until its turn, and one
/// that becomes free late misses its turn; without correction, every irregularity would cost
/// capacity. So the distance is only [#SHARE] of that, and missed turns are made up for: a late
/// delivery starts at once and the schedule continues from its previous time. This is bounded, or a
/// pause would be followed by a burst. With a mean deviation d the n slots in flight deviate by
/// about (d/S)·√n turns, and [#SPREAD] times that are made up for. Equal durations: half a turn, so
/// spacing is strict. Exponential durations: half a dozen, so spacing has little effect, which is
/// right, because such durations keep slots apart by themselves. S and d are estimated as TCP
/// estimates its round trip (RFC 6298 section 2).
///
/// **Single messages.** A message with one delivery left at the destination is not held back. While
/// a bulk delivery waits for its turn, a single message takes the free slot at no cost. This is
/// bounded, or a stream of single messages would use up the mailing's capacity: for each
/// `delivery_slot_cost` bulk starts one single message may pass in this way, which is the price of
/// the preemptive list, with its loan. Further single messages wait for the turn, and there the
/// scheduler decides as always.
///
/// **No distance** applies in these cases: the duration is unknown; there is one slot; the duration
/// is below [#LEAST_SERVICE_MILLIS], where a single message waits little and thousands of messages
/// a second should not need timers; the distance is below [#LEAST_DISTANCE_MILLIS], which a
/// millisecond clock cannot keep.
///
/// **Bounds.** After the last turn, or after a slot becomes free, a bulk delivery waits for one
/// distance at most. Operations are O(1) on average, and the memory is one number for each slot.
///
/// This algorithm is our own; Postfix starts every delivery that it can. TCP pacing, which spreads
/// a window over the round trip, has the same purpose (Aggarwal, Savage and Anderson, INFOCOM
/// 2000).
public final class Spacing {
    static final double SHARE = 0.95;
    static final double LEAST_MADE_UP_TURNS = 0.5;
    static final double SPREAD = 2;

    /// The distance of turns as long as no single message comes: a wait that people do not notice.
    static final double ALONE_DISTANCE_MILLIS = 150;

    /// How long a single message keeps the turns dense.
    static final long DENSE_MILLIS = 60_000;

    /// The largest number of passes that a long mailing can save.
    static final int MOST_SAVED_PASSES = 20;
    static final long LEAST_SERVICE_MILLIS = 200;
    static final double LEAST_DISTANCE_MILLIS = 10;
    private static final double SERVICE_GAIN = 1.0 / 8;
    private static final double DEVIATION_GAIN = 1.0 / 4;

    /// Estimated duration of a delivery; 0 when unknown.
    private double serviceMillis;

    /// Estimated mean deviation of the duration.
    private double deviationMillis;

    /// Time of the next turn.
    private double nextMillis = Double.NEGATIVE_INFINITY;

    /// The turns of the last S that a bulk delivery took, the oldest first.
    private final Deque<Long> taken = new ArrayDeque<>();

    /// Until this time the turns are dense.
    private long denseUntilMillis = Long.MIN_VALUE;

    /// Bulk starts that have not paid for a pass yet.
    private int saved;

    private final int cost;
    private final int mostSaved;

    /// @param cost bulk starts per pass of a single message (`delivery_slot_cost`)
    /// @param loan passes granted in advance (`delivery_slot_loan`)
    public Spacing(int cost, int loan) {
        this.cost = cost;
        this.saved = cost * loan;
        this.mostSaved = cost * Math.max(loan, MOST_SAVED_PASSES);
    }

    /// Records the duration of a bulk delivery that had its own slot.
    public void took(long millis) {
        if (serviceMillis == 0) {
            serviceMillis = millis;
        } else {
            deviationMillis += (Math.abs(millis - serviceMillis) - deviationMillis) * DEVIATION_GAIN;
            serviceMillis += (millis - serviceMillis) * SERVICE_GAIN;
        }
    }

    /// True when spacing applies; without a measured duration it does not.
    public boolean isOfUse(int slots) {
        return serviceMillis >= LEAST_SERVICE_MILLIS && slots > 1
                && SHARE * serviceMillis / slots >= LEAST_DISTANCE_MILLIS;
    }

    /// The distance between two turns.
    private double distanceMillis(long nowMillis, int slots) {
        return SHARE * serviceMillis / turns(nowMillis, slots);
    }

    /// The turns in the time of a delivery.
    private int turns(long nowMillis, int slots) {
        return nowMillis < denseUntilMillis
                ? slots
                : Math.min(slots, (int) Math.ceil(serviceMillis / ALONE_DISTANCE_MILLIS));
    }

    /// A bulk delivery starts, in its turn or as one of the slots that no turn needs.
    ///
    /// @param slots deliveries that may run at once
    public void started(long nowMillis, int slots) {
        saved = Math.min(saved + 1, mostSaved);
        if (isOfUse(slots) && nextMillis <= nowMillis) {
            double distance = distanceMillis(nowMillis, slots);
            // Before the first turn none was missed.
            nextMillis = taken.isEmpty()
                    ? nowMillis + distance
                    : Math.max(nextMillis, nowMillis - madeUpTurns(slots) * distance) + distance;
            taken.addLast(nowMillis);
            while (taken.size() > slots || taken.getFirst() <= nowMillis - serviceMillis) {
                taken.removeFirst();
            }
        }
    }

    /// True when a bulk delivery may start: its turn has come, or the other free slots are enough for
    /// the turns that have no delivery.
    ///
    /// @param free slots, at least one
    public boolean mayStart(long nowMillis, int slots, int free) {
        return turnMillis() <= nowMillis || free > turnsWithoutDelivery(nowMillis, slots);
    }

    private long turnsWithoutDelivery(long nowMillis, int slots) {
        return turns(nowMillis, slots) - taken.stream().dropWhile(turn -> turn <= nowMillis - serviceMillis).count();
    }

    /// The number of missed turns that are made up for.
    private double madeUpTurns(int slots) {
        return LEAST_MADE_UP_TURNS + SPREAD * deviationMillis / serviceMillis * Math.sqrt(slots);
    }

    /// The earliest start of the next bulk delivery; a time in the past means at once.
    public long turnMillis() {
        return nextMillis == Double.NEGATIVE_INFINITY ? Long.MIN_VALUE : (long) Math.ceil(nextMillis);
    }

    /// True when a single message may pass a waiting bulk delivery.
    public boolean maySinglePass() {
        return saved >= cost;
    }

    /// A single message passed.
    public void singlePassed() {
        saved -= cost;
    }

    /// A single message starts, in its turn or not.
    public void singleStarted(long nowMillis) {
        denseUntilMillis = nowMillis + DENSE_MILLIS;
    }
}
