package org.slipstream.shaping;

import org.slipstream.core.queue.Suspension.SuspensionScope;

/// The mail that a rule limits: that to a provider, or that to a destination.
public sealed interface ShapingSubject {
    String name();

    /// @param name of the table of providers
    record OfProvider(String name) implements ShapingSubject {}

    /// @param name the next hop
    record OfDestination(String name) implements ShapingSubject {}

    /// The key of an order for connections.
    default String lanesKey() {
        return switch (this) {
            case OfProvider _ -> "provider:" + name();
            case OfDestination _ -> "window:" + name();
        };
    }

    /// The key of an order for a rate.
    default String rateKey() {
        return switch (this) {
            case OfProvider _ -> "provider-rate:" + name();
            case OfDestination _ -> "rate:" + name();
        };
    }

    default SuspensionScope scope() {
        return switch (this) {
            case OfProvider _ -> SuspensionScope.PROVIDER;
            case OfDestination _ -> SuspensionScope.DESTINATION;
        };
    }

    /// The subject in words.
    default String words() {
        return (this instanceof OfProvider ? "provider " : "destination ") + name();
    }
}
