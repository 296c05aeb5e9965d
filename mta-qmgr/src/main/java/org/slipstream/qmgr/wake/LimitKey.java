package org.slipstream.qmgr.wake;

import org.slipstream.core.HostKey;
import org.slipstream.core.queue.QueuePhase.Code;

/// One limit of the server. Shards of one server that use the same key share the limit.
public sealed interface LimitKey {
    LimitKey SERVER = new OfServer();

    record OfServer() implements LimitKey {}

    record OfTransport(String name) implements LimitKey {}

    /// The connections of a group of destinations, or the deliveries of a sender domain to one.
    record OfGroup(GroupKind kind, String name) implements LimitKey {
        public OfGroupRate rate() {
            return new OfGroupRate(kind, name);
        }
    }

    /// The deliveries to a group of destinations in a period.
    record OfGroupRate(GroupKind kind, String name) implements LimitKey {
        public OfGroup group() {
            return new OfGroup(kind, name);
        }
    }

    /// The things of several destinations that have limits together.
    enum GroupKind {
        /// The destinations that clauses put together.
        RING(Code.RING, Code.RING_RATE),
        /// The destinations whose hosts belong to one provider.
        PROVIDER(Code.PROVIDER, Code.PROVIDER_RATE),
        /// The mail of one sender domain to one provider: `shop.example/google`.
        SENDER(Code.SENDER, Code.SENDER_RATE);

        private final Code lanes;
        private final Code rate;

        GroupKind(Code lanes, Code rate) {
            this.lanes = lanes;
            this.rate = rate;
        }
    }

    /// @param name with its transport: `smtp/far.example`
    record OfDestination(String name) implements LimitKey {}

    record OfHost(String transport, HostKey host) implements LimitKey {}

    /// @param name of the destination, with its transport
    record OfRate(String name) implements LimitKey {}

    static LimitKey transport(String name) {
        return new OfTransport(name);
    }

    static OfGroup ring(String name) {
        return new OfGroup(GroupKind.RING, name);
    }

    static OfGroup provider(String name) {
        return new OfGroup(GroupKind.PROVIDER, name);
    }

    /// @param name with its transport
    static LimitKey destination(String name) {
        return new OfDestination(name);
    }

    static LimitKey host(String transport, HostKey host) {
        return new OfHost(transport, host);
    }

    /// @param destination with its transport
    static LimitKey rate(String destination) {
        return new OfRate(destination);
    }

    /// True when the limit is a number in a period.
    default boolean isRate() {
        return this instanceof OfRate || this instanceof OfGroupRate;
    }

    /// The gate that this limit closes. Deliveries ask for lanes in the order of the gates.
    default Code gate() {
        return switch (this) {
            case OfServer _ -> Code.SERVER;
            case OfTransport _ -> Code.CONNECTIONS;
            case OfGroup(GroupKind kind, String _) -> kind.lanes;
            case OfGroupRate(GroupKind kind, String _) -> kind.rate;
            case OfDestination _ -> Code.WINDOW;
            case OfHost _ -> Code.HOST_LIMIT;
            case OfRate _ -> Code.RATE;
        };
    }
}
