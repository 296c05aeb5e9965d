package org.slipstream.qmgr.shard;

import java.util.Optional;

/// Deliveries under way, and the limit of them, of one kind of transports of a shard (IM-13).
///
/// @param limit 0 holds this side of the shard (IM-21)
public record ConcurrencyInUse(int used, int limit) {
    public static final ConcurrencyInUse NONE = new ConcurrencyInUse(0, 0);

    public ConcurrencyInUse {
        if (used < 0 || limit < 0) {
            throw new IllegalArgumentException("negative: " + used + "/" + limit);
        }
    }

    /// Parses `2/10`; empty when the text has another form.
    public static Optional<ConcurrencyInUse> parse(String text) {
        return text.strip().matches("[0-9]{1,6}/[0-9]{1,6}")
                ? Optional.of(new ConcurrencyInUse(Integer.parseInt(text.strip().split("/")[0]),
                        Integer.parseInt(text.strip().split("/")[1])))
                : Optional.empty();
    }

    /// The part of the limit that is in use, in percent. A side that is held has no load.
    public double percent() {
        return limit == 0 ? 0 : 100.0 * used / limit;
    }

    @Override
    public String toString() {
        return used + "/" + limit;
    }
}
