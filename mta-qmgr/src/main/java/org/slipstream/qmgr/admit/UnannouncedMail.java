package org.slipstream.qmgr.admit;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Counts new mail that no event announced and that only a scan of the incoming queue found. In a
/// healthy server the count stays 0.
///
/// Mail reaches the queue manager by event; the scan is a safety net (IM-15, IM-16). A hole in the
/// announcements would otherwise show only as mail that is late by up to one scan interval. Every
/// message is delivered in either case; only the count is the purpose of this class.
///
/// **What a scan finds for a good reason** is not counted: mail from before the start, mail that a
/// full inbox or a full active set refused, and mail whose sender requested a later delivery (RFC
/// 4865). After a refusal all finds are excused until a later scan has read the incoming queue to
/// its end.
///
/// **A scan may be faster than the event.** A message is in the spool before it is announced. So a
/// find is only suspected at first, and is counted when no announcement has followed within
/// [#GRACE_MILLIS].
public final class UnannouncedMail {
    public static final long GRACE_MILLIS = 10_000;

    /// Finds by id, with the time at which each counts.
    private final Map<QueueId, Long> suspects = new LinkedHashMap<>();
    private boolean excused = true;
    private boolean excusedByScan;
    private long startMillis = Long.MAX_VALUE;
    private long count;
    private Optional<QueueId> latest = Optional.empty();

    /// Announcements were refused, or announced mail found no free place.
    void refused() {
        excused = true;
        excusedByScan = false;
        suspects.clear();
    }

    /// A scan of the incoming queue begins. It finds everything that was refused until now.
    void scanBegins(long nowMillis) {
        startMillis = Math.min(startMillis, nowMillis);
        excusedByScan = true;
    }

    /// A scan of the incoming queue found this message, which no event has announced yet.
    void found(MessageSummary message, long nowMillis) {
        boolean late = message.releaseMillis() > message.createdMillis();
        // The clock went back: it cannot be told whether the mail is from before the start.
        boolean isYounger = message.createdMillis() > nowMillis;
        if (!excused && !late && !isYounger && message.createdMillis() >= startMillis) {
            suspects.put(message.id(), nowMillis + GRACE_MILLIS);
        }
    }

    /// A scan of the incoming queue has ended.
    ///
    /// @param more true when it left due mail in the spool
    void scanned(boolean more) {
        if (excusedByScan && !more) {
            excused = false;
        }
    }

    /// True when a scan found this message before its announcement.
    boolean announced(QueueId id) {
        return suspects.remove(id) != null;
    }

    public void timePasses(long nowMillis) {
        Iterator<Map.Entry<QueueId, Long>> all = suspects.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<QueueId, Long> next = all.next();
            if (next.getValue() > nowMillis) {
                return;
            }
            count++;
            latest = Optional.of(next.getKey());
            all.remove();
        }
    }

    /// The time at which the next suspected find counts.
    long nextMillis() {
        return suspects.isEmpty() ? Long.MAX_VALUE : suspects.values().iterator().next();
    }

    /// Messages since the start.
    public long count() {
        return count;
    }

    /// The message that was counted last.
    public Optional<QueueId> latest() {
        return latest;
    }
}
