package org.slipstream.qmgr.flow;

/// The concurrency window of one destination: the number of deliveries that may run at once,
/// learned from their results.
///
/// **The idea** (Wietse Venema, Postfix 2.5 concurrency scheduler). The capacity of a server is
/// unknown. So start low, grow while sessions work, shrink when connections or handshakes fail, and
/// stop when nothing works at all. The window corresponds to TCP's congestion window, and a
/// delivery to a packet, with one difference: a server that limits its clients refuses connections,
/// so every failed connection is mail that waits for minutes. Growth must be careful and shrinking
/// fast.
///
/// **Hysteresis.** Feedback is collected in two counters. A working session adds g to `success`; a
/// full point makes the window one larger. A failure subtracts f from `failure`; *below zero* the
/// window becomes one smaller and the counter is raised by a point. So the window grows at the end
/// of a cycle of 1/g good deliveries, but shrinks at the *start* of a cycle of 1/f bad ones: the
/// first failure acts at once (PF-03, PF-04). Each step clears the other counter, otherwise a rare
/// failure would count indefinitely.
///
/// **Not too far ahead** (PF-11). A quiet destination would let the window grow without a test;
/// when failures came, dozens would be needed before the window has an effect. Feedback is positive
/// only when the window is smaller than the running deliveries plus the initial window.
///
/// **The first deliveries.** A server that limits its clients refuses the connection, so a connection
/// that is up tells as much as the end of its delivery. Waiting for the first ends would cost a mailing
/// one delivery of each unopened slot, so until then the window grows with each connection ([#opened]).
/// Postfix learns of a connection only at the end of its delivery, and so does the plain
/// algorithm here, without spaced starts.
///
/// **Cohorts** (PF-07, PF-08). A failure counts 1/window: when a whole window of deliveries has
/// failed without one success between, that is one failed cohort, a pseudo-cohort since deliveries
/// start and end independently. Above the limit of failed cohorts the destination is dead. Wide
/// windows survive a few failures, narrow ones do not.
///
/// **The effect of f** (PF-14). A server accepts N connections and replies 421 to the next: the
/// window grows to N+1, fails, shrinks to N, and needs ⌈1/g⌉ good cycles to grow again. With equal
/// feedbacks x the share of refused mail is near 1/(1+⌈1/f⌉): one in six for 1/N at N = 5, one in
/// four for 1/√N, one in two for 1. The remedy is less aggressive feedback, not a smaller limit.
///
/// [#good] and [#bad] follow the published pseudo-code; [FeedbackVariant] supplies the comparisons.
final class Window {
    private FlowRules rules;
    private int size;
    private double success;
    private double failure;
    private double failedCohorts;
    private double feedback;

    /// A delivery has ended, or a connection has failed.
    private boolean tried;

    Window(FlowRules rules) {
        this.rules = rules;
        this.size = rules.initialConcurrency();
    }

    // The former limit, and no feedback, may have kept the window small: then a wider limit acts at
    // once, as for a new destination.
    void change(FlowRules others) {
        if (size == rules.concurrencyLimit() && size < others.initialConcurrency()) {
            size = others.initialConcurrency();
        }
        rules = others;
        if (others.concurrencyLimit() > 0) {
            size = Math.min(size, others.concurrencyLimit());
        }
    }

    /// A session worked.
    ///
    /// @param running deliveries to the destination, including the reported one
    void good(int running) {
        tried = true;
        failedCohorts = 0;
        grow(running);
    }

    /// A connection is up. It stands for a delivery until the first delivery ends. True when it counts.
    ///
    /// @param running deliveries to the destination
    boolean opened(int running) {
        if (!tried) {
            grow(running);
        }
        return !tried;
    }

    private void grow(int running) {
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

    /// A connection or handshake failed. True when the destination is dead now.
    boolean bad() {
        tried = true;
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

    /// Revives a dead destination: the window becomes the number of running deliveries, or the
    /// initial one (PF-09).
    void revive(int running) {
        size = running > 0 ? running : rules.initialConcurrency();
        success = 0;
        failure = 0;
        failedCohorts = 0;
    }

    /// Ends the rate delay.
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

    /// The feedback of the last session: positive when it worked, negative when it failed, 0 when
    /// it did not count.
    double feedback() {
        return feedback;
    }
}
