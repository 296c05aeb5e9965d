package org.slipstream.qmgr;

import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.flow.FlowRules;
import org.slipstream.qmgr.sched.ServiceRules;

/// The settings of one transport. The names in parentheses are Postfix's, without the prefix of the
/// transport's name.
///
/// @param processLimit concurrent connections or local deliveries (`process_limit`)
/// @param initialConcurrency initial window of a destination (`initial_destination_concurrency`)
/// @param concurrencyLimit largest window (`destination_concurrency_limit`); 0 for none
/// @param positiveFeedback feedback of a working session
/// (`destination_concurrency_positive_feedback`)
/// @param negativeFeedback feedback of a failed connection
/// (`destination_concurrency_negative_feedback`)
/// @param failedCohortLimit failed cohorts until a destination is dead
/// (`destination_concurrency_failed_cohort_limit`)
/// @param rateDelayMillis pause of a destination after each delivery (`destination_rate_delay`)
/// @param slotCost entries per preemption slot (`delivery_slot_cost`)
/// @param slotLoan slots granted in advance (`delivery_slot_loan`)
/// @param slotDiscountPercent discount on the slots that a preemption requires
/// (`delivery_slot_discount`)
/// @param minimumSlots smallest preemptable job (`minimum_delivery_slots`)
/// @param recipientsPerDelivery recipients of one entry (`destination_recipient_limit`)
/// @param recipientLimit recipient slots (`recipient_limit`)
/// @param extraRecipientLimit slots for preempting jobs that are not fully read
/// (`extra_recipient_limit`)
/// @param refillLimit free slots that cause a read (`recipient_refill_limit`)
/// @param refillDelayMillis age of the last read after which one free slot is enough
/// (`recipient_refill_delay`)
public record TransportSettings(int processLimit, int initialConcurrency, int concurrencyLimit,
        Feedback positiveFeedback, Feedback negativeFeedback, int failedCohortLimit, long rateDelayMillis, int slotCost,
        int slotLoan, int slotDiscountPercent, int minimumSlots, int recipientsPerDelivery, int recipientLimit,
        int extraRecipientLimit, int refillLimit, long refillDelayMillis) {

    public TransportSettings {
        notBelow(1, processLimit, "process_limit");
        notBelow(1, initialConcurrency, "initial_destination_concurrency");
        notBelow(0, concurrencyLimit, "destination_concurrency_limit");
        notBelow(0, failedCohortLimit, "destination_concurrency_failed_cohort_limit");
        notBelow(0, rateDelayMillis, "destination_rate_delay");
        notBelow(0, slotCost, "delivery_slot_cost");
        notBelow(0, slotLoan, "delivery_slot_loan");
        notBelow(0, slotDiscountPercent, "delivery_slot_discount");
        if (slotDiscountPercent > 100) {
            throw new IllegalArgumentException("delivery_slot_discount is a percentage, not " + slotDiscountPercent);
        }
        notBelow(0, minimumSlots, "minimum_delivery_slots");
        notBelow(0, recipientsPerDelivery, "destination_recipient_limit");
        notBelow(0, recipientLimit, "recipient_limit");
        notBelow(0, extraRecipientLimit, "extra_recipient_limit");
        notBelow(1, refillLimit, "recipient_refill_limit");
        notBelow(0, refillDelayMillis, "recipient_refill_delay");
        notAbove1(positiveFeedback, "destination_concurrency_positive_feedback");
        notAbove1(negativeFeedback, "destination_concurrency_negative_feedback");
    }

    /// Postfix's defaults.
    public static TransportSettings defaults() {
        Feedback one = new Feedback.Fixed(1);
        return new TransportSettings(100, 5, 20, one, one, 1, 0, 5, 3, 50, 3, 50, 20_000, 1_000, 100, 5_000);
    }

    public TransportSettings withConcurrency(int processes, int initial, int limit) {
        return new TransportSettings(processes, initial, limit, positiveFeedback, negativeFeedback, failedCohortLimit,
                rateDelayMillis, slotCost, slotLoan, slotDiscountPercent, minimumSlots, recipientsPerDelivery,
                recipientLimit, extraRecipientLimit, refillLimit, refillDelayMillis);
    }

    public TransportSettings withFeedback(Feedback positive, Feedback negative, int cohortLimit) {
        return new TransportSettings(processLimit, initialConcurrency, concurrencyLimit, positive, negative,
                cohortLimit,
                rateDelayMillis, slotCost, slotLoan, slotDiscountPercent, minimumSlots, recipientsPerDelivery,
                recipientLimit, extraRecipientLimit, refillLimit, refillDelayMillis);
    }

    public TransportSettings withRateDelay(long millis) {
        return new TransportSettings(processLimit, initialConcurrency, concurrencyLimit, positiveFeedback,
                negativeFeedback, failedCohortLimit, millis, slotCost, slotLoan, slotDiscountPercent, minimumSlots,
                recipientsPerDelivery, recipientLimit, extraRecipientLimit, refillLimit, refillDelayMillis);
    }

    public TransportSettings withSlots(int cost, int loan, int discountPercent, int minimum) {
        return new TransportSettings(processLimit, initialConcurrency, concurrencyLimit, positiveFeedback,
                negativeFeedback, failedCohortLimit, rateDelayMillis, cost, loan, discountPercent, minimum,
                recipientsPerDelivery, recipientLimit, extraRecipientLimit, refillLimit, refillDelayMillis);
    }

    public TransportSettings withRecipientsPerDelivery(int recipients) {
        return new TransportSettings(processLimit, initialConcurrency, concurrencyLimit, positiveFeedback,
                negativeFeedback, failedCohortLimit, rateDelayMillis, slotCost, slotLoan, slotDiscountPercent,
                minimumSlots, recipients, recipientLimit, extraRecipientLimit, refillLimit, refillDelayMillis);
    }

    public TransportSettings withRecipientLimits(int limit, int extra, int refill, long delayMillis) {
        return new TransportSettings(processLimit, initialConcurrency, concurrencyLimit, positiveFeedback,
                negativeFeedback, failedCohortLimit, rateDelayMillis, slotCost, slotLoan, slotDiscountPercent,
                minimumSlots, recipientsPerDelivery, limit, extra, refill, delayMillis);
    }

    ServiceRules service() {
        return new ServiceRules(slotCost, slotLoan, slotDiscountPercent, minimumSlots, recipientsPerDelivery,
                recipientLimit, extraRecipientLimit, refillLimit, refillDelayMillis);
    }

    FlowRules flow(FeedbackVariant variant) {
        return new FlowRules(initialConcurrency, concurrencyLimit, positiveFeedback, negativeFeedback,
                failedCohortLimit,
                rateDelayMillis, variant);
    }

    private static void notBelow(long least, long value, String name) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", not " + value);
        }
    }

    private static void notAbove1(Feedback feedback, String name) {
        if (!(feedback.of(1) >= 0 && feedback.of(1) <= 1)) {
            throw new IllegalArgumentException(name + " is between 0 and 1, not " + feedback);
        }
    }
}
