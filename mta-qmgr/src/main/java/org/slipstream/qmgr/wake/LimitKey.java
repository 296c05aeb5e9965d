package org.slipstream.qmgr.wake;

import org.slipstream.core.HostKey;
import org.slipstream.core.queue.QueuePhase.Code;

/// One limit of the server. Shards of one server that use the same key share the limit.
public sealed interface LimitKey {
    LimitKey SERVER = new OfServer();

    record OfServer() implements LimitKey {}

    record OfTransport(String name) implements LimitKey {}

    record OfRing(String name) implements LimitKey {}

    /// @param name with its transport: `smtp/far.example`
    record OfDestination(String name) implements LimitKey {}

    record OfHost(String transport, HostKey host) implements LimitKey {}

    /// @param name of the destination, with its transport
    record OfRate(String name) implements LimitKey {}

    static LimitKey transport(String name) {
        return new OfTransport(name);
    }

    static LimitKey ring(String name) {
        return new OfRing(name);
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

    /// The gate that this limit closes. Deliveries ask for lanes in the order of the gates.
    default Code gate() {
        return switch (this) {
            case OfServer _ -> Code.SERVER;
            case OfTransport _ -> Code.CONNECTIONS;
            case OfRing _ -> Code.RING;
            case OfDestination _ -> Code.WINDOW;
            case OfHost _ -> Code.HOST_LIMIT;
            case OfRate _ -> Code.RATE;
        };
    }
}
