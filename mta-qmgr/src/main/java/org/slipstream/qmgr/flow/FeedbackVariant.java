package org.slipstream.qmgr.flow;

/// Which text of the algorithm a [Window] follows.
///
/// Where the published pseudo-code and today's Postfix source differ, the published one is the default, because it reproduces the
/// published tables. The source's is for sites tuned to it, and for comparison with the running original. The third is what
/// both replaced.
public enum FeedbackVariant {
    /// As printed in the scheduler document.
    PSEUDOCODE {
        @Override
        boolean counts(int window, int limit) {
            return true;
        }

        @Override
        boolean grows(double success, double feedback) {
            return success >= 1;
        }

        @Override
        boolean shrinks(double failure, double feedback) {
            return failure < 0;
        }

        @Override
        boolean kills(double failedCohorts, int limit, int window) {
            return failedCohorts > limit;
        }
    },

    /// As compiled. A margin of half a step guards against rounding: three times a third is a whole. With feedback above
    /// two thirds the margin also makes the *first* failure cost two steps. The cohort limit is reached at equality, and 0
    /// turns it off. At the limit of the window nothing is counted.
    POSTFIX_SOURCE {
        @Override
        boolean counts(int window, int limit) {
            return limit == 0 || limit > window;
        }

        @Override
        boolean grows(double success, double feedback) {
            return success + feedback / 2 >= 1;
        }

        @Override
        boolean shrinks(double failure, double feedback) {
            return failure - feedback / 2 < 0;
        }

        @Override
        boolean kills(double failedCohorts, int limit, int window) {
            return limit > 0 && failedCohorts >= limit;
        }
    },

    /// The scheduler before Postfix 2.5 (PF-74): one up for each session that worked, one down for each that did not, dead when
    /// nothing is left. Feedback and cohort limit of the transport are not looked at.
    ///
    /// While a window is full of successes it doubles with each cohort, 5, 10, 20: twice what the server bears
    /// is reached before the first refusal is heard. And a window's worth of failures in a row is the end: one failed
    /// cohort, which for a window of 1 is a single failure. Each fault has its cure in [Window]: less feedback, a cohort counter
    /// of its own.
    PLUS_MINUS_ONE {
        @Override
        double amount(Feedback feedback, int window) {
            return 1;
        }

        @Override
        boolean counts(int window, int limit) {
            return limit == 0 || limit > window;
        }

        @Override
        boolean grows(double success, double feedback) {
            return success >= 1;
        }

        @Override
        boolean shrinks(double failure, double feedback) {
            return failure < 0;
        }

        @Override
        boolean kills(double failedCohorts, int limit, int window) {
            return window <= 1;
        }
    };

    double amount(Feedback feedback, int window) {
        return feedback.of(window);
    }

    abstract boolean counts(int window, int limit);

    abstract boolean grows(double success, double feedback);

    abstract boolean shrinks(double failure, double feedback);

    /// @param window before the failure that is being counted
    abstract boolean kills(double failedCohorts, int limit, int window);
}
