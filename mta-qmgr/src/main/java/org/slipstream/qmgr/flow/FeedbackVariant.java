package org.slipstream.qmgr.flow;

/// The version of the feedback algorithm that a [Window] follows.
///
/// Where the published pseudo-code and today's Postfix source differ, the published one is the
/// default, because it reproduces the published tables. The source's version is for sites tuned to
/// it, and for comparison with a running Postfix. The third is the algorithm that both replaced.
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

    /// As in the Postfix source. A margin of half a step guards against rounding: three times a
    /// third is a whole. With feedback above two thirds the margin also makes the *first* failure
    /// cost two steps. The cohort limit is reached at equality, and 0 disables it. At the limit of
    /// the window nothing is counted.
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

    /// The scheduler before Postfix 2.5 (PF-74): plus one for each session that worked, minus one
    /// for each that failed, dead at zero. Feedback and cohort limit of the transport are ignored.
    ///
    /// While a window is full of successes it doubles with each cohort, 5, 10, 20: twice the
    /// server's limit is reached before the first refusal arrives. And a window of consecutive
    /// failures kills the destination: one failed cohort, which for a window of 1 is a single
    /// failure. [Window] corrects both: less feedback, and a separate cohort counter.
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
