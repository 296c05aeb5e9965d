package org.slipstream.qmgr.event;

import org.slipstream.core.queue.MessageSummary;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/// Decides whether new or deferred mail enters the active set next. Neither queue can starve the
/// other.
///
/// **The rule** (Postfix, PF-28, PF-60). The two queues alternate, one message each, so that ten
/// thousand deferred messages do not delay one new message, nor the reverse. When one queue is
/// empty, the other is asked in the same pass. When a pass fills the active set, the next pass
/// begins with new mail: under pressure new mail goes first, because a deferred message has already
/// waited for its backoff.
///
/// **New mail first** is the other rule ([PickUp]): the text of Postfix's documentation says so, its source
/// alternates. Deferred mail waits then as long as new mail waits, however long that is.
///
/// The rule is independent of the source of the messages. In the server the sources are
/// announcements and scans; the lab supplies its own.
public final class ActivationOrder {
    /// A queue of messages that wait for activation.
    @FunctionalInterface
    public interface Source {
        /// Removes and returns the next message; empty when there is none at present.
        Optional<Offer> next(long nowMillis);
    }

    /// @param due false when the message's next attempt is in the future; it is skipped
    public record Offer(MessageSummary message, boolean due) {}

    private final Source incoming;
    private final Source deferred;
    private Source preferred;
    private PickUp pickUp = PickUp.ALTERNATE;

    /// Which mail comes next when new and deferred mail wait.
    public enum PickUp {
        /// One message of each in turn.
        ALTERNATE,
        /// New mail, as long as there is some.
        NEW_FIRST
    }

    public ActivationOrder(Source incoming, Source deferred) {
        this.incoming = incoming;
        this.deferred = deferred;
        this.preferred = incoming;
    }

    /// Another rule, from the next pass on.
    public void change(PickUp rule) {
        pickUp = rule;
        preferred = incoming;
    }

    /// One pass, which admits one message at most. True when a source had a message, admitted or
    /// not: then another pass is worthwhile.
    ///
    /// @param free free places in the active set
    public boolean pass(IntSupplier free, long nowMillis, Consumer<MessageSummary> taken) {
        boolean found = false;
        Source source = preferred;
        Source last = deferred;
        for (int tries = 0; tries < 2 && free.getAsInt() > 0; tries++) {
            last = source;
            Optional<Offer> offer = source.next(nowMillis);
            found |= offer.isPresent();
            if (offer.isPresent() && offer.get().due()) {
                taken.accept(offer.get().message());
                break;
            }
            source = other(source);
        }
        preferred = pickUp == PickUp.ALTERNATE && free.getAsInt() > 0 ? other(last) : incoming;
        return found;
    }

    private Source other(Source source) {
        return source == incoming ? deferred : incoming;
    }
}
