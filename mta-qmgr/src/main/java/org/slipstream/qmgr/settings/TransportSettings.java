package org.slipstream.qmgr.settings;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.flow.FlowRules;
import org.slipstream.qmgr.sched.ServiceRules;
import org.slipstream.qmgr.wake.DestinationSettings;

import java.time.Duration;

/// The settings of one transport. The names in brackets are Postfix's, without the transport's name
/// in front.
///
/// @param processLimit concurrent connections or local deliveries (`process_limit`); 0 holds the mail
/// @param initialConcurrency initial window of a destination (`initial_destination_concurrency`)
/// @param concurrencyLimit largest window (`destination_concurrency_limit`); 0 for none
/// @param positiveFeedback what a working session counts
///     (`destination_concurrency_positive_feedback`)
/// @param negativeFeedback what a failed connection counts
///     (`destination_concurrency_negative_feedback`)
/// @param failedCohortLimit windows full of failures until death
///     (`destination_concurrency_failed_cohort_limit`)
/// @param rateDelay pause of a destination after each delivery (`destination_rate_delay`)
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
/// @param refillDelay age of the last read after which one free slot is enough
///     (`recipient_refill_delay`)
public record TransportSettings(
        @Setting(section = "queue", key = "lanes", value = "100", max = "100000",
                doc = "Connections of one transport in all. `0`: its mail is held.") int processLimit,
        @Setting(section = "concurrency", key = "initial-destination-concurrency", value = "5", min = "1",
                max = "10000", expert = true,
                doc = "Connections to a destination of which nothing is known, once one of its hosts has greeted: an"
                        + " unknown host has one connection until then. At most"
                        + " `queue.lanes-per-destination`.") int initialConcurrency,
        @Setting(section = "queue", key = "lanes-per-destination", value = "20", max = "10000",
                doc = "Connections to one destination. `0`: no limit but `queue.lanes`.") int concurrencyLimit,
        @Setting(section = "concurrency", value = "1", expert = true,
                doc = "The amount that a working session adds to the window. A whole point opens one more"
                        + " connection.") Feedback positiveFeedback,
        @Setting(section = "concurrency", value = "1", expert = true,
                doc = "The amount that a failed connection or handshake subtracts from the window.") Feedback negativeFeedback,
        @Setting(section = "concurrency", value = "1", expert = true,
                doc = "Whole sets of connections that may fail in a row before a destination counts as"
                        + " dead.") int failedCohortLimit,
        @Setting(section = "concurrency", key = "destination-rate-delay", value = "0s", expert = true,
                doc = "Pause of a destination after each delivery. Deliveries to it then go one"
                        + " by one.") Duration rateDelay,
        @Setting(section = "scheduler", key = "delivery-slot-cost", value = "5", expert = true,
                doc = "Deliveries of a message that buy one delivery for a message that passes it. 0 and 1: no"
                        + " message is passed.") int slotCost,
        @Setting(section = "scheduler", key = "delivery-slot-loan", value = "3", expert = true,
                doc = "Slots that a message may lend before it has earned them.") int slotLoan,
        @Setting(section = "scheduler", key = "delivery-slot-discount", value = "50", max = "100", expert = true,
                doc = "Percentage of the price that need not be there in advance.") int slotDiscountPercent,
        @Setting(section = "scheduler", key = "minimum-delivery-slots", value = "3", expert = true,
                doc = "A message that can never earn this number of slots is not passed.") int minimumSlots,
        @Setting(section = "queue", value = "50", min = "1", max = "100000", expert = true,
                doc = "Recipients of one transaction with another server.") int recipientsPerDelivery,
        @Setting(section = "scheduler", value = "20000", expert = true,
                doc = "Recipients of one transport in memory.") int recipientLimit,
        @Setting(section = "scheduler", value = "1000", expert = true,
                doc = "Further recipients in memory, for messages that pass others before they are fully"
                        + " read.") int extraRecipientLimit,
        @Setting(section = "scheduler", key = "recipient-refill-limit", value = "100", min = "1", expert = true,
                doc = "Free room, in recipients, from which the next recipients are read.") int refillLimit,
        @Setting(section = "scheduler", key = "recipient-refill-delay", value = "5s", expert = true,
                doc = "After this time any free room is enough.") Duration refillDelay) {

    public TransportSettings {
        notBelow(0, processLimit, "process_limit");
        notBelow(1, initialConcurrency, "initial_destination_concurrency");
        notBelow(0, concurrencyLimit, "destination_concurrency_limit");
        notBelow(0, failedCohortLimit, "destination_concurrency_failed_cohort_limit");
        notBelow(0, rateDelay.toMillis(), "destination_rate_delay");
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
        notBelow(0, refillDelay.toMillis(), "recipient_refill_delay");
        notAbove1(positiveFeedback, "destination_concurrency_positive_feedback");
        notAbove1(negativeFeedback, "destination_concurrency_negative_feedback");
    }

    /// Postfix's defaults.
    public static TransportSettings defaults() {
        return SettingsRecords.defaults(TransportSettings.class);
    }

    public TransportSettings withConcurrency(int processes, int initial, int limit) {
        return with("processLimit", processes).with("initialConcurrency", initial).with("concurrencyLimit", limit);
    }

    public TransportSettings withProcessLimit(int processes) {
        return with("processLimit", processes);
    }

    public TransportSettings withFeedback(Feedback positive, Feedback negative, int cohortLimit) {
        return with("positiveFeedback", positive).with("negativeFeedback", negative).with("failedCohortLimit",
                cohortLimit);
    }

    public TransportSettings withRateDelay(Duration delay) {
        return with("rateDelay", delay);
    }

    public TransportSettings withSlots(int cost, int loan, int discountPercent, int minimum) {
        return with("slotCost", cost).with("slotLoan", loan).with("slotDiscountPercent", discountPercent)
                .with("minimumSlots", minimum);
    }

    public TransportSettings withRecipientsPerDelivery(int recipients) {
        return with("recipientsPerDelivery", recipients);
    }

    public TransportSettings withRecipientLimits(int limit, int extra, int refill, Duration delay) {
        return with("recipientLimit", limit).with("extraRecipientLimit", extra).with("refillLimit", refill)
                .with("refillDelay", delay);
    }

    private TransportSettings with(String component, Object value) {
        return SettingsRecords.with(this, component, value);
    }

    /// True when no mail of this transport is delivered.
    public boolean isHeld() {
        return processLimit == 0;
    }

    /// Connections or deliveries at once; a held transport has one, and no mail for it.
    public int workers() {
        return Math.max(1, processLimit);
    }

    public ServiceRules service() {
        return new ServiceRules(slotCost, slotLoan, slotDiscountPercent, minimumSlots, recipientsPerDelivery,
                recipientLimit, extraRecipientLimit, refillLimit, refillDelay.toMillis());
    }

    /// @param destination overrides the limits; a limit of 0 there is handled before the window
    public FlowRules flow(FeedbackVariant variant, DestinationSettings destination) {
        return new FlowRules(destination.initialConcurrency().orElse(initialConcurrency),
                destination.lanes().orElse(concurrencyLimit), positiveFeedback, negativeFeedback,
                failedCohortLimit,
                rateDelay.toMillis(), variant);
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
