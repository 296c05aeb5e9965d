package org.slipstream.qmgr.flow;

/// Bulk deliveries to one destination start one after the other instead of all at once.
///
/// **The problem.** A mailing finds twenty connections free and begins twenty deliveries. They take the same time, so they end
/// together, twenty others begin together, and so on to the end of the mailing. A letter is next for the first connection that
/// comes free, but all of them come free at the same moment: it waits for anything up to a whole delivery, half of one on
/// average. Twenty connections, and it makes no more of them than of one.
///
/// **The idea.** Let deliveries take the time S and let there be n slots. If they had begun S/n apart a slot would come free each
/// S/n, and that is all a letter ever waits. So the start of a bulk delivery keeps a distance of S/n from the one before it.
/// In the end this happens once for each burst: after it the slots come free at this distance by themselves, and nobody
/// is held back any more. It costs the mailing half a delivery, (n − 1)/2 · S/n, of all its time.
///
/// **Times that vary.** A slot that comes free too early stays empty until its turn, and one that comes late has missed
/// its turn; were that all, every irregularity would cost capacity. So the distance is only [#SHARE] of S/n, and missed turns are
/// made up for: whoever is late starts at once and the schedule goes on from where it was. Not without end, or a pause would
/// be followed by a burst. How many turns chance brings together follows from how much the times vary: with a mean deviation d
/// the n slots in flight stray by about (d/S)·√n turns, and [#SPREAD] times that are made up for. Equal times: half a turn, and
/// spacing is strict. Exponential times: half a dozen, and it hardly acts, which is right, because times that vary so much
/// keep slots apart by themselves. S and d are learned as TCP learns its round trip (RFC 6298 section 2.3).
///
/// **Letters.** A message with one delivery to make there is not held back. While a bulk delivery waits for its turn a letter takes the free
/// slot without having to pass anybody, and so without price. Not without end, or a stream of letters would live on what was the
/// mailing's: for each `delivery_slot_cost` bulk starts one letter may go in front in this way, which is the price of the
/// preemptive list again, with its loan. What is more waits for the turn, and there the order of service decides as always.
///
/// **When it would not matter** there is no distance: while it is not known what a delivery takes; for one slot; below
/// [#LEAST_SERVICE_MILLIS], where a letter waits little anyway and thousands of messages a second are to have no timer;
/// below [#LEAST_DISTANCE_MILLIS], which a millisecond clock cannot keep.
///
/// **Bounds.** From the last start, or from when a slot comes free, a bulk delivery waits for one distance at most. All is O(1).
///
/// This is ours; Postfix starts what it can. The remedy is known from TCP, where a sender that paces its window over the round trip
/// does it for the same reason (Aggarwal, Savage and Anderson, INFOCOM 2000).
public final class Spacing {
    static final double SHARE = 0.95;
    static final double LEAST_MADE_UP_TURNS = 0.5;
    static final double SPREAD = 2;

    /// A long mailing does not save up for more letters at once than this.
    static final int MOST_SAVED_PASSES = 20;
    static final long LEAST_SERVICE_MILLIS = 200;
    static final double LEAST_DISTANCE_MILLIS = 10;
    private static final double SERVICE_GAIN = 1.0 / 8;
    private static final double DEVIATION_GAIN = 1.0 / 4;

    /// What a delivery takes; 0 when nothing is known.
    private double serviceMillis;

    /// How far from that it is as a rule.
    private double deviationMillis;

    /// When the next start has its turn.
    private double nextMillis = Double.NEGATIVE_INFINITY;

    /// Bulk starts that no letter has been let in front of.
    private int saved;

    private final int cost;
    private final int mostSaved;

    /// @param cost bulk starts for which one letter may go in front (`delivery_slot_cost`)
    /// @param loan letters for which none are needed (`delivery_slot_loan`)
    public Spacing(int cost, int loan) {
        this.cost = cost;
        this.saved = cost * loan;
        this.mostSaved = cost * Math.max(loan, MOST_SAVED_PASSES);
    }

    /// A bulk delivery that had a slot for itself took so long.
    public void took(long millis) {
        if (serviceMillis == 0) {
            serviceMillis = millis;
        } else {
            deviationMillis += (Math.abs(millis - serviceMillis) - deviationMillis) * DEVIATION_GAIN;
            serviceMillis += (millis - serviceMillis) * SERVICE_GAIN;
        }
    }

    /// Nothing is held back before something of this destination is known to take so long.
    public boolean isOfUse(int slots) {
        return serviceMillis >= LEAST_SERVICE_MILLIS && slots > 1 && distanceMillis(slots) >= LEAST_DISTANCE_MILLIS;
    }

    /// What lies between two starts.
    public double distanceMillis(int slots) {
        return SHARE * serviceMillis / slots;
    }

    /// A bulk delivery starts.
    ///
    /// @param slots deliveries that may run at once
    public void started(long nowMillis, int slots) {
        saved = Math.min(saved + 1, mostSaved);
        if (isOfUse(slots)) {
            double distance = distanceMillis(slots);
            nextMillis = Math.max(nextMillis, nowMillis - madeUpTurns(slots) * distance) + distance;
        }
    }

    /// So many missed turns are made up for.
    private double madeUpTurns(int slots) {
        return LEAST_MADE_UP_TURNS + SPREAD * deviationMillis / serviceMillis * Math.sqrt(slots);
    }

    /// When the next bulk delivery may start; in the past for at once.
    public long turnMillis() {
        return nextMillis == Double.NEGATIVE_INFINITY ? Long.MIN_VALUE : (long) Math.ceil(nextMillis);
    }

    /// A letter may go while a bulk delivery waits for its turn.
    public boolean maySinglePass() {
        return saved >= cost;
    }

    /// It does.
    public void singlePassed() {
        saved -= cost;
    }
}
