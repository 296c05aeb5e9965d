package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.Place;

import java.util.LinkedHashMap;
import java.util.Map;

/// Places in the box that a transaction has freed, kept until it is synced: what the box throws away, no register may name. Belongs
/// to the writer thread.
///
/// A register that is opened anew may have lost the transaction, which is then executed once more and frees the same places. Told
/// twice, the box would count one letter too few in a segment, and delete it under the last one.
final class Freed {
    private static final Logger LOG = LoggerFactory.getLogger(Freed.class);

    private final LetterBox box;
    private final Map<QueueId, Place> places = new LinkedHashMap<>();

    private long released;

    Freed(LetterBox box) {
        this.box = box;
    }

    void add(Map<QueueId, Place> freed) {
        places.putAll(freed);
    }

    /// How many the box has been told since the start.
    long released() {
        return released;
    }

    /// The transactions are safe: the box may know.
    void release(long nowMillis) {
        places.forEach((id, place) -> {
            try {
                box.released(id, place, nowMillis);
            } catch (IllegalStateException e) {
                // The segment stays longer than it had to; the next start counts anew.
                LOG.error("event=box-miscounted queue={}", id, e);
            }
        });
        released += places.size();
        places.clear();
    }
}
