package org.slipstream.qmgr.flow;

/// Which text of the algorithm a [Window] follows where the published pseudo-code and today's Postfix source differ.
///
/// The published one is the default, because it reproduces the published tables. The source's is for sites tuned to
/// it, and for comparison with the running original.
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
        boolean kills(double failedCohorts, int limit) {
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
        boolean kills(double failedCohorts, int limit) {
            return limit > 0 && failedCohorts >= limit;
        }
    };

    abstract boolean counts(int window, int limit);

    abstract boolean grows(double success, double feedback);

    abstract boolean shrinks(double failure, double feedback);

    abstract boolean kills(double failedCohorts, int limit);
}
