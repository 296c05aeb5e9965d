package org.slipstream.qmgr.flow;

import java.util.Objects;

/// The rules for the windows of one transport; names and defaults are Postfix's.
///
/// @param initialConcurrency initial window of a destination (`initial_destination_concurrency`)
/// @param concurrencyLimit largest window (`destination_concurrency_limit`); 0 for none
/// @param positive feedback of a working session (`destination_concurrency_positive_feedback`)
/// @param negative feedback of a failed connection or handshake
/// (`destination_concurrency_negative_feedback`)
/// @param failedCohortLimit failed cohorts until a destination is dead
/// (`destination_concurrency_failed_cohort_limit`)
/// @param rateDelayMillis pause of a destination after each delivery (`destination_rate_delay`); 0
/// for none
public record FlowRules(int initialConcurrency, int concurrencyLimit, Feedback positive, Feedback negative,
        int failedCohortLimit, long rateDelayMillis, FeedbackVariant variant) {
    public FlowRules {
        Objects.requireNonNull(positive);
        Objects.requireNonNull(negative);
        Objects.requireNonNull(variant);
        // A rate delay implies one delivery at a time (PF-15).
        concurrencyLimit = rateDelayMillis > 0 ? 1 : concurrencyLimit;
        initialConcurrency = Math.max(1,
                concurrencyLimit > 0 ? Math.min(initialConcurrency, concurrencyLimit) : initialConcurrency);
    }
}
