package org.slipstream.shaping;

import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;

/// The orders of rules beside those of operators. There is one order of each kind and name, so a rule
/// may replace another order, or must leave it.
public final class RuleOrder {
    /// The author of an order begins with this when a rule gave it.
    public static final String AUTHOR = "rule ";

    private RuleOrder() {}

    public static boolean isOfRule(StandingOrder order) {
        return order.author().startsWith(AUTHOR);
    }

    /// Whether the order of a rule may take the place of the present one.
    ///
    /// An order of an operator stays: a looser one was a decision, too, and would be gone when the rule
    /// ends. The order of a rule gives way to one that is stricter, or as strict and longer.
    public static boolean mayReplace(StandingOrder present, StandingOrder wanted) {
        if (!isOfRule(present)) {
            return false;
        }
        int strictness = present instanceof LimitOrder before && wanted instanceof LimitOrder after
                ? Double.compare(perMilli(before), perMilli(after))
                : 0;
        return strictness > 0 || strictness == 0 && wanted.untilMillis() > present.untilMillis();
    }

    private static double perMilli(LimitOrder order) {
        return order.periodMillis() == 0 ? order.number() : (double) order.number() / order.periodMillis();
    }
}
