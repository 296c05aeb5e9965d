package org.slipstream.qmgr.sched;

import org.slipstream.core.Recipient;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/// Plans the batches in which recipients are read into memory, and counts the recipients there.
///
/// **The first** batch of a message fills memory up to the limit of the whole process, so that a
/// server with low load reads most mail at once; under load it is the minimum per message (PF-61).
/// **Later batches** are as large as the slots that [RecipientPool] has lent to the message. They
/// are requested
///
/// - during a search, when the free slots reach the refill limit, or the last read is long enough
///   ago and any slot is free, or no recipient in memory can be delivered at present (PF-64);
/// - and in any case when no recipient of the message is left in memory.
///
/// A request reserves its memory at once, so that two requests never use the same free slots.
final class Batches {
    private int recipientLimit;

    /// The largest batch, independent of the limits.
    private final int largest;
    private final ArrayDeque<Message> requested = new ArrayDeque<>();

    /// Recipients in memory or reserved for batches that are being read.
    private int inCore;

    Batches(int recipientLimit, int largest) {
        this.recipientLimit = recipientLimit;
        this.largest = largest;
    }

    void change(int limit) {
        recipientLimit = limit;
    }

    int inCore() {
        return inCore;
    }

    void requestFirst(Message message) {
        request(message, Math.max(recipientLimit - inCore, message.limit));
    }

    /// Requests as many recipients as the message has slots for.
    void requestMore(Message message) {
        if (!message.reading) {
            request(message, message.limit - message.inCore);
        }
    }

    private void request(Message message, int slots) {
        message.reading = true;
        message.batch = Math.min(slots, largest);
        message.setAside = Math.min(message.batch, message.unread);
        inCore += message.setAside;
        requested.add(message);
    }

    void cancel(Message message) {
        if (message.reading && requested.remove(message)) {
            message.reading = false;
            inCore -= message.setAside;
            message.setAside = 0;
        }
    }

    /// The message of the next request, each once.
    Optional<Message> next() {
        return Optional.ofNullable(requested.poll());
    }

    void arrived(Message message, List<Recipient> recipients, boolean end, long nowMillis) {
        message.reading = false;
        inCore += recipients.size() - message.setAside;
        message.setAside = 0;
        message.inCore += recipients.size();
        message.unplaced += recipients.size();
        message.lastReadMillis = nowMillis;
        if (!recipients.isEmpty()) {
            message.readUpTo = recipients.getLast().number();
        }
        message.moreOnFile = message.moreOnFile && !end;
        message.unread = message.moreOnFile ? Math.max(0, message.recipients - message.readUpTo) : 0;
    }

    /// Recipients that were in an entry are in none again.
    void again(Message message, int recipients) {
        inCore += recipients;
        message.inCore += recipients;
        message.unplaced += recipients;
    }

    /// Recipients of a message left memory.
    void gone(Message message, int recipients) {
        message.inCore -= recipients;
        inCore -= recipients;
    }

    /// Requests the next batch when no recipient of the message is in memory.
    void readOn(Message message) {
        if (message.inCore == 0 && message.moreOnFile && !message.reading) {
            request(message, message.limit);
        }
    }

    boolean canRead(Message message) {
        return message.moreOnFile && message.waiting + message.running > 0 && message.limit > message.inCore;
    }

    boolean isRefillDue(Job job, long nowMillis) {
        Message message = job.message;
        ServiceRules rules = job.transport.rules();
        return canRead(message) && (message.limit - message.inCore >= rules.refillLimit()
                || nowMillis - message.lastReadMillis >= rules.refillDelayMillis());
    }
}
