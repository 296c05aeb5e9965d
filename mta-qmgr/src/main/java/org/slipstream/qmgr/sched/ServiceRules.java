package org.slipstream.qmgr.sched;

/// The scheduling rules of one transport; names and defaults are Postfix's.
///
/// @param slotCost selected entries per preemption slot (`delivery_slot_cost`); 0 and 1 disable
/// preemption (PF-50)
/// @param slotLoan slots granted in advance (`delivery_slot_loan`)
/// @param slotDiscountPercent discount on the slots that a preemption requires
/// (`delivery_slot_discount`)
/// @param minimumSlots a job that can never earn this number is never preempted
/// (`minimum_delivery_slots`)
/// @param recipientsPerEntry recipients in one entry (`destination_recipient_limit`); 0 for any
/// number, 1 makes every recipient a destination of its own (PF-12)
/// @param recipientLimit recipient slots of the transport (`recipient_limit`)
/// @param extraRecipientLimit further slots for jobs that preempt and are not fully read
/// (`extra_recipient_limit`)
/// @param refillLimit free slots that trigger a refill at once (`recipient_refill_limit`)
/// @param refillDelayMillis age of the last read after which any free slot triggers one
/// (`recipient_refill_delay`)
public record ServiceRules(int slotCost, int slotLoan, int slotDiscountPercent, int minimumSlots,
        int recipientsPerEntry, int recipientLimit, int extraRecipientLimit, int refillLimit, long refillDelayMillis) {

    /// Postfix's defaults.
    public static ServiceRules defaults() {
        return new ServiceRules(5, 3, 50, 3, 50, 20_000, 1_000, 100, 5_000);
    }

    boolean preempts() {
        return slotCost >= 2;
    }
}
