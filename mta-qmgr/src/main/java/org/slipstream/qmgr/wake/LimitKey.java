package org.slipstream.qmgr.wake;

/// The name of one limit of the server: its kind, and to what it applies. Shards of one server that
/// use the same key share the limit.
///
/// @param name of the server empty; of a transport `smtp`; of a ring `bulk`; of a destination and of
/// a rate `smtp/far.example`; of a host its key
public record LimitKey(LimitName limit, String name) {
    public static final LimitKey SERVER = new LimitKey(LimitName.SERVER, "");

    public static LimitKey transport(String name) {
        return new LimitKey(LimitName.TRANSPORT, name);
    }

    public static LimitKey ring(String name) {
        return new LimitKey(LimitName.RING, name);
    }

    /// @param name with its transport
    public static LimitKey destination(String name) {
        return new LimitKey(LimitName.DESTINATION, name);
    }

    public static LimitKey host(String key) {
        return new LimitKey(LimitName.HOST, key);
    }

    /// @param destination with its transport
    public static LimitKey rate(String destination) {
        return new LimitKey(LimitName.RATE, destination);
    }
}
