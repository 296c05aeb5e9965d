package org.slipstream.qmgr.sched;

import org.slipstream.core.Recipient;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/// Recipients come into memory in batches: when the next one is wished for, how large it may be, and what is in memory.
///
/// **The first** of a message fills memory up to the limit of the whole process, so that a server with little to do reads most
/// mail in one go; under pressure it is the minimum that each message may have (PF-61). **Later ones** are as large as
/// the slots that [RecipientPool] has lent to the message. They are wished for
///
/// - in the middle of a search, when the slots that are free reach the refill limit, or the last read is long enough ago
///   and any slot is free, or nothing of the message can go as it is (PF-64);
/// - and in any case when nothing of the message is left in memory.
///
/// A wish sets its memory aside at once: two wishes may not count on the same room.
final class Batches {
    private final int recipientLimit;

    /// No batch is larger, whatever the limits say.
    private final int largest;
    private final ArrayDeque<Message> requested = new ArrayDeque<>();

    /// Recipients in memory or set aside for batches that are being read.
    private int inCore;

    Batches(int recipientLimit, int largest) {
        this.recipientLimit = recipientLimit;
        this.largest = largest;
    }

    int inCore() {
        return inCore;
    }

    void requestFirst(Message message) {
        request(message, Math.max(recipientLimit - inCore, message.limit));
    }

    /// For as many as the message has slots for.
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

    /// The message of the next wish, each once.
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

    /// So many recipients of a message are done with.
    void gone(Message message, int recipients) {
        message.inCore -= recipients;
        inCore -= recipients;
    }

    /// Nothing of the message is in memory: the next batch is due, whatever the lists say.
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
