package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SequencedMap;

/// Messages and domains that somebody asked to be tried now.
///
/// A flush revives exactly what it names. Where a sleeping message leads is known only when its route is known, so the wish waits
/// here until the message comes by ([Routing]). Then it revives that destination and the hosts of that route, if they were given up
/// *before* the wish: a destination that dies after it stays dead. Everything else rests until its own time.
///
/// A wish is forgotten after the longest time that a destination rests, because by then each rest has ended by itself or is younger than
/// the wish. Of very many wishes the oldest are forgotten; their messages are due all the same.
final class Flushes {
    private static final int MOST = 10_000;

    private final long memoryMillis;
    private final SequencedMap<QueueId, Long> messages = new LinkedHashMap<>();
    private final SequencedMap<String, Long> domains = new LinkedHashMap<>();

    Flushes(long memoryMillis) {
        this.memoryMillis = memoryMillis;
    }

    void wish(OperatorCommand.Flush flush, long nowMillis) {
        flush.id().ifPresent(id -> wish(messages, id, nowMillis));
        flush.domain().ifPresent(domain -> wish(domains, domain.toLowerCase(Locale.ROOT), nowMillis));
    }

    private <K> void wish(SequencedMap<K, Long> wishes, K name, long nowMillis) {
        wishes.remove(name);
        wishes.put(name, nowMillis);
        Iterator<Long> oldest = wishes.values().iterator();
        while (wishes.size() > MOST || isOver(oldest.next(), nowMillis)) {
            wishes.pollFirstEntry();
            oldest = wishes.values().iterator();
        }
    }

    private boolean isOver(long wishedMillis, long nowMillis) {
        return nowMillis - wishedMillis > memoryMillis;
    }

    /// When mail of this message for this domain was last asked for; empty when it was not.
    ///
    /// @param domain lower case
    OptionalLong wishedMillis(QueueId id, String domain, long nowMillis) {
        if (messages.isEmpty() && domains.isEmpty()) {
            return OptionalLong.empty();
        }
        long wished = Math.max(messages.getOrDefault(id, Long.MIN_VALUE),
                domains.getOrDefault(domain, Long.MIN_VALUE));
        return wished == Long.MIN_VALUE || isOver(wished, nowMillis) ? OptionalLong.empty() : OptionalLong.of(wished);
    }
}
