package org.slipstream.core.queue;

import java.util.Optional;

/// An order of an operator that stays in force until its end or until it is taken back, also over restarts: a
/// suspension of mail, or another limit. There is at most one of each kind and name.
public sealed interface StandingOrder permits Suspension, LimitOrder {
    /// The kind, as a word of the message log and of the index.
    String kind();

    String name();

    /// The number that the order sets; empty when there is nothing to set.
    String value();

    String why();

    String author();

    long sinceMillis();

    /// `Long.MAX_VALUE`: until it is taken back.
    long untilMillis();

    /// The order with these texts, as a record has them; empty for a kind of another version.
    static Optional<StandingOrder> of(String kind, String name, String value, String why, String author,
            long sinceMillis, long untilMillis) {
        return kind.equals(LimitOrder.KIND)
                ? LimitOrder.of(name, value, why, author, sinceMillis, untilMillis).map(StandingOrder.class::cast)
                : Suspension.SuspensionScope.ofKind(kind).map(
                        scope -> new Suspension(scope, name, why, author, sinceMillis, untilMillis));
    }
}
