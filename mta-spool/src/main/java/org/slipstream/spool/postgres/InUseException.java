package org.slipstream.spool.postgres;

import java.io.IOException;

/// The lease of another server has not ended.
public final class InUseException extends IOException {
    private static final long serialVersionUID = 1L;

    InUseException(int shard, String place) {
        super("another server owns the message log of shard " + shard + " in " + place);
    }
}
