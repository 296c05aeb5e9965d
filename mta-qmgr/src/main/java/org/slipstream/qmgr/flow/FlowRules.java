package org.slipstream.qmgr.flow;

import java.util.Objects;

/// How windows of one transport behave; names and figures are Postfix's.
///
/// @param initialConcurrency first window of a destination (`initial_destination_concurrency`)
/// @param concurrencyLimit largest window (`destination_concurrency_limit`); 0 for none
/// @param positive what a working session counts (`destination_concurrency_positive_feedback`)
/// @param negative what a failed connection or handshake counts (`destination_concurrency_negative_feedback`)
/// @param failedCohortLimit windows full of failures until a destination is dead
/// (`destination_concurrency_failed_cohort_limit`)
/// @param rateDelayMillis pause of a destination after each delivery (`destination_rate_delay`); 0 for none
public record FlowRules(int initialConcurrency, int concurrencyLimit, Feedback positive, Feedback negative,
        int failedCohortLimit, long rateDelayMillis, FeedbackVariant variant) {
    public FlowRules {
        Objects.requireNonNull(positive);
        Objects.requireNonNull(negative);
        Objects.requireNonNull(variant);
        // One delivery at a time where there is to be a pause between two (PF-15).
        concurrencyLimit = rateDelayMillis > 0 ? 1 : concurrencyLimit;
        initialConcurrency = Math.max(1,
                concurrencyLimit > 0 ? Math.min(initialConcurrency, concurrencyLimit) : initialConcurrency);
    }
}
