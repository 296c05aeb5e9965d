package org.slipstream.qmgr.flow;

/// How many deliveries to one destination may run at once, learned from what deliveries meet.
///
/// **The idea** (Wietse Venema, Postfix 2.5 concurrency scheduler). Nobody tells us how much a server can bear. So begin with
/// little, go up while sessions work, go down when connections or handshakes fail, and give up when nothing works at all.
/// The window is to TCP's congestion window what a delivery is to a packet, with one difference: a server that
/// limits its clients refuses by connection, so every failed connection is mail that waits for minutes. Going up must be
/// careful and going down quick.
///
/// **Hysteresis.** Feedback is collected in two counters. A working session adds g to `success`; a full point makes
/// the window one larger. A failure takes f from `failure`; *below zero* the window becomes one smaller and the counter
/// is raised by a point. So the window grows at the end of a cycle of 1/g good deliveries, but shrinks at the *start* of a cycle
/// of 1/f bad ones: the first failure acts at once (PF-03, PF-04). Each step clears the other counter, otherwise a
/// rare failure would be remembered for ever.
///
/// **Not too far ahead** (PF-11). A quiet destination would let the window grow without ever being tested; when trouble came,
/// dozens of failures would be needed before the window bites. Feedback is positive only when the window is smaller than
/// what runs plus the initial window.
///
/// **Cohorts** (PF-07, PF-08). A failure counts 1/window: when a whole window full of deliveries has failed without one success
/// between, that is one failed cohort, a pseudo-cohort since deliveries start and end as they like. More
/// than the limit of them, and the destination is dead. Wide windows survive a few failures, narrow ones do not.
///
/// **What the choice of f means** (PF-14). A server that takes N connections and answers the next with 421: the window goes up to N+1,
/// fails, steps back to N, and needs ⌈1/g⌉ good cycles to come again. With equal feedbacks x the share of refused
/// mail is near 1/(1+⌈1/f⌉): one in six for 1/N at N = 5, one in four for 1/√N, one in two for 1. Less aggressive feedback
/// is the remedy, not a smaller limit.
///
/// The text of [#good] and [#bad] is the published pseudo-code; [FeedbackVariant] answers its comparisons.
final class Window {
    private final FlowRules rules;
    private int size;
    private double success;
    private double failure;
    private double failedCohorts;
    private double feedback;

    Window(FlowRules rules) {
        this.rules = rules;
        this.size = rules.initialConcurrency();
    }

    /// A session worked.
    ///
    /// @param running deliveries to the destination, the one that is reported included
    void good(int running) {
        failedCohorts = 0;
        feedback = 0;
        boolean tested = size < running + rules.initialConcurrency();
        if (tested && rules.variant().counts(size, rules.concurrencyLimit())) {
            feedback = rules.variant().amount(rules.positive(), size);
            success += feedback;
            while (rules.variant().grows(success, feedback)) {
                size++;
                success--;
                failure = 0;
            }
            if (rules.concurrencyLimit() > 0) {
                size = Math.min(size, rules.concurrencyLimit());
            }
        }
    }

    /// A connection or handshake failed. True when that was one too many.
    boolean bad() {
        failedCohorts += 1.0 / size;
        feedback = 0;
        if (rules.variant().kills(failedCohorts, rules.failedCohortLimit(), size)) {
            return true;
        }
        feedback = -rules.variant().amount(rules.negative(), size);
        failure += feedback;
        while (rules.variant().shrinks(failure, -feedback)) {
            size--;
            failure++;
            success = 0;
        }
        size = Math.max(size, 1);
        return false;
    }

    /// A dead destination lives again: it is given what runs there at present, or a fresh start (PF-09).
    void revive(int running) {
        size = running > 0 ? running : rules.initialConcurrency();
        success = 0;
        failure = 0;
        failedCohorts = 0;
    }

    /// The pause of a rate-limited destination is over.
    void resume() {
        size = 1;
    }

    int size() {
        return size;
    }

    double success() {
        return success;
    }

    double failure() {
        return failure;
    }

    double failedCohorts() {
        return failedCohorts;
    }

    /// What the last session counted: above 0 when it worked, below 0 when it failed, 0 when it did not count.
    double feedback() {
        return feedback;
    }
}
